# Builds for AArch64 Linux on another machine: with Debian's cross compiler, and with Python and Java of an arm64 root (./dev makes it), which
# run under qemu-user as if they were this machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes about objects of compilers before GCC 10, which nothing here is linked with
set(PYCUDA_ARM_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root)
cmake_path(ABSOLUTE_PATH PYCUDA_ARM_ROOT NORMALIZE)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PYCUDA_ARM_ROOT)

# The caller says where to search for interpreters; libraries to link come from the root, tools from this machine.
set(CMAKE_SYSROOT ${PYCUDA_ARM_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# The kernel runs what was built, through binfmt_misc.
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/env)
set(Python3_EXECUTABLE ${PYCUDA_ARM_ROOT}/venv/bin/python CACHE FILEPATH "Python to build for")
set(Python3_INCLUDE_DIR ${PYCUDA_ARM_ROOT}/usr/include/python3.11 CACHE PATH "")
file(GLOB _jdk ${PYCUDA_ARM_ROOT}/usr/lib/jvm/java-17-openjdk-*)
set(PYCUDA_JAVA ${_jdk}/bin/java CACHE FILEPATH "The java that tests run with")
set(PYCUDA_JNI_INCLUDE_DIR ${_jdk}/include CACHE PATH "Folder that holds jni.h")
