#include <cassert>
#include <cstdio>
__global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void dbl(double* a, const double* b, int n) {
    int i = threadIdx.x;
    a[i] = b[i] / a[i] + sqrt(b[i]) + exp(b[i]) * sin(b[i]) + pow(b[i], a[i]) + log(b[i]) + tgamma(a[i]) + erf(b[i]);
}
__global__ void flt(float* a, const float* b, int n) {
    int i = threadIdx.x;
    a[i] = b[i] / a[i] + sqrtf(b[i]) + expf(b[i]) * sinf(b[i]) + powf(b[i], a[i]) + logf(b[i]) + tanhf(a[i]) +
           rsqrtf(b[i]) + fmodf(a[i], b[i]) + __sinf(a[i]) + __expf(b[i]) + remainderf(a[i], b[i]) +
           atan2f(a[i], b[i]) + rintf(a[i]) + floorf(b[i]) + ceilf(a[i]) + truncf(b[i]) + roundf(a[i]) +
           fmaxf(a[i], b[i]) + copysignf(a[i], b[i]);
}
__global__ void ints(int* a, const int* b, unsigned* c, long long* d, short* e, unsigned char* f,
                     unsigned long long* g) {
    int i = threadIdx.x;
    a[i] = b[i] / a[i] + b[i] % 7 + __popc(b[i]) + __clz(a[i]) + __ffs(b[i]) + __brev(a[i]) + min(a[i], b[i]) +
           abs(b[i]) + __mul24(a[i], b[i]) + __byte_perm(a[i], b[i], i) + __funnelshift_l(a[i], b[i], i) +
           __funnelshift_rc(a[i], b[i], i) + __dp4a(a[i], b[i], i) + __dp2a_lo(a[i], b[i], i) + __mulhi(a[i], b[i]) +
           __sad(a[i], b[i], c[i]) + __hadd(a[i], b[i]) + __rhadd(a[i], b[i]);
    c[i] = c[i] / 3u + __umulhi(c[i], 7) + (c[i] >> i);
    d[i] = d[i] / (b[i] + 1) * a[i] % (b[i] + 3) + __mul64hi(d[i], d[i + 1]) + __clzll(d[i]) + __popcll(d[i]) +
           __brevll(d[i]) + __ffsll(d[i]);
    e[i] = e[i] * e[i + 1] - b[i];
    f[i] = f[i] * 3 + f[i + 1];
    g[i] = g[i] * a[i] / (g[i + 1] + 1);
}
__global__ void simd(unsigned* a, unsigned b, unsigned c) {
    a[0] = __vadd4(a[0], b);
    a[1] = __vsub2(a[1], b);
    a[2] = __vabsdiffu4(a[2], b);
    a[3] = __vmaxs2(a[3], c);
    a[4] = __vsadu4(a[4], b);
    a[5] = __vcmpeq4(a[5], b);
    a[6] = __vavgu4(a[6], b);
    a[7] = __viaddmax_s32(a[0], b, c);
    a[8] = __vimin3_s32(a[1], b, c);
    a[9] = __vibmax_u32(a[1], b, (bool*)&a[30]);
    a[10] = __viaddmax_s16x2_relu(a[0], b, c);
    a[11] = __vhaddu4(a[3], b);
    a[12] = __vaddss4(a[1], b);
}
__global__ void atoms(int* a, unsigned* b, float* c, double* d, unsigned long long* e, unsigned short* f, float4* h,
                      float2* h2) {
    a[9] = atomicAdd(a, 1) + atomicSub(a, 2) + atomicMax(a, 3) + atomicMin(a + 1, 3) + atomicAnd(a, 7) +
           atomicOr(a, 1) + atomicXor(a, 5) + atomicExch(a, 5) + atomicCAS(a, 5, 6);
    b[3] = atomicInc(b, 10) + atomicDec(b, 3) + atomicMax(b, 7);
    c[1] = atomicAdd(c, 1.f) + atomicExch(c + 2, 2.f);
    atomicAdd(d, 2.0);
    atomicAdd(e, 3ull);
    e[4] = atomicCAS(e, 1, 2);
    f[2] = atomicCAS(f, (unsigned short)1, (unsigned short)2);
    atomicAdd_block(a, 3);
    atomicAdd_system(a, 4);
    atomicMax((long long*)e, 5ll);
    __shared__ int s[32];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[1], threadIdx.x);
    __syncthreads();
    a[5] = s[1];
    atomicAdd(h, make_float4(1, 2, 3, 4));
    h[2] = atomicAdd(h + 1, make_float4(1, 2, 3, 4));
    atomicAdd(h2, make_float2(1, 2));
}
__global__ void warp(int* a, float* b) {
    int i = threadIdx.x;
    unsigned m = __activemask();
    a[i] = __shfl_sync(m, a[i], 3) + __shfl_up_sync(m, a[i], 1) + __shfl_down_sync(m, a[i], 2, 16) +
           __shfl_xor_sync(m, a[i], 4) + __ballot_sync(m, a[i] > 3) + __any_sync(m, a[i]) + __all_sync(m, a[i]) +
           __match_any_sync(m, a[i]);
    int p;
    a[i] += __match_all_sync(m, a[i], &p);
    a[i] += p + __reduce_add_sync(m, a[i]) + __reduce_and_sync(m, a[i]) + __reduce_max_sync(m, a[i]);
    b[i] = __shfl_sync(m, b[i], i);
    __syncwarp(m);
    a[i] += __syncthreads_count(a[i]) + __syncthreads_and(a[i] > 2) + __syncthreads_or(a[i] < 9);
    __nanosleep(100);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    a[1] = clock() + clock64();
    unsigned sm;
    asm("mov.u32 %0, %smid;" : "=r"(sm));
    a[2] = sm;
    a[3] = __uni_sync(m, i);
}
__global__ void print(int n) {
    printf("hello %d %f %s\n", n, 1.5, "x");
    assert(n > 0);
    if (n == 3) __trap();
    if (n == 4) __brkpt();
}
extern __shared__ float dyn[];
__constant__ float cf[16] = {1, 2, 3};
__device__ int gi = 5;
__device__ float garr[4][3] = {{1, 2, 3}, {4}};
__device__ int* gp = &gi;
__device__ char str[] = "hello";
__managed__ int man;
struct S {
    int a;
    double b;
    char c[3];
};
__device__ S gs = {1, 2.0, {1, 2, 3}};
__device__ const char* names[] = {"a", "bc"};
__global__ void mem(float* o, S s, int k) {
    dyn[threadIdx.x] = cf[k] + gi + garr[k][1] + *gp + str[k] + man + gs.b + s.b + s.c[k] + names[k][0];
    __syncthreads();
    o[threadIdx.x] = dyn[k];
    float loc[32];
    for (int i = 0; i < 32; i++) loc[i] = o[i];
    o[0] = loc[k];
}
__device__ int (*fp[2])(int);
__device__ __noinline__ int f1(int x) {
    return x + 1;
}
__device__ __noinline__ int f2(int x) {
    return x * 2;
}
__device__ int (*tab[])(int) = {f1, f2};
__device__ __noinline__ int fact(int n) {
    return n < 2 ? 1 : n * fact(n - 1);
}
__device__ __noinline__ S bigret(S s, float4 v) {
    s.a += v.x;
    return s;
}
__global__ void calls(int* a, int k) {
    a[0] = tab[k](a[1]) + fact(a[2]) + fp[k](3);
    S s;
    s.a = k;
    s.b = 2;
    s = bigret(s, make_float4(1, 2, 3, k));
    a[4] = s.a + s.b;
    int* p = (int*)malloc(k);
    p[k] = 1;
    a[7] = p[3];
    free(p);
}
__global__ void sw(int* a, int k) {
    switch (k) {
        case 0:
            a[0] = 1;
            break;
        case 1:
            a[1] = 5;
            a[2] = 3;
            break;
        case 2:
            a[k] = 7;
            break;
        case 3:
            a[4] /= 3;
            break;
        case 4:
            a[5] *= a[6];
            break;
        case 5:
            a[1] = sinf(a[0]);
            break;
        case 6:
            a[8] = 3;
            a[9] = a[1];
            break;
        case 9:
            __syncthreads();
            a[3] = 1;
            break;
    }
    a[11] = 1;
}
__global__ void vec(float4* a, double2* b, uchar4* c, short2* d, longlong2* e, const int4* __restrict__ f) {
    int i = threadIdx.x;
    a[i] = a[i + 1];
    b[i] = b[i + 1];
    c[i] = c[i + 2];
    d[i].x = d[i + 1].y;
    e[i] = e[i + 3];
    a[i].x += f[i].z + __ldg(&f[i].x) + __ldcs(&f[i].x) + __ldcg(&f[i].y);
    __stcs((float*)a, 1.f);
    __stwt((float*)a + 1, 0.f);
}
__global__ void __launch_bounds__(128, 2) lb(int* a) {
    a[0] = alignof(int);
}
__global__ void virt(int* a) {
    struct B {
        __device__ virtual int f() { return 1; }
    };
    struct C : B {
        __device__ int f() override { return 2; }
    };
    B b;
    C c;
    B* p = a[0] ? &b : (B*)&c;
    a[1] = p->f();
}
__global__ void half_fl(float* a, int k) {
    a[0] = __int2float_rz(k) + __float2int_ru(a[1]) + __float2uint_rd(a[1]) + __double2float_rd(a[2]) +
           __fadd_ru(a[1], a[2]) + __fmul_rz(a[1], a[2]) + __fmaf_rd(a[1], a[2], a[3]) + __frcp_rn(a[1]) +
           __fsqrt_ru(a[3]) + __fdividef(a[1], a[2]) + __saturatef(a[1]) + __float_as_int(a[2]) + __ll2float_rn(k) +
           __double2ll_rn(a[0]) + __hiloint2double(k, k) + (char)a[4] + (unsigned short)a[5] + isnan(a[3]) +
           isinf(a[2]) + signbit(a[2]) + (bool)a[7];
}
__global__ void isp(void* p, int* o) {
    o[0] = __isGlobal(p) + __isShared(p) + __isConstant(p) + __isLocal(p);
    o[1] = (int)__cvta_generic_to_shared(p);
}
__global__ void alloc(int* o, int n) {
    int* p = (int*)alloca(n * 4);
    for (int i = 0; i < n; i++) p[i] = i;
    o[0] = p[n / 2];
}
