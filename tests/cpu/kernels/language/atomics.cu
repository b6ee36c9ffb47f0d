// Atomics of every type, as functions of the language and as objects of libcu++.
#include <cuda/atomic>
#include <cuda_fp16.h>

extern "C" __global__ void functions(int* i, unsigned* u, unsigned long long* w, float* f, double* d, __half2* h) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&i[0], t);
    atomicMin(&i[1], -t);
    atomicMax(&i[2], t);
    atomicSub(&i[3], 3);
    atomicXor(&u[0], 1u << (t % 32));
    atomicOr(&u[1], 1u << (t % 32));
    atomicAnd(&u[2], ~(1u << (t % 7)));
    atomicInc(&u[3], 99);
    atomicDec(&u[4], 41);
    atomicAdd(&w[0], 1ull << 33);
    atomicMax(&w[1], static_cast<unsigned long long>(t) << 35);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
    atomicAdd(h, __floats2half2_rn(1, 2));
    __shared__ unsigned s[2];
    if (threadIdx.x < 2) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(&s[0], 2);
    const unsigned old = atomicCAS(&s[1], 0u, threadIdx.x + 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd_system(&u[5], s[0]);
    if (old == 0) atomicAdd(&u[6], s[1] == threadIdx.x + 1);
    atomicExch(&w[2], 5ull);
}

// A product, which no instruction computes: the loop around compare-and-exchange that fetch-and-modify is made of.
extern "C" __global__ void objects(unsigned* product, int* least, long long* sum, float* total, unsigned* flags) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> p(*product);
    unsigned seen = p.load(cuda::memory_order_relaxed);
    while (!p.compare_exchange_weak(seen, seen * (2 * t + 1), cuda::memory_order_acq_rel)) {}
    cuda::atomic_ref<int, cuda::thread_scope_system>(*least).fetch_min(-t, cuda::memory_order_relaxed);
    cuda::atomic_ref<long long, cuda::thread_scope_device>(*sum).fetch_add(t - 7ll, cuda::memory_order_relaxed);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*total).fetch_add(1.0f, cuda::memory_order_relaxed);

    // A message: what the flag's writer wrote before is visible to threads that have seen the flag.
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ready;
    __shared__ int message[32];
    if (threadIdx.x == 0) new (&ready) cuda::atomic<int, cuda::thread_scope_block>(0);
    __syncthreads();
    if (threadIdx.x < 32) {
        message[threadIdx.x] = t + 5;
        __syncwarp();
        if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        const int from = threadIdx.x % 32;
        if (message[from] == static_cast<int>(blockIdx.x * blockDim.x) + from + 5) atomicAdd(flags, 1);
    }
}
