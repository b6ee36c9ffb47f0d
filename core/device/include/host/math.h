#pragma once
#include "pycuda-host-only.h"
#include "pycuda-traits.h"

/// The functions themselves are NVRTC's own.
extern "C++" {
PYCUDA_HOST_FUNCTION(fpclassify)
PYCUDA_HOST_FUNCTION(isgreater)
PYCUDA_HOST_FUNCTION(isgreaterequal)
PYCUDA_HOST_FUNCTION(isless)
PYCUDA_HOST_FUNCTION(islessequal)
PYCUDA_HOST_FUNCTION(islessgreater)
PYCUDA_HOST_FUNCTION(isnormal)
PYCUDA_HOST_FUNCTION(isunordered)
PYCUDA_HOST_FUNCTION(nexttoward)

// As for the host, an integer counts as a double.
#define PYCUDA_OF_INTEGER(name)                                                          \
    template <class Integer, typename pycuda_traits::if_integer<Integer, int>::type = 0> \
    __device__ double name(Integer x) {                                                  \
        return name(static_cast<double>(x));                                             \
    }
PYCUDA_OF_INTEGER(acos)
PYCUDA_OF_INTEGER(acosh)
PYCUDA_OF_INTEGER(asin)
PYCUDA_OF_INTEGER(asinh)
PYCUDA_OF_INTEGER(atan)
PYCUDA_OF_INTEGER(atanh)
PYCUDA_OF_INTEGER(cbrt)
PYCUDA_OF_INTEGER(ceil)
PYCUDA_OF_INTEGER(cos)
PYCUDA_OF_INTEGER(cosh)
PYCUDA_OF_INTEGER(erf)
PYCUDA_OF_INTEGER(erfc)
PYCUDA_OF_INTEGER(exp)
PYCUDA_OF_INTEGER(exp2)
PYCUDA_OF_INTEGER(expm1)
PYCUDA_OF_INTEGER(fabs)
PYCUDA_OF_INTEGER(floor)
PYCUDA_OF_INTEGER(lgamma)
PYCUDA_OF_INTEGER(log)
PYCUDA_OF_INTEGER(log10)
PYCUDA_OF_INTEGER(log1p)
PYCUDA_OF_INTEGER(log2)
PYCUDA_OF_INTEGER(logb)
PYCUDA_OF_INTEGER(nearbyint)
PYCUDA_OF_INTEGER(rint)
PYCUDA_OF_INTEGER(round)
PYCUDA_OF_INTEGER(sin)
PYCUDA_OF_INTEGER(sinh)
PYCUDA_OF_INTEGER(sqrt)
PYCUDA_OF_INTEGER(tan)
PYCUDA_OF_INTEGER(tanh)
PYCUDA_OF_INTEGER(tgamma)
PYCUDA_OF_INTEGER(trunc)
#undef PYCUDA_OF_INTEGER
template <class Integer, typename pycuda_traits::if_integer<Integer, int>::type = 0>
__device__ double pow(Integer x, Integer y) {
    return pow(static_cast<double>(x), static_cast<double>(y));
}
typedef float float_t;
typedef double double_t;
namespace std {
using ::abs;
using ::acos;
using ::acosf;
using ::acosh;
using ::acoshf;
using ::asin;
using ::asinf;
using ::asinh;
using ::asinhf;
using ::atan;
using ::atan2;
using ::atan2f;
using ::atanf;
using ::atanh;
using ::atanhf;
using ::cbrt;
using ::cbrtf;
using ::ceil;
using ::ceilf;
using ::copysign;
using ::copysignf;
using ::cos;
using ::cosf;
using ::cosh;
using ::coshf;
using ::erf;
using ::erfc;
using ::erfcf;
using ::erff;
using ::exp;
using ::exp2;
using ::exp2f;
using ::expf;
using ::expm1;
using ::expm1f;
using ::fabs;
using ::fabsf;
using ::fdim;
using ::fdimf;
using ::floor;
using ::floorf;
using ::fma;
using ::fmaf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::fmod;
using ::fmodf;
using ::fpclassify;
using ::frexp;
using ::frexpf;
using ::hypot;
using ::hypotf;
using ::ilogb;
using ::ilogbf;
using ::isfinite;
using ::isgreater;
using ::isgreaterequal;
using ::isinf;
using ::isless;
using ::islessequal;
using ::islessgreater;
using ::isnan;
using ::isnormal;
using ::isunordered;
using ::ldexp;
using ::ldexpf;
using ::lgamma;
using ::lgammaf;
using ::llrint;
using ::llrintf;
using ::llround;
using ::llroundf;
using ::log;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::log2;
using ::log2f;
using ::logb;
using ::logbf;
using ::logf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::modf;
using ::modff;
using ::nearbyint;
using ::nearbyintf;
using ::nextafter;
using ::nextafterf;
using ::nexttoward;
using ::pow;
using ::powf;
using ::remainder;
using ::remainderf;
using ::remquo;
using ::remquof;
using ::rint;
using ::rintf;
using ::round;
using ::roundf;
using ::scalbln;
using ::scalblnf;
using ::scalbn;
using ::scalbnf;
using ::signbit;
using ::sin;
using ::sinf;
using ::sinh;
using ::sinhf;
using ::sqrt;
using ::sqrtf;
using ::tan;
using ::tanf;
using ::tanh;
using ::tanhf;
using ::tgamma;
using ::tgammaf;
using ::trunc;
using ::truncf;
}  // namespace std
}

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000)
#define HUGE_VALF INFINITY
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
