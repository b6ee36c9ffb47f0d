// Cooperative groups: tiles, coalesced and labelled groups, copies by a group, and the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int* in, int* sums, int* maxima, int* ranks, int* prefixes) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int i = blockIdx.x * blockDim.x + block.thread_rank();
    sums[i] = cg::reduce(tile, in[i], cg::plus<int>());
    maxima[i] = cg::reduce(cg::tiled_partition<32>(block), in[i], cg::greater<int>());
    prefixes[i] = cg::exclusive_scan(cg::tiled_partition<16>(block), in[i]);
    ranks[i] = -1;
    if (in[i] % 3 == 0) {
        const cg::coalesced_group group = cg::coalesced_threads();
        ranks[i] = group.thread_rank() * 100 + group.size();
    }
}

// Lanes with the same label add their values; lanes above the mean of their tile are counted.
extern "C" __global__ void labelled(const int* in, int* sums, int* above) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    const auto same = cg::labeled_partition(tile, value & 3);
    sums[i] = cg::reduce(same, value, cg::plus<int>());
    const int total = cg::reduce(tile, value, cg::plus<int>());
    const auto side = cg::binary_partition(tile, 32 * value > total);
    above[i] = side.size() * 100 + side.thread_rank();
}

// Groups of two and of four warps, which meet in shared memory that the system keeps for them.
extern "C" __global__ void tiles_of_warps(const int* in, int* sums, int* prefixes) {
    const cg::thread_block block = cg::this_thread_block();
    const auto pair = cg::tiled_partition<64>(block);
    const auto four = cg::tiled_partition<128>(block);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[i] = cg::reduce(pair, in[i], cg::plus<int>()) + 2 * cg::reduce(four, in[i], cg::greater<int>());
    pair.sync();
    prefixes[i] = cg::inclusive_scan(four, in[i]);
}

// The lanes of a warp that want a ticket get it by one atomic.
extern "C" __global__ void tickets(const int* in, int* counter, int* given, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 2) return;
    const cg::coalesced_group group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    given[group.shfl(first, 0) + group.thread_rank()] = i;
}

extern "C" __global__ void copy_by_group(const float* in, float* out) {
    __shared__ alignas(16) float s[256];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + 256 * blockIdx.x, sizeof(float) * 256);
    cg::wait(block);
    out[256 * blockIdx.x + threadIdx.x] = s[255 - threadIdx.x];
}

// Prefix sums of everything in one launch: sums of blocks, the sum of those by every block, and then the elements.
extern "C" __global__ void grid_prefix_sums(const int* in, int* out, int* sums, int n) {
    const cg::grid_group grid = cg::this_grid();
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    __shared__ int of_warps[32];
    const int rank = grid.thread_rank(), share = (n + grid.size() - 1) / grid.size();
    const int begin = min(n, rank * share), end = min(n, begin + share);
    int sum = 0;
    for (int i = begin; i < end; ++i) sum += in[i];
    const int inclusive = cg::inclusive_scan(warp, sum);
    if (warp.thread_rank() == 31) of_warps[warp.meta_group_rank()] = inclusive;
    block.sync();
    int before = inclusive - sum;
    for (int w = 0; w < warp.meta_group_rank(); ++w) before += of_warps[w];
    if (block.thread_rank() == block.size() - 1) sums[blockIdx.x] = before + sum;
    grid.sync();
    for (int b = 0; b < blockIdx.x; ++b) before += sums[b];
    for (int i = begin; i < end; ++i) out[i] = before += in[i];
}

// Jacobi iterations with a grid barrier between them; the values stay multiples of a power of two.
extern "C" __global__ void grid_iterations(float* a, float* b, int n, int rounds) {
    const cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; ++r) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = 0.5f * a[i] + 0.25f * (a[i ? i - 1 : n - 1] + a[i + 1 < n ? i + 1 : 0]);
        grid.sync();
        float* const t = a;
        a = b;
        b = t;
    }
}
