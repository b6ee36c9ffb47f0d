#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
__global__ void h(__half* a, __half2* b, __nv_bfloat16* c, __nv_bfloat162* d, float* f, int* n) {
    int i = threadIdx.x;
    a[i] = a[i] * a[i + 1] + a[i + 2];
    b[i] = __hfma2(b[i], b[i + 1], b[i + 2]);
    c[i] = c[i] * c[i + 1] + c[i + 2];
    d[i] = __hfma2(d[i], d[i + 1], d[i + 2]);
    a[i] += hsqrt(a[i]) + hexp(a[i]) + hlog(a[i]) + hsin(a[i]) + hrcp(a[i]) + htanh(a[i]) + hfloor(a[i]) +
            __habs(a[i]) + __hmax(a[i], a[i + 1]) + __hmin_nan(a[i], a[i + 1]) + __hadd_sat(a[i], a[i]) +
            __hfma_relu(a[i], a[i], a[i]);
    b[i] = h2exp(b[i]) + h2sqrt(b[i]) + h2rcp(b[i]) + __hmax2(b[i], b[i + 1]) + __heq2(b[i], b[i + 1]);
    c[i] += hsqrt(c[i]) + hexp(c[i]) + hlog(c[i]) + hsin(c[i]);
    f[i] = __half2float(a[i]) + __bfloat162float(c[i]) + __low2float(b[i]) + (float)(a[i] > a[i + 1]) +
           (float)__hisnan(a[i]);
    n[i] = __half2int_rn(a[i]) + __half2uint_rz(a[i]) + __half2short_rd(a[i]) + (int)__half2ll_rn(a[i]) +
           __hgt(a[i], a[i + 1]) + __hbeq2(b[i], b[i + 1]) + __half_as_short(a[i]) + __heq2_mask(b[i], b[i + 1]) +
           __bfloat162int_rn(c[i]) + (c[i] < c[i + 1]);
    a[i] += __float2half(f[i]) + __double2half(2.0 * f[i]) + __int2half_rn(n[i]) + __short2half_rz(3) +
            __uint2half_ru(n[i]) + __ll2half_rn(n[i]);
    c[i] += __float2bfloat16(f[i]) + __int2bfloat16_rn(n[i]) + __double2bfloat16(f[i]);
    atomicAdd(a, a[i]);
    atomicAdd(b, b[i]);
    atomicAdd(c, c[i]);
    atomicAdd(d, d[i]);
    b[i + 1] = __float22half2_rn(make_float2(f[i], f[i + 1]));
    d[i + 1] = __float22bfloat162_rn(make_float2(f[i], f[i + 1]));
    a[i] = __shfl_sync(~0u, a[i], 2);
    b[i] = __shfl_xor_sync(~0u, b[i], 1);
    a[i + 4] = __ldg(a + i);
}
__global__ void f8(__nv_fp8_e4m3* a, __nv_fp8_e5m2* b, float* f, __half* h, double* d, int* n, __nv_fp8x4_e4m3* q) {
    a[0] = __nv_fp8_e4m3(f[0]);
    f[1] = (float)a[1];
    b[0] = __nv_fp8_e5m2(h[0]);
    h[1] = (__half)b[1];
    a[2] = __nv_fp8_e4m3(d[0]);
    n[0] = (int)a[0];
    q[0] = __nv_fp8x4_e4m3(make_float4(f[0], f[1], f[2], f[3]));
    float4 r = (float4)q[1];
    f[3] = r.x + r.w;
}
