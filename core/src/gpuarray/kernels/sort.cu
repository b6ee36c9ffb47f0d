// Rank sort for short rows, radix sort for long ones, and operations on sorted arrays.
//$ common
//$     ordered() maps keys of every type to unsigned integers of the same size, in the same order.
typedef $bits$ Bits;

__device__ __forceinline__ Bits ordered(Bits bits)
{
$order$    return bits;
}

__device__ __forceinline__ unsigned digit_of(Bits key, unsigned shift)
{
    return static_cast<unsigned>(ordered(key) >> shift) & 255;
}
//$ ranks

extern "C" __global__ void __launch_bounds__(128) $name$(Bits* keys_to, const Bits* keys_from, long long* indices_to,
    const pycuda::arrays::WideDivisor rows, unsigned long long n)
{
    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
    if (i >= n) return;
    const unsigned long long row = rows.divide(i) * rows.size;
    const unsigned index = i - row, length = rows.size;
    keys_from += row;
    const Bits own = keys_from[index], key = ordered(own);
    unsigned rank = 0;
#pragma unroll 2
    for (unsigned k = 0; k < length; ++k) {
        const Bits other = ordered(keys_from[k]);
        rank += (other < key) | ((other == key) & (k < index));
    }
    if (keys_to) keys_to[row + rank] = own;
    if (indices_to) indices_to[row + rank] = index;
}
//$ counts

extern "C" __global__ void __launch_bounds__(256) $name$(const Bits* keys, unsigned* counts, unsigned length,
    unsigned tiles, unsigned shift)
{
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    const unsigned row = blockIdx.x / tiles, tile = blockIdx.x - row * tiles, begin = tile * $tile$;
    const unsigned here = length - begin < $tile$ ? length - begin : $tile$;
    keys += static_cast<unsigned long long>(row) * length + begin;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < here; i += 256) atomicAdd(&count[digit_of(keys[i], shift)], 1u);
    __syncthreads();
    counts[(row * 256ull + threadIdx.x) * tiles + tile] = count[threadIdx.x];
}
//$ moves
//$     A tile is put in order in shared memory first, so that keys with the same digit leave it as adjacent stores.

extern "C" __global__ void __launch_bounds__(256) $name$(Bits* keys_to, const Bits* keys_from, const unsigned* sums,
    unsigned length, unsigned tiles, unsigned shift$indices_parameters$)
{
    enum { items = $items$ };
    __shared__ union {
        unsigned present[8][256];  // per warp and digit: which lanes have it
        Bits keys[$tile$];
        unsigned indices[$tile$];
    } shared;
    __shared__ unsigned before[8][256];  // per warp and digit: keys so far, then where its keys begin in the tile
    __shared__ unsigned starts[256];     // per digit: where its keys begin in the row, less where they begin in the tile
    __shared__ unsigned long long totals[8];
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32, first = warp * items * 32 + lane;
    const unsigned row = blockIdx.x / tiles, tile = blockIdx.x - row * tiles, begin = tile * $tile$;
    const unsigned here = length - begin < $tile$ ? length - begin : $tile$;
    const unsigned long long row_begin = static_cast<unsigned long long>(row) * length;
    keys_to += row_begin;
    keys_from += row_begin + begin + first;
    Bits own[items];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) own[k] = first + k * 32 < here ? keys_from[k * 32] : Bits(0);
#pragma unroll
    for (unsigned k = lane; k < 256; k += 32) before[warp][k] = shared.present[warp][k] = 0;
    __syncwarp();

    // Each warp ranks its keys, which are adjacent, among those with the same digit. Equal keys keep their order.
    unsigned rank[items];  // the digit and the rank, then the index in the tile
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        const bool exists = first + k * 32 < here;
        const unsigned digit = digit_of(own[k], shift);
        unsigned& present = shared.present[warp][digit];
        if (exists) atomicOr(&present, 1u << lane);
        __syncwarp();
        const unsigned same = present, earlier = __popc(same & ((1u << lane) - 1));
        rank[k] = digit << 16 | (before[warp][digit] + earlier);
        __syncwarp();
        if (exists && earlier == 0) {
            present = 0;
            before[warp][digit] += __popc(same);
        }
        __syncwarp();
    }
    __syncthreads();

    // One digit per thread. In the row, its keys begin after all keys with smaller digits and after those of earlier tiles.
    sums += (row * 256ull + tid) * tiles;
    const unsigned in_row = sums[tiles - 1], earlier_tiles = tile > 0 ? sums[tile - 1] : 0;
    unsigned in_tile = 0;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
        const unsigned of_warp = before[k][tid];
        before[k][tid] = in_tile;
        in_tile += of_warp;
    }
    unsigned long long both = static_cast<unsigned long long>(in_row) << 32 | in_tile;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned long long other = __shfl_up_sync(0xffffffffu, both, distance);
        if (lane >= distance) both += other;
    }
    if (lane == 31) totals[warp] = both;
    __syncthreads();
    for (unsigned k = 0; k < warp; ++k) both += totals[k];
    const unsigned tile_start = static_cast<unsigned>(both) - in_tile;
    starts[tid] = static_cast<unsigned>(both >> 32) - in_row + earlier_tiles - tile_start;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) before[k][tid] += tile_start;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        rank[k] = before[warp][rank[k] >> 16] + (rank[k] & 0xffff);
        if (first + k * 32 < here) shared.keys[rank[k]] = own[k];
    }
    __syncthreads();
    unsigned to[items];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        const unsigned i = tid + k * 256;
        if (i < here) {
            const Bits key = shared.keys[i];
            to[k] = starts[digit_of(key, shift)] + i;
            keys_to[to[k]] = key;
        }
    }
$indices_moved$}
//$ indices_moved
    // The asm hides that the pointer is the same in every round; otherwise the compiler emits the loops once per case.
    const unsigned* from = indices_from;
    asm("" : "+l"(from));
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        const unsigned i = first + k * 32;
        if (i < here) shared.indices[rank[k]] = from ? from[row_begin + begin + i] : begin + i;
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        const unsigned i = tid + k * 256;
        if (i < here && last) static_cast<long long*>(indices_to)[row_begin + to[k]] = shared.indices[i];
        if (i < here && !last) static_cast<unsigned*>(indices_to)[row_begin + to[k]] = shared.indices[i];
    }
//$ mark

extern "C" __global__ void __launch_bounds__(128) $name$(bool* mask, const Bits* sorted, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned long long i = first + k * 128;
        if (i < n) mask[i] = i == 0 || ordered(sorted[i]) != ordered(sorted[i - 1]);
    }
}
//$ search

extern "C" __global__ void __launch_bounds__(128) $name$(long long* indices, const Bits* wanted, const Bits* sorted,
    unsigned long long length, unsigned right, unsigned long long n)
{
    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
    if (i >= n) return;
    const Bits key = ordered(wanted[i]);
    unsigned long long low = 0, high = length;
    while (low < high) {
        const unsigned long long middle = low + (high - low) / 2;
        const Bits other = ordered(sorted[middle]);
        if (right ? other <= key : other < key)
            low = middle + 1;
        else
            high = middle;
    }
    indices[i] = low;
}
