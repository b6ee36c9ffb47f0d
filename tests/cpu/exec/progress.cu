// Kernels that end only if the threads are scheduled fairly.
#include <cooperative_groups.h>

extern "C" {

// Lane 0 waits for what lane 1 writes.
__global__ void lane_flag(int* flag, int* out) {
    const int t = threadIdx.x & 31;
    volatile int* f = flag + blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (t == 0) {
        while (*f == 0) {}
    } else if (t == 1) {
        *f = 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = t;
}

// Warp 0 waits for a flag in shared memory that the last warp sets.
__global__ void warp_flag(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0) {}
    } else if (threadIdx.x == blockDim.x - 1) {
        flag = 1;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = flag;
}

// Each block waits for the one before it; the first waits for the last.
__global__ void block_chain(volatile int* flags, int* out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            while (flags[gridDim.x] == 0) {}
            flags[0] = 1;
        } else {
            if (blockIdx.x == gridDim.x - 1) flags[gridDim.x] = 1;
            while (flags[blockIdx.x - 1] == 0) {}
            flags[blockIdx.x] = flags[blockIdx.x - 1] + 1;
        }
        __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = flags[blockIdx.x];
}

// Half of the threads leave before the barrier.
__global__ void early_return(int* out) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    if (t % 2) return;
    s[t] = t * 3;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[(t + 64) % blockDim.x];
}

// The two halves of a warp meet at barriers at different places.
__global__ void divergent_barrier(int* out) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    if (t & 16) {
        s[t] = 2 * t;
        asm volatile("barrier.sync 1;" ::: "memory");
        s[t] += s[t ^ 16];
        asm volatile("barrier.sync 1;" ::: "memory");
    } else {
        s[t] = t;
        asm volatile("barrier.sync 1;" ::: "memory");
        const int other = s[t ^ 16] & ~1;
        asm volatile("barrier.sync 1;" ::: "memory");
        s[t] += other == 2 * (t ^ 16) || other != 0 ? 1000 : 0;
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}

// __syncwarp and shuffles reached from different places.
__global__ void divergent_warp_sync(int* out) {
    __shared__ volatile int s[64];
    const int t = threadIdx.x;
    if (t % 2) {
        s[t] = t;
        __syncwarp();
    } else {
        s[t] = 100 + t;
        __syncwarp();
    }
    int v = s[t ^ 1];
    if (t < 16) v += __shfl_xor_sync(0x0000ffffu, t, 1);
    else v += __shfl_xor_sync(0xffff0000u, 10 * t, 1);
    out[t] = v;
}

__global__ void grid_sync(int* counters, int* out, int rounds) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x == 0) atomicAdd(&counters[r], 1);
        grid.sync();
        if (*(volatile int*)&counters[r] != gridDim.x) atomicExch(out, 1 + r);
    }
}

// One thread of a warp waits at a barrier that the others never reach: a hang on a GPU.
__global__ void impossible_barrier(int* out) {
    if (threadIdx.x == 0) asm volatile("barrier.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

__global__ void endless(volatile int* flag) {
    while (*flag == 0) {}
}

}
