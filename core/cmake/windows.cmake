# Builds for Windows on Linux, with Debian's clang 19 and lld, mingw-w64's headers, and GCC 12's libstdc++ for them. Compared on Debian 12:
#   a thread-local counter: 3.2 ns, as on Linux (3.1); g++-mingw-w64 12 emulates thread-local variables (43 ns, 92 ns with a destructor)
#   a file of the core (graph.cpp): 4.1 s; g++ 5.4 s; zig c++ (PyPI's ziglang, clang 22 with libc++) 5.8 s, after 5 minutes for its own libraries
# And mingw's GCC does not align the stack for AVX (its bug 54412), which the CPU device's instructions need.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
foreach(tool AR RANLIB STRIP OBJDUMP)
  string(TOLOWER ${tool} name)
  set(CMAKE_${tool} /usr/bin/x86_64-w64-mingw32-${name})
endforeach()
# Windows 10's interfaces, and no macros of its headers that hide std::min or declare everything.
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0A00 -DNOMINMAX -DWIN32_LEAN_AND_MEAN")
# Nothing of the compiler's is needed where the results run. The C++ library itself needs winpthread.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld-19 -static -lpthread")
endforeach()

# What windows_root.sh makes; tools come from this machine.
set(PYCUDA_WINDOWS_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/windows-root)
cmake_path(ABSOLUTE_PATH PYCUDA_WINDOWS_ROOT NORMALIZE)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PYCUDA_WINDOWS_ROOT)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${PYCUDA_WINDOWS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/wine.sh)
set(PYCUDA_WINDOWS_PYTHON 3.11 CACHE STRING "The version of CPython to build for, one of windows_root.sh's")
set(PYCUDA_PYTHON ${PYCUDA_WINDOWS_ROOT}/bin/python${PYCUDA_WINDOWS_PYTHON} CACHE FILEPATH "The Python that tests run with")
set(PYCUDA_JAVA ${PYCUDA_WINDOWS_ROOT}/bin/java CACHE FILEPATH "The java that tests run with")
set(PYCUDA_JNI_INCLUDE_DIR ${PYCUDA_WINDOWS_ROOT}/java/include CACHE PATH "Folder that holds jni.h")
