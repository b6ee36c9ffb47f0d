// Counting: histograms in shared memory with atomics, then one atomic a bin; statistics in 64 bits.

extern "C" __global__ void histogram256(const unsigned* words, unsigned count, unsigned* bins) {
    __shared__ unsigned local[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const unsigned word = words[i];
        atomicAdd(&local[word & 255], 1);
        atomicAdd(&local[word >> 8 & 255], 1);
        atomicAdd(&local[word >> 16 & 255], 1);
        atomicAdd(&local[word >> 24], 1);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(&bins[b], local[b]);
}

// One histogram a warp, in dynamic shared memory; the sums are 16 bits wide until a block ends.
extern "C" __global__ void histogram_of_warps(const unsigned char* bytes, unsigned count, unsigned* bins) {
    extern __shared__ unsigned of_warps[];  // 64 counters a warp
    const unsigned warps = blockDim.x / 32;
    for (unsigned b = threadIdx.x; b < 64 * warps; b += blockDim.x) of_warps[b] = 0;
    __syncthreads();
    unsigned* const mine = of_warps + threadIdx.x / 32 * 64;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bytes[i] >> 2], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned sum = 0;
        for (unsigned w = 0; w < warps; ++w) sum += of_warps[64 * w + threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

struct Statistics {
    unsigned long long sum, bits_of_any, bits_of_all, odd;
    long long least, greatest;
    double half_sum;
};

extern "C" __global__ void statistics(const long long* values, unsigned count, Statistics* result) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const long long value = values[i];
    atomicAdd(&result->sum, static_cast<unsigned long long>(value));
    atomicOr(&result->bits_of_any, static_cast<unsigned long long>(value));
    atomicAnd(&result->bits_of_all, static_cast<unsigned long long>(value));
    atomicXor(&result->odd, static_cast<unsigned long long>(value));
    atomicMin(&result->least, value);
    atomicMax(&result->greatest, value);
    atomicAdd(&result->half_sum, 0.5 * static_cast<double>(value >> 32));
}

// The most frequent values of each of 97 classes: a loop around compare-and-swap on 64 bits.
extern "C" __global__ void last_of_class(const unsigned* keys, unsigned count, unsigned long long* best) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned long long* const at = &best[keys[i] % 97];
    const unsigned long long candidate = static_cast<unsigned long long>(keys[i]) << 32 | i;
    unsigned long long seen = *at;
    while (candidate > seen) {
        const unsigned long long before = atomicCAS(at, seen, candidate);
        if (before == seen) break;
        seen = before;
    }
}
