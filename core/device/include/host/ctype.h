#pragma once
#include "pycuda-host-only.h"
extern "C++" {
PYCUDA_HOST_FUNCTION(isalnum)
PYCUDA_HOST_FUNCTION(isalpha)
PYCUDA_HOST_FUNCTION(isdigit)
PYCUDA_HOST_FUNCTION(islower)
PYCUDA_HOST_FUNCTION(isprint)
PYCUDA_HOST_FUNCTION(isspace)
PYCUDA_HOST_FUNCTION(isupper)
PYCUDA_HOST_FUNCTION(tolower)
PYCUDA_HOST_FUNCTION(toupper)
namespace std {
using ::isalnum;
using ::isalpha;
using ::isdigit;
using ::islower;
using ::isprint;
using ::isspace;
using ::isupper;
using ::tolower;
using ::toupper;
}  // namespace std
}
