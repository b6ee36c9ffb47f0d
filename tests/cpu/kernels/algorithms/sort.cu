// Two sorts: bitonic, and least-significant-digit radix with ballots.

// ---- bitonic: `size` is the length of the sequences being merged, a power of two ------------------------------------

constexpr unsigned tile = 1024;  // elements that a block of tile / 2 threads merges in shared memory

__device__ inline void order(unsigned& a, unsigned& b, bool ascending) {
    if ((a > b) == ascending) {
        const unsigned t = a;
        a = b;
        b = t;
    }
}

__device__ inline void merge_tile(unsigned* s, unsigned first, unsigned size) {
    for (unsigned distance = size / 2 < tile / 2 ? size / 2 : tile / 2; distance > 0; distance /= 2) {
        __syncthreads();
        const unsigned at = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
        order(s[at], s[at + distance], ((first + at) & size) == 0);
    }
}

extern "C" __global__ void __launch_bounds__(tile / 2) bitonic_tiles(unsigned* keys) {
    __shared__ unsigned s[tile];
    const unsigned first = blockIdx.x * tile, t = threadIdx.x;
    s[t] = keys[first + t];
    s[t + tile / 2] = keys[first + t + tile / 2];
    for (unsigned size = 2; size <= tile; size *= 2) merge_tile(s, first, size);
    __syncthreads();
    keys[first + t] = s[t];
    keys[first + t + tile / 2] = s[t + tile / 2];
}

extern "C" __global__ void bitonic_step(unsigned* keys, unsigned size, unsigned distance) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned at = 2 * t - (t & (distance - 1));
    order(keys[at], keys[at + distance], (at & size) == 0);
}

extern "C" __global__ void __launch_bounds__(tile / 2) bitonic_merge(unsigned* keys, unsigned size) {
    __shared__ unsigned s[tile];
    const unsigned first = blockIdx.x * tile, t = threadIdx.x;
    s[t] = keys[first + t];
    s[t + tile / 2] = keys[first + t + tile / 2];
    merge_tile(s, first, size);
    __syncthreads();
    keys[first + t] = s[t];
    keys[first + t + tile / 2] = s[t + tile / 2];
}

// ---- radix: digits of 4 bits, one key a thread, blocks of 256 -------------------------------------------------------

constexpr unsigned radix = 16, warps = 8;

__device__ inline unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

// The lanes of this warp whose digit is this lane's; lanes without a key are in no set.
__device__ inline unsigned peers_of(unsigned digit, bool live) {
    unsigned peers = __ballot_sync(~0u, live);
#pragma unroll
    for (int bit = 0; bit < 4; ++bit) {
        const bool set = digit >> bit & 1;
        const unsigned with = __ballot_sync(~0u, set);
        peers &= set ? with : ~with;
    }
    return live ? peers : 0;
}

// How often each digit occurs in each warp.
__device__ void count_digits(unsigned (*counts)[warps], unsigned digit, unsigned peers) {
    for (unsigned i = threadIdx.x; i < radix * warps; i += blockDim.x) counts[i / warps][i % warps] = 0;
    __syncthreads();
    if (peers && !(peers & lanes_below())) counts[digit][threadIdx.x / 32] = __popc(peers);
    __syncthreads();
}

extern "C" __global__ void radix_count(const unsigned* keys, unsigned* totals, unsigned n, unsigned shift) {
    __shared__ unsigned counts[radix][warps];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned digit = i < n ? keys[i] >> shift & 15 : 0;
    count_digits(counts, digit, peers_of(digit, i < n));
    if (threadIdx.x < radix) {
        unsigned sum = 0;
        for (unsigned w = 0; w < warps; ++w) sum += counts[threadIdx.x][w];
        totals[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    }
}

// Exclusive sums of everything, by one block of 1024 threads.
extern "C" __global__ void exclusive_sums(unsigned* values, unsigned n) {
    __shared__ unsigned sums[32];
    unsigned carry = 0;
    for (unsigned first = 0; first < n; first += 1024) {
        const unsigned i = first + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const unsigned value = i < n ? values[i] : 0;
        unsigned sum = value;
        for (unsigned d = 1; d < 32; d *= 2) {
            const unsigned lower = __shfl_up_sync(~0u, sum, d);
            if (lane >= d) sum += lower;
        }
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            unsigned of_warps = sums[lane];
            for (unsigned d = 1; d < 32; d *= 2) {
                const unsigned lower = __shfl_up_sync(~0u, of_warps, d);
                if (lane >= d) of_warps += lower;
            }
            sums[lane] = of_warps;
        }
        __syncthreads();
        if (i < n) values[i] = carry + sum - value + (warp ? sums[warp - 1] : 0);
        carry += sums[31];
        __syncthreads();
    }
}

extern "C" __global__ void radix_scatter(const unsigned* keys, const unsigned* values, unsigned* keys_out,
                                         unsigned* values_out, const unsigned* starts, unsigned n, unsigned shift) {
    __shared__ unsigned counts[radix][warps];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned key = i < n ? keys[i] : 0, digit = key >> shift & 15;
    const unsigned peers = peers_of(digit, i < n);
    count_digits(counts, digit, peers);
    if (i >= n) return;
    unsigned to = starts[digit * gridDim.x + blockIdx.x] + __popc(peers & lanes_below());
    for (unsigned w = 0; w < threadIdx.x / 32; ++w) to += counts[digit][w];
    keys_out[to] = key;
    values_out[to] = values[i];
}
