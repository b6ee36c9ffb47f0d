// The mathematical library: every function of math_functions.def on its own column of samples.

#define FUNCTION(type, name, reference, low, high, bound) \
    if (function == index++) return name(static_cast<type>(x));

__device__ double value_of(int function, double x) {
    int index = 0;
#include "math_functions.def"
    return 0;
}

extern "C" __global__ void evaluate(int function, const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value_of(function, in[i]);
}

// Functions of two arguments and with two results.
extern "C" __global__ void evaluate_pairs(const double* a, const double* b, float* f, double* d, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = a[i], y = b[i];
    float fs, fc;
    double ds, dc;
    sincosf(x, &fs, &fc);
    sincos(a[i], &ds, &dc);
    int exponent;
    float* const of = f + 8 * i;
    double* const od = d + 8 * i;
    of[0] = powf(fabsf(x), y), od[0] = pow(fabs(a[i]), b[i]);
    of[1] = atan2f(x, y), od[1] = atan2(a[i], b[i]);
    of[2] = hypotf(x, y), od[2] = hypot(a[i], b[i]);
    of[3] = fmodf(x, y), od[3] = fmod(a[i], b[i]);
    of[4] = remainderf(x, y), od[4] = remainder(a[i], b[i]);
    of[5] = x / y, od[5] = a[i] / b[i];
    of[6] = fs - fc, od[6] = ds - dc;
    of[7] = ldexpf(frexpf(x, &exponent), 3) + exponent, od[7] = nextafter(a[i], b[i]) + rint(b[i]) * logb(a[i]);
}
