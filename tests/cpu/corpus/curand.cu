#include <curand_kernel.h>
#include <curand_mtgp32_kernel.h>
template <class T>
__device__ void go(T* s, float* o, double* d, unsigned* u) {
    T l = s[threadIdx.x];
    curand_init(1234, threadIdx.x, 0, &l);
    o[0] = curand_uniform(&l);
    o[1] = curand_normal(&l);
    o[2] = curand_log_normal(&l, 0, 1);
    d[0] = curand_uniform_double(&l);
    d[1] = curand_normal_double(&l);
    u[0] = curand(&l);
    u[1] = curand_poisson(&l, 3.0);
    skipahead(100ull, &l);
    s[threadIdx.x] = l;
}
__global__ void xor_(curandStateXORWOW* s, float* o, double* d, unsigned* u) {
    go(s, o, d, u);
}
__global__ void mrg(curandStateMRG32k3a* s, float* o, double* d, unsigned* u) {
    go(s, o, d, u);
}
__global__ void phi(curandStatePhilox4_32_10_t* s, float* o, double* d, unsigned* u) {
    go(s, o, d, u);
    float4 f = curand_normal4(s);
    o[7] = f.x + f.w;
}
__global__ void sob(curandStateSobol32* s, unsigned* v, float* o) {
    curand_init(v, 0, &s[0]);
    o[0] = curand_uniform(s);
    o[1] = curand_normal(s);
}
__global__ void sob64(curandStateScrambledSobol64* s, unsigned long long* v, float* o) {
    curand_init((curandDirectionVectors64_t*)v ? *(curandDirectionVectors64_t*)v : 0, 1, 0, &s[0]);
    o[0] = curand_uniform(s);
}
__global__ void mt(curandStateMtgp32* s, float* o) {
    o[threadIdx.x] = curand_uniform(s);
}
