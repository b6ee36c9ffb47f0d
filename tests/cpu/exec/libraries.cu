// Device libraries as they are really compiled. libraries.ptx is: nvcc -ptx -arch=compute_90 -std=c++17 libraries.cu
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/barrier>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

extern "C" {

__global__ void block_scan(const int* in, int* out) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage storage;
    int value = in[blockIdx.x * 128 + threadIdx.x];
    Scan(storage).InclusiveSum(value, value);
    out[blockIdx.x * 128 + threadIdx.x] = value;
}

__global__ void block_sort(unsigned* data) {
    using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[4];
    for (int k = 0; k < 4; ++k) keys[k] = data[threadIdx.x * 4 + k];
    Sort(storage).Sort(keys);
    for (int k = 0; k < 4; ++k) data[threadIdx.x * 4 + k] = keys[k];
}

__global__ void tiles(const int* in, int* sums, int* maxima, int* ranks) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int t = block.thread_rank();
    sums[t] = cg::reduce(tile, in[t], cg::plus<int>());
    maxima[t] = cg::reduce(cg::tiled_partition<32>(block), in[t], cg::greater<int>());
    ranks[t] = -1;
    if (in[t] % 3 == 0) {
        const cg::coalesced_group group = cg::coalesced_threads();
        ranks[t] = group.thread_rank() * 100 + group.size();
    }
}

__global__ void aggregate(const int* keys, int* counts) {
    const unsigned mask = __match_any_sync(~0u, keys[threadIdx.x]);
    const int leader = __ffs(mask) - 1;
    if (threadIdx.x % 32 == leader) atomicAdd(&counts[keys[threadIdx.x]], __popc(mask));
}

__global__ void copy_async(const float* in, float* out) {
    __shared__ alignas(16) float s[256];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(float) * 256));
    cg::wait(block);
    out[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void half_math(const float* in, float* out) {
    const int i = threadIdx.x;
    const __half2 v = __floats2half2_rn(in[i], in[i] + 1);
    const __half2 w = __hfma2(v, v, __float2half2_rn(0.5f));
    out[2 * i] = __low2float(__hmax2(w, __hmul2(v, __float2half2_rn(3))));
    out[2 * i + 1] = __half2float(hsqrt(__high2half(w)));
}

__global__ void vote_kinds(const int* in, unsigned* out) {
    const int t = threadIdx.x;
    const bool p = in[t] > 5;
    unsigned r = __ballot_sync(~0u, p);
    r += __any_sync(~0u, in[t] == 7) * 3 + __all_sync(~0u, in[t] < 100) * 5;
    int same;
    r ^= __match_all_sync(~0u, in[0], &same) * 7 + same;
    r += __reduce_xor_sync(~0u, in[t]) + __reduce_max_sync(~0u, in[t]);
    r += __shfl_up_sync(~0u, in[t], 3) + 10 * __shfl_down_sync(~0u, in[t], 5, 16) + 100 * __shfl_sync(~0u, in[t], t * 7, 8);
    out[t] = r;
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* w, float* f, double* d, __half2* h) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&i[0], t);
    atomicMin(&i[1], -t);
    atomicMax(&i[2], t);
    atomicXor(&u[0], 1u << (t % 32));
    atomicOr(&u[1], 1u << (t % 32));
    atomicAnd(&u[2], ~(1u << (t % 7)));
    atomicInc(&u[3], 99);
    atomicAdd(&w[0], 1ull << 33);
    atomicMax(&w[1], (unsigned long long)t << 35);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
    atomicAdd(h, __floats2half2_rn(1, 2));
    __shared__ unsigned s[2];
    if (threadIdx.x < 2) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(&s[0], 2);
    const unsigned old = atomicCAS(&s[1], 0u, threadIdx.x + 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&u[4], s[0]);
    if (old == 0) atomicAdd(&u[5], s[1] == threadIdx.x + 1);
}

}
