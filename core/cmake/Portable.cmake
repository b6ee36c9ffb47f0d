# pycuda_portable(<library>): also runs on systems as old as glibc 2.28, and with any libstdc++ or none. Off where libstdc++ cannot be linked
# statically (Fedora and RHEL have it in the package libstdc++-static), and beside sanitizers, which replace the same functions.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -l:libpthread.so.0 -l:libdl.so.2)
check_cxx_source_compiles("#include <iostream>\nint main() { std::cout << 1; }" PYCUDA_HAS_STATIC_LIBSTDCXX)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
option(PYCUDA_PORTABLE "Link libraries that run with glibc 2.28 and newer" ${PYCUDA_HAS_STATIC_LIBSTDCXX})

function(pycuda_portable library)
  if(NOT PYCUDA_PORTABLE OR PYCUDA_SANITIZE)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/core/portable/glibc.cpp)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${library} PRIVATE ${source})
  # Where threads and dlopen were in 2.28.
  target_link_options(${library} PRIVATE -static-libstdc++ -Wl,--exclude-libs,ALL
                      -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--pop-state)
endfunction()
