// Scans in a single pass over memory, shared by many blocks.
//$ scan_kernel
$headers$#include <pycuda-arrays.hpp>

$preamble$

typedef $type$ scan_type;
#define SCAN_EXPR(a, b) ($expression$)

// The program's text, in functions of its own, where it cannot clash with names of the kernel.

__device__ __forceinline__ scan_type pycuda_combine(const scan_type& a, const scan_type& b)
{
    return SCAN_EXPR(a, b);
}

__device__ __forceinline__ scan_type pycuda_input($parameters$, size_t i, size_t N)
{
    return $input$;
}
$starts$
__device__ __forceinline__ void pycuda_output($parameters$, size_t i, size_t N, const scan_type& item$prev_item$)
{
    $output$;
}

namespace pycuda_scan {

struct Item {
    scan_type value;
$flag$};

__device__ __forceinline__ Item join(const Item& before, const Item& after)
{
    Item joined = after;
$join$    return joined;
}

/// Element `k` of the scan. Each run of `items` elements of the tile was scanned on its own; the elements before run r
/// add up to before_threads[r]. Nothing comes before the elements below `since`.
__device__ __forceinline__ Item up_to(unsigned k, const pycuda::arrays::Room<Item>* tile,
    const pycuda::arrays::Room<Item>* before_threads, unsigned items, unsigned since)
{
    Item item = tile[k].get();
    if (k >= since) item = join(before_threads[k / items].get(), item);
    return item;
}

extern "C" __global__ void __launch_bounds__($threads$, $blocks$) $name$($own_parameters$, char *scratch, size_t n)
{
    enum { threads = $threads$, items = $items$, ahead = $ahead$, tile_size = threads * items, group = threads - 1 };
    __shared__ pycuda::arrays::Room<Item> tile[tile_size];
    __shared__ pycuda::arrays::Room<Item> sums[2][threads];
    __shared__ unsigned taken;
    const unsigned tid = threadIdx.x;
    const unsigned tiles = $tiles$;
    if (tid == 0) taken = tiles > 1 ? atomicAdd(reinterpret_cast<unsigned*>(scratch), 1u) : blockIdx.x;
    __syncthreads();
    const unsigned block = taken$index$;
    const size_t begin = static_cast<size_t>(tile_index) * tile_size;
    const unsigned count = n - begin < tile_size ? n - begin : tile_size;
$setup$
    // Only the loads are unrolled: compile time grows with the code, and other blocks hide the remaining latency.
    // Adjacent threads load adjacent elements; from shared memory, each thread then takes `items` consecutive ones.
    if (count == tile_size) {
#pragma unroll 1
        for (unsigned k = tid; k < tile_size; k += ahead * threads) {
            Item loaded[ahead];
#pragma unroll
            for (unsigned j = 0; j < ahead; ++j) {
                const size_t i = begin + k + j * threads;
                loaded[j].value = pycuda_input($arguments$, i, n);
$start_loaded$            }
#pragma unroll
            for (unsigned j = 0; j < ahead; ++j) tile[k + j * threads].put(loaded[j]);
        }
    } else {
#pragma unroll 1
        for (unsigned k = tid; k < count; k += threads) {
            const size_t i = begin + k;
            Item item;
            item.value = pycuda_input($arguments$, i, n);
$start$            tile[k].put(item);
        }
    }
    __syncthreads();
    // Each thread scans its own elements. Only the last threads of a tile can be without any.
    const unsigned first = tid * items, end = min(first + items, count);
    Item sum;
#pragma unroll 1
    for (unsigned k = first; k < end; ++k) {
        sum = k > first ? join(sum, tile[k].get()) : tile[k].get();
        tile[k].put(sum);
    }

    // The same loop adds up the sums of earlier threads, then those of earlier tiles. A tile announces the sum of its
    // own elements, except for the last tile of a group, which announces the sum of all elements up to its end. So a
    // tile needs the earlier tiles of its own group, and the last tile of the previous group.
    pycuda::arrays::Announcements<Item> announced(scratch + 16);
    const bool is_last = tile_index % group == group - 1;
    const unsigned asked = tile_index < group ? tile_index : tile_index % group + 1;
    // Many blocks that poll without a pause would delay the answers.
    const unsigned pause = gridDim.x > 1024 ? 600 : 20;
    unsigned used = (count + items - 1) / items, turn = 0;
    Item own, before;
#pragma unroll 1
    for (bool is_own = true;; is_own = false) {
        sums[turn][tid].put(sum);
        __syncthreads();
#pragma unroll 1
        for (unsigned distance = 1; distance < threads; distance *= 2) {
            if (tid >= distance && tid < used) sum = join(sums[turn][tid - distance].get(), sum);
            turn ^= 1;
            sums[turn][tid].put(sum);
            __syncthreads();
        }
        const Item all = sums[turn][used - 1].get();
        if (!is_own) {
            if (tid == 0 && is_last) announced.tell(block, join(all, own));
            before = tid > 0 ? join(all, before) : all;
            break;
        }
        own = all;
        if (tid > 0) before = sums[turn][tid - 1].get();
        if (tid == 0 && tiles > 1 && !is_last) announced.tell(block, own);
        if (asked == 0) break;
        used = asked;
        turn ^= 1;
        pycuda::arrays::rest(3 * pause);  // earlier blocks have not published their results either
        if (tid < used) sum = announced.hear(block - used + tid, pause);
    }
    sums[turn ^ 1][tid].put(before);
    __syncthreads();
    const pycuda::arrays::Room<Item>* const before_threads = sums[turn ^ 1];
    const unsigned since = tile_index > 0 ? 0 : items;
#pragma unroll 1
    for (unsigned k = tid; k < count; k += threads) {
        const size_t i = begin + k;
        const scan_type item = up_to(k, tile, before_threads, items, since).value;
$previous$        pycuda_output($arguments$, i, n, item$given_previous$);
    }
}

}  // namespace pycuda_scan
//$ starts

__device__ __forceinline__ bool pycuda_starts($parameters$, size_t i, size_t N)
{
    return $start$;
}
//$ previous
        scan_type prev_item = $neutral$;
        if (i > 0$unless_start$)
            prev_item = (k > 0 ? up_to(k - 1, tile, before_threads, items, since) : before_threads[0].get()).value;
