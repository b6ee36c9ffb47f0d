// Half precision and bfloat16, alone and in pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// a * x + y in four ways.
extern "C" __global__ void axpy(float a, const __half* x, __half* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2half(a), x[i], y[i]);
}
extern "C" __global__ void axpy_pairs(float a, const __half2* x, __half2* y, int pairs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}
extern "C" __global__ void axpy_bf16(float a, const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2bfloat16(a), x[i], y[i]);
}
extern "C" __global__ void axpy_bf16_pairs(float a, const __nv_bfloat162* x, __nv_bfloat162* y, int pairs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) y[i] = __hfma2(__float2bfloat162_rn(a), x[i], y[i]);
}

// The dot product of a block's share: products in pairs, sums in single precision through shuffles of pairs.
extern "C" __global__ void dot(const __half2* a, const __half2* b, float* out, int pairs) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        __half2 product = __hmul2(a[i], b[i]);
        product = __hadd2(product, __shfl_xor_sync(__activemask(), product, 0));
        sum += __low2float(product) + __high2float(product);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}

// Comparisons, extremes, classification and arithmetic that saturates.
extern "C" __global__ void choices(const __half2* a, const __half2* b, __half2* out, unsigned* bits, int pairs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    const __half2 x = a[i], y = b[i];
    const __half2 least = __hmin2(x, y), greatest = __hmax2_nan(x, y);
    out[4 * i] = __hsub2(greatest, least);
    out[4 * i + 1] = __hadd2_sat(x, y);
    out[4 * i + 2] = __hfma2_relu(x, y, __hneg2(y));
    out[4 * i + 3] = __halves2half2(__habs(__high2half(x)), hfloor(__low2half(y)));
    bits[i] = __hgt2_mask(x, y) ^ (__hbeq2(x, y) ? 1 : 0) ^ (__hisnan(__low2half(x)) ? 2 : 0) ^
              (__hltu(__high2half(x), __high2half(y)) ? 4 : 0);
}

// Conversions there and back, by every rounding.
extern "C" __global__ void conversions(const float* in, unsigned short* halves, unsigned short* bfloats, int* integers,
                                       float* back, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = in[i];
    const __half h[] = {__float2half_rn(v), __float2half_rz(v), __float2half_ru(v), __float2half_rd(v)};
    const __nv_bfloat16 b[] = {__float2bfloat16_rn(v), __float2bfloat16_rz(v), __float2bfloat16_ru(v),
                               __float2bfloat16_rd(v)};
    for (int k = 0; k < 4; ++k) {
        halves[4 * i + k] = __half_as_ushort(h[k]);
        bfloats[4 * i + k] = __bfloat16_as_ushort(b[k]);
    }
    integers[4 * i] = __half2int_rn(h[0]);
    integers[4 * i + 1] = __half2uint_rz(h[0]);
    integers[4 * i + 2] = __half2short_ru(h[0]) + __bfloat162int_rd(b[0]);
    integers[4 * i + 3] = __half_as_ushort(__int2half_rz(static_cast<int>(v)));
    back[2 * i] = __half2float(h[2]) - __bfloat162float(b[3]);
    back[2 * i + 1] = __double2half(1.0 + v) > __ushort2half_rn(7) ? 1.0f : 0.0f;
}

// Functions, which the hardware approximates or that go through single precision.
extern "C" __global__ void functions(const __half* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const __half x = in[i];
    const __nv_bfloat16 b = __float2bfloat16(__half2float(x));
    float* const o = out + 8 * i;
    o[0] = hexp(x);
    o[1] = hlog(x);
    o[2] = hsin(x);
    o[3] = hsqrt(x);
    o[4] = hrcp(x);
    o[5] = htanh(x);
    o[6] = hexp(b);
    o[7] = hrsqrt(b);
}
