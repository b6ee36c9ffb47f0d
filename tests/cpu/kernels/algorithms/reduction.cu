// Sums, from the classic forms to the newest: shared memory, warps without barriers, shuffles, and one instruction.

// The classic end of a reduction: the last warp without barriers, relying on lockstep and volatile.
template <class T>
__device__ void sum_of_last_warp(volatile T* s, unsigned t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

template <class T>
__device__ void warp_synchronous_sum(const T* in, T* out, int n) {
    __shared__ T s[512];
    const unsigned t = threadIdx.x;
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    s[t] = sum;
    __syncthreads();
    for (unsigned k = 256; k > 32; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) sum_of_last_warp<T>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void warp_synchronous_float(const float* in, float* out, int n) {
    warp_synchronous_sum(in, out, n);
}
extern "C" __global__ void warp_synchronous_double(const double* in, double* out, int n) {
    warp_synchronous_sum(in, out, n);
}
extern "C" __global__ void warp_synchronous_long(const long long* in, long long* out, int n) {
    warp_synchronous_sum(in, out, n);
}

// The block's size is known to the compiler, which unrolls everything.
template <unsigned size>
__device__ float unrolled_sum(float value) {
    __shared__ float s[size];
    s[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (unsigned k = size / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    return s[0];
}
extern "C" __global__ void __launch_bounds__(128, 4) unrolled(const float* in, float* out, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float sum = unrolled_sum<128>((i < n ? in[i] : 0) + (i + 128 < n ? in[i + 128] : 0));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Every block leaves its sum; the last to do so adds all of them.
__device__ unsigned blocks_done;
extern "C" __global__ void last_block_sums(const int* in, long long* sums, long long* total, int n) {
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    __shared__ long long of_warps[32];
    __shared__ bool last;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) of_warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += of_warps[w];
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || warp != 0) return;
    sum = 0;
    for (unsigned b = lane; b < gridDim.x; b += 32) sum += static_cast<volatile long long*>(sums)[b];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) *total = sum;
}

// What sm_80 does in one instruction, by the lanes that are left of an uneven count too.
extern "C" __global__ void reduced_by_instruction(const unsigned* in, unsigned* results, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lanes = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    unsigned* const r = results + 6 * (i / 32);
    const unsigned value = in[i];
    const unsigned sum = __reduce_add_sync(lanes, value), least = __reduce_min_sync(lanes, value),
                   all = __reduce_and_sync(lanes, value), any = __reduce_or_sync(lanes, value),
                   odd = __reduce_xor_sync(lanes, value);
    const int greatest = __reduce_max_sync(lanes, static_cast<int>(value));
    if (i % 32 == 0) r[0] = sum, r[1] = least, r[2] = greatest, r[3] = all, r[4] = any, r[5] = odd;
}

// The greatest value and where it is, first of equals; the result of a block in one 64-bit atomic.
struct Place {
    float value;
    int index;
};
__device__ Place better(Place a, Place b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
}
extern "C" __global__ void greatest_place(const float* in, Place* places, int n) {
    Place best{__int_as_float(0xff800000), 0x7fffffff};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        best = better(best, {in[i], i});
    for (int d = 16; d > 0; d /= 2)
        best = better(best, {__shfl_down_sync(~0u, best.value, d), __shfl_down_sync(~0u, best.index, d)});
    __shared__ Place of_warps[8];
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; ++w) best = better(best, of_warps[w]);
        places[blockIdx.x] = best;
    }
}
