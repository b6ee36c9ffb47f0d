// Kernels that add to memory and do not look at the result.
extern "C" {

// Adds each value to a 32-bit bin, if there are any, and to a 64-bit bin.
__global__ void bins(const unsigned* values, unsigned* narrow, unsigned long long* wide, unsigned bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (narrow) atomicAdd(&narrow[values[i] % bins], values[i]);
    atomicAdd(&wide[values[i] % bins], values[i] * 0x100000001ull);
}

// Additions, a plain load, a plain store and additions again, of each block at its own number and of all at the last.
__global__ void in_turn(unsigned* counts, unsigned* seen) {
    const int b = blockIdx.x, t = threadIdx.x;
    atomicAdd(&counts[b], 1u);
    atomicAdd(&counts[gridDim.x], 1u);
    __syncthreads();
    if (t == 0) {
        seen[b] = counts[b];
        counts[b] = 1000;
    }
    __syncthreads();
    atomicAdd(&counts[b], 2u);
    atomicAdd(&counts[gridDim.x], 1u);
}

// Lanes of a warp to two allocations, and to shared memory through the same pointer.
__global__ void three_places(unsigned* a, unsigned* b, unsigned* out) {
    __shared__ unsigned s[8];
    const int t = threadIdx.x;
    if (t < 8) s[t] = 0;
    __syncthreads();
    unsigned* const place = t % 3 == 0 ? a : t % 3 == 1 ? b : s;
    atomicAdd(place + t / 6 % 4, 1u);  // pairs have the same address
    __syncthreads();
    if (t < 8) atomicAdd(&out[t], s[t]);
}

// The last one of n additions is one element past the end of the counts.
__global__ void beyond(unsigned* counts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[i < n - 1 ? 0 : n], 1u);
}

// What others see when they see the flag.
__global__ void publish(unsigned* counts, unsigned* flag, unsigned* seen) {
    if (blockIdx.x == 0) {
        atomicAdd(&counts[threadIdx.x], 5u);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(flag, 1u);
    } else {
        while (*(volatile unsigned*)flag == 0) {}
        __threadfence();
        seen[threadIdx.x] = *(volatile unsigned*)&counts[threadIdx.x];
    }
}

}
