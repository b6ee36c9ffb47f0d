# cuda.h and, if it is beside it, NVTX, which is header-only: the driver is opened at run time.
# Looked for in a toolkit, then in pip's nvidia-cuda-runtime: of the environment that a wheel is built in (which is in
# CMAKE_PREFIX_PATH), or of the project's virtual environment.
if(TARGET pycuda::cuda_headers)
  return()
endif()
file(GLOB _pip_cuda LIST_DIRECTORIES true
     ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/include)
find_path(PYCUDA_CUDA_INCLUDE_DIR cuda.h
  HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include
  PATHS /usr/local/cuda/include ${_pip_cuda}
  PATH_SUFFIXES nvidia/cu13/include
  DOC "Folder that holds cuda.h (CUDA 13)"
  NO_CMAKE_SYSTEM_PATH)
if(NOT PYCUDA_CUDA_INCLUDE_DIR)
  message(FATAL_ERROR "cuda.h was not found. Install CUDA 13's headers (in this project's own tree: ./dev setup), "
                      "or set -DPYCUDA_CUDA_INCLUDE_DIR=<toolkit>/include")
endif()
file(STRINGS ${PYCUDA_CUDA_INCLUDE_DIR}/cuda.h _cuda_version REGEX "^#define CUDA_VERSION ")
string(REGEX REPLACE ".* ([0-9]+)$" "\\1" PYCUDA_CUDA_VERSION "${_cuda_version}")
if(PYCUDA_CUDA_VERSION LESS 13000)
  message(FATAL_ERROR "cuda.h in ${PYCUDA_CUDA_INCLUDE_DIR} is of CUDA ${PYCUDA_CUDA_VERSION}; "
                      "13000 or newer is needed to build (the built package runs with older drivers)")
endif()
add_library(pycuda_cuda_headers INTERFACE)
add_library(pycuda::cuda_headers ALIAS pycuda_cuda_headers)
target_include_directories(pycuda_cuda_headers SYSTEM INTERFACE ${PYCUDA_CUDA_INCLUDE_DIR})
