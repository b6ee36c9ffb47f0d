# pycuda_precompile(<target> <header>...): the headers, and those of the library that most sources include, are parsed once for all sources
# of the target, or of others too that say pycuda_use_precompiled(<target> <that target>). Sources still include what they use: under a compiler cache, which knows each source by itself, nothing is precompiled.
function(pycuda_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  # All of the standard library: the headers of another compiler include other parts of it, whose names must not hide ours.
  target_precompile_headers(${target} PRIVATE ${ARGN} <bits/stdc++.h> <cuda.h>)
  pycuda_without_wrong_warnings(${target})
endfunction()

function(pycuda_use_precompiled target other)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${other})
  pycuda_without_wrong_warnings(${target})
endfunction()

function(pycuda_without_wrong_warnings target)
  # In precompiled headers GCC does not recognise its own library's headers, and reports false warnings in std::string (bug 105651).
  # Builds with a compiler cache, which precompile nothing, keep these warnings.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-dangling-pointer -Wno-free-nonheap-object -Wno-maybe-uninitialized
      -Wno-nonnull -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-use-after-free)
  endif()
endfunction()
