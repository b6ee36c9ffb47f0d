#pragma once
#include <stddef.h>

#include "pycuda-host-only.h"
extern "C++" {
PYCUDA_HOST_FUNCTION(memchr)
PYCUDA_HOST_FUNCTION(memcmp)
PYCUDA_HOST_FUNCTION(memmove)
PYCUDA_HOST_FUNCTION(strcat)
PYCUDA_HOST_FUNCTION(strchr)
PYCUDA_HOST_FUNCTION(strcmp)
PYCUDA_HOST_FUNCTION(strcpy)
PYCUDA_HOST_FUNCTION(strerror)
PYCUDA_HOST_FUNCTION(strlen)
PYCUDA_HOST_FUNCTION(strncat)
PYCUDA_HOST_FUNCTION(strncmp)
PYCUDA_HOST_FUNCTION(strncpy)
PYCUDA_HOST_FUNCTION(strrchr)
PYCUDA_HOST_FUNCTION(strstr)
PYCUDA_HOST_FUNCTION(strtok)
namespace std {
using ::memchr;
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::strcat;
using ::strchr;
using ::strcmp;
using ::strcpy;
using ::strerror;
using ::strlen;
using ::strncat;
using ::strncmp;
using ::strncpy;
using ::strrchr;
using ::strstr;
using ::strtok;
}  // namespace std
}
