// CUB's collectives of a block and of a warp.
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

// 4 neighbouring elements per thread, through a transposition in shared memory; what lies past the end is 0.
constexpr int threads = 128, items = 4, tile = threads * items;
using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
using Store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_TRANSPOSE>;

extern "C" __global__ void inclusive_sums(const int* in, int* out, int* totals, int n) {
    using Scan = cub::BlockScan<int, threads>;
    __shared__ union {
        Load::TempStorage load;
        Scan::TempStorage scan;
        Store::TempStorage store;
    } shared;
    const int first = blockIdx.x * tile, valid = min(tile, n - first);
    int values[items], total;
    Load(shared.load).Load(in + first, values, valid, 0);
    __syncthreads();
    Scan(shared.scan).InclusiveSum(values, values, total);
    __syncthreads();
    Store(shared.store).Store(out + first, values, valid);
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

struct Greater {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

// The greatest value before each element, by the scan that works through raked segments.
extern "C" __global__ void greatest_before(const int* in, int* out, int n) {
    using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_RAKING>;
    __shared__ Scan::TempStorage shared;
    const int i = blockIdx.x * threads + threadIdx.x;
    int value = i < n ? in[i] : 0;
    Scan(shared).ExclusiveScan(value, value, -1000000, Greater());
    if (i < n) out[i] = value;
}

struct Pair {
    float value;
    int index;
};
struct Best {
    __device__ Pair operator()(Pair a, Pair b) const {
        return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
    }
};

extern "C" __global__ void block_sums(const long long* in, long long* sums, Pair* best, int n) {
    using Sum = cub::BlockReduce<long long, 160, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    using Place = cub::BlockReduce<Pair, 160, cub::BLOCK_REDUCE_RAKING>;
    __shared__ Sum::TempStorage for_sum;
    __shared__ Place::TempStorage for_place;
    const int i = blockIdx.x * 160 + threadIdx.x, valid = min(160, n - static_cast<int>(blockIdx.x) * 160);
    const long long value = i < n ? in[i] : 0;
    const long long sum = Sum(for_sum).Sum(value, valid);
    const Pair place = Place(for_place).Reduce(Pair{static_cast<float>(value), i}, Best(), valid);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum, best[blockIdx.x] = place;
}

extern "C" __global__ void sort_pairs(const float* keys, float* sorted, int* places) {
    using Sort = cub::BlockRadixSort<float, threads, items, int>;
    __shared__ Sort::TempStorage shared;
    float mine[items];
    int place[items];
    for (int k = 0; k < items; ++k) {
        place[k] = blockIdx.x * tile + threadIdx.x * items + k;
        mine[k] = keys[place[k]];
    }
    Sort(shared).SortBlockedToStriped(mine, place);
    for (int k = 0; k < items; ++k) {
        sorted[blockIdx.x * tile + k * threads + threadIdx.x] = mine[k];
        places[blockIdx.x * tile + k * threads + threadIdx.x] = place[k];
    }
}

extern "C" __global__ void sort_wide_descending(unsigned long long* keys) {
    using Sort = cub::BlockRadixSort<unsigned long long, threads, items>;
    __shared__ Sort::TempStorage shared;
    unsigned long long mine[items];
    unsigned long long* const first = keys + blockIdx.x * tile + threadIdx.x * items;
    for (int k = 0; k < items; ++k) mine[k] = first[k];
    Sort(shared).SortDescending(mine, 8, 56);
    for (int k = 0; k < items; ++k) first[k] = mine[k];
}

// Where runs of equal values begin, and how often each value occurs, by sorting and by atomics.
extern "C" __global__ void runs(const unsigned char* in, int* heads, unsigned* sorted_bins, unsigned* atomic_bins) {
    using Heads = cub::BlockDiscontinuity<unsigned char, threads>;
    using Sorted = cub::BlockHistogram<unsigned char, threads, items, 256, cub::BLOCK_HISTO_SORT>;
    using Atomic = cub::BlockHistogram<unsigned char, threads, items, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ Heads::TempStorage for_heads;
    __shared__ Sorted::TempStorage for_sorted;
    __shared__ Atomic::TempStorage for_atomic;
    __shared__ unsigned counts[2][256];
    unsigned char values[items], copy[items];
    int flags[items];
    for (int k = 0; k < items; ++k) copy[k] = values[k] = in[blockIdx.x * tile + threadIdx.x * items + k];
    Heads(for_heads).FlagHeads(flags, values, cuda::std::not_equal_to<>());
    Sorted(for_sorted).Histogram(copy, counts[0]);
    Atomic(for_atomic).Histogram(values, counts[1]);
    __syncthreads();
    for (int k = 0; k < items; ++k) heads[blockIdx.x * tile + threadIdx.x * items + k] = flags[k];
    for (int b = threadIdx.x; b < 256; b += threads) {
        sorted_bins[blockIdx.x * 256 + b] = counts[0][b];
        atomic_bins[blockIdx.x * 256 + b] = counts[1][b];
    }
}

// By warps: sums of groups of 8 lanes and of double words.
extern "C" __global__ void warp_collectives(const int* in, int* sums_of_8, double* scanned) {
    using Sum = cub::WarpReduce<int, 8>;
    using Scan = cub::WarpScan<double>;
    __shared__ Sum::TempStorage for_sums[16];
    __shared__ Scan::TempStorage for_scan[4];
    const int i = blockIdx.x * threads + threadIdx.x;
    const int sum = Sum(for_sums[threadIdx.x / 8]).Sum(in[i]);
    if (threadIdx.x % 8 == 0) sums_of_8[i / 8] = sum;
    double running;
    Scan(for_scan[threadIdx.x / 32]).InclusiveSum(in[i] * 0.5, running);
    scanned[i] = running;
}
