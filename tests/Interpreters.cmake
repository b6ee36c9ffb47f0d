# pycuda_python_tests(<test>...) is for tests that start Python, pycuda_interpreter_tests(<test>...) for tests that load the built libraries
# into Python or Java.

# Python keeps the modules that it compiled in the build tree: the folders of the sources stay clean. It must keep them: ./dev has pip
# compile none, and each process would compile all that it imports.
set(PYCUDA_PYTHON_ENVIRONMENT PYTHONDONTWRITEBYTECODE=unset: PYTHONPYCACHEPREFIX=set:${CMAKE_BINARY_DIR}/pycache)
if(PYCUDA_PATIENCE GREATER 1)
  list(APPEND PYCUDA_PYTHON_ENVIRONMENT PYCUDA_PATIENCE=set:${PYCUDA_PATIENCE})
endif()
set(PYCUDA_INTERPRETER_ENVIRONMENT ${PYCUDA_PYTHON_ENVIRONMENT})
if(Python3_SOABI MATCHES "^cpython-313t")
  add_library(no_yield SHARED ${CMAKE_CURRENT_SOURCE_DIR}/no_yield.cpp)
  list(APPEND PYCUDA_INTERPRETER_ENVIRONMENT LD_PRELOAD=path_list_append:$<TARGET_FILE:no_yield>)
endif()
# The interpreters are not built with sanitizers, but load what is. Java runs without the thread sanitizer, which does
# not know how the JVM orders its threads.
if(PYCUDA_SANITIZE MATCHES "address|thread")
  # The runtime must be in a process before everything else, and libstdc++ with it, in which it looks for what throws.
  if(PYCUDA_SANITIZE MATCHES address)
    set(runtime asan)
  else()
    set(runtime tsan)
  endif()
  foreach(name ${runtime}.so stdc++.so.6)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name} OUTPUT_VARIABLE file
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH ${file} file)
    list(APPEND PYCUDA_INTERPRETER_ENVIRONMENT LD_PRELOAD=path_list_append:${file})
  endforeach()

  # Not in the compilers that they start: CUDA's cicc crashes with another allocator.
  set(compilers ${CMAKE_BINARY_DIR}/compilers)
  if(PYCUDA_NVCC)
    file(CONFIGURE OUTPUT ${compilers}/nvcc CONTENT "#!/bin/sh\nunset LD_PRELOAD\nexec '@PYCUDA_NVCC@' \"$@\"\n" @ONLY)
    file(CHMOD ${compilers}/nvcc FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()

  # Python allocates each object by malloc, not from its own pools. Leaks of interpreters are not reported, a JVM handles its own signals, and
  # tests request more memory than the machine has.
  list(APPEND PYCUDA_INTERPRETER_ENVIRONMENT PATH=path_list_prepend:${compilers} PYTHONMALLOC=set:malloc
       ASAN_OPTIONS=path_list_append:detect_leaks=0:handle_segv=0:allow_user_segv_handler=1:allocator_may_return_null=1
       TSAN_OPTIONS=path_list_append:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/thread_sanitizer.supp:allocator_may_return_null=1)
endif()

function(pycuda_python_tests)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT_MODIFICATION ${PYCUDA_PYTHON_ENVIRONMENT})
endfunction()

function(pycuda_interpreter_tests)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT_MODIFICATION ${PYCUDA_INTERPRETER_ENVIRONMENT})
endfunction()
