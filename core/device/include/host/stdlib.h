#pragma once
#include <stddef.h>

#include "pycuda-host-only.h"
extern "C++" {
PYCUDA_HOST_FUNCTION(abort)
PYCUDA_HOST_FUNCTION(atexit)
PYCUDA_HOST_FUNCTION(atof)
PYCUDA_HOST_FUNCTION(atoi)
PYCUDA_HOST_FUNCTION(atol)
PYCUDA_HOST_FUNCTION(bsearch)
PYCUDA_HOST_FUNCTION(calloc)
PYCUDA_HOST_FUNCTION(exit)
PYCUDA_HOST_FUNCTION(getenv)
PYCUDA_HOST_FUNCTION(qsort)
PYCUDA_HOST_FUNCTION(rand)
PYCUDA_HOST_FUNCTION(realloc)
PYCUDA_HOST_FUNCTION(srand)
PYCUDA_HOST_FUNCTION(strtod)
PYCUDA_HOST_FUNCTION(strtol)
PYCUDA_HOST_FUNCTION(strtoul)
PYCUDA_HOST_FUNCTION(system)
namespace std {
using ::abort;
using ::abs;
using ::atexit;
using ::atof;
using ::atoi;
using ::atol;
using ::bsearch;
using ::calloc;
using ::exit;
using ::free;
using ::getenv;
using ::labs;
using ::llabs;
using ::malloc;
using ::qsort;
using ::rand;
using ::realloc;
using ::srand;
using ::strtod;
using ::strtol;
using ::strtoul;
using ::system;
}  // namespace std
}
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
