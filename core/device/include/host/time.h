#pragma once
#include <stddef.h>

#include "pycuda-host-only.h"
extern "C++" {
#if __has_include(<cuda/std/ctime>) && __cplusplus >= 201703L
#include <cuda/std/ctime>
#else
typedef long long time_t;
#endif
PYCUDA_HOST_FUNCTION(ctime)
PYCUDA_HOST_FUNCTION(difftime)
PYCUDA_HOST_FUNCTION(gmtime)
PYCUDA_HOST_FUNCTION(localtime)
PYCUDA_HOST_FUNCTION(mktime)
PYCUDA_HOST_FUNCTION(strftime)
PYCUDA_HOST_FUNCTION(time)
namespace std {
using ::clock;
using ::clock_t;
using ::ctime;
using ::difftime;
using ::gmtime;
using ::localtime;
using ::mktime;
using ::strftime;
using ::time;
using ::time_t;
}  // namespace std
}
#define CLOCKS_PER_SEC 1000000L
