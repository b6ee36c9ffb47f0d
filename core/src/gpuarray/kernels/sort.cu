// Rank sort for short rows, radix sort in shared memory for longer ones, and in passes over memory for the longest; operations on sorted arrays.
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
//$ tiles
//$     What the kernels below share: a block ranks the keys of a tile by one digit. A warp's keys are adjacent, and lane l has every 32nd from l.
enum { threads = 256, warps = threads / 32, items = $items$, tile_size = threads * items };

/// Each key's digit, and in the lower bits how many keys of the warp with the same digit are before it. Equal keys keep their order.
/// Afterwards before[digit] is how many keys of the warp have it. Both arrays are the warp's own, and 0 at first.
__device__ __forceinline__ void rank_in_warp(const Bits (&own)[items], unsigned (&rank)[items], unsigned* present, unsigned* before,
    unsigned first, unsigned here, unsigned shift)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        const bool exists = first + k * 32 < here;
        const unsigned digit = digit_of(own[k], shift);
        if (exists) atomicOr(&present[digit], 1u << lane);
        __syncwarp();
        const unsigned same = present[digit], earlier = __popc(same & ((1u << lane) - 1));
        rank[k] = digit << 16 | (before[digit] + earlier);
        __syncwarp();
        if (exists && earlier == 0) {
            present[digit] = 0;
            before[digit] += __popc(same);
        }
        __syncwarp();
    }
}

/// The thread's digit: how many keys of the tile have it. Afterwards before[warp][digit] is how many of them are before the warp's.
__device__ __forceinline__ unsigned add_up(unsigned (*before)[256])
{
    unsigned in_tile = 0;
#pragma unroll
    for (unsigned k = 0; k < warps; ++k) {
        const unsigned of_warp = before[k][threadIdx.x];
        before[k][threadIdx.x] = in_tile;
        in_tile += of_warp;
    }
    return in_tile;
}

/// Puts the keys of the tile in order, from what rank_in_warp and add_up found; the keys with the thread's digit begin at `start`. Afterwards rank[k]
/// is where key k went. The block is synchronised once, before the keys are written: the first use of `keys` must be synchronised by the caller.
__device__ __forceinline__ void put_in_order(const Bits (&own)[items], unsigned (&rank)[items], Bits* keys, unsigned (*before)[256],
    unsigned start, unsigned first, unsigned here)
{
    const unsigned warp = threadIdx.x / 32;
#pragma unroll
    for (unsigned k = 0; k < warps; ++k) before[k][threadIdx.x] += start;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
        rank[k] = before[warp][rank[k] >> 16] + (rank[k] & 0xffff);
        if (first + k * 32 < here) keys[rank[k]] = own[k];
    }
}
//$ whole_row
//$     A block sorts a row in shared memory. Digits in which all keys agree are skipped.

extern "C" __global__ void __launch_bounds__(256) $name$(Bits* keys_to, const Bits* keys_from, unsigned length$indices_parameter$)
{
    __shared__ union {
        unsigned present[warps][256];  // per warp and digit: which lanes have it
        Bits keys[tile_size];
        unsigned indices[tile_size];
    } shared;
    __shared__ unsigned before[warps][256];  // per warp and digit: keys so far, then where its keys begin in the tile
    __shared__ unsigned totals[warps];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = warp * items * 32 + lane;
    const unsigned long long row_begin = static_cast<unsigned long long>(blockIdx.x) * length;
    keys_from += row_begin;
    Bits own[items];
    unsigned rank[items];
$index$#pragma unroll
    for (unsigned k = 0; k < items; ++k) own[k] = first + k * 32 < length ? keys_from[k * 32 + first] : Bits(0);
    const Bits some = ordered(keys_from[0]);
#pragma unroll 1
    for (unsigned shift = 0; shift < 8 * sizeof(Bits); shift += 8) {
        bool differs = false;
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            differs |= first + k * 32 < length && digit_of(own[k], shift) != (static_cast<unsigned>(some >> shift) & 255);
        if (!__syncthreads_or(differs)) continue;
#pragma unroll
        for (unsigned k = lane; k < 256; k += 32) before[warp][k] = shared.present[warp][k] = 0;
        __syncwarp();
        rank_in_warp(own, rank, shared.present[warp], before[warp], first, length, shift);
        __syncthreads();
        const unsigned in_tile = add_up(before);
        put_in_order(own, rank, shared.keys, before, sum_up_to(in_tile, totals) - in_tile, first, length);
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (first + k * 32 < length) own[k] = shared.keys[first + k * 32];
$indices_moved$        __syncthreads();
    }
#pragma unroll
    for (unsigned k = 0; k < items; ++k)
        if (first + k * 32 < length) {
            $store$
        }
}
//$ index_of_key
    unsigned index[items];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) index[k] = first + k * 32;
//$ indices_in_row
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (first + k * 32 < length) shared.indices[rank[k]] = index[k];
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (first + k * 32 < length) index[k] = shared.indices[first + k * 32];
//$ counts
//$     How many keys of each row have each digit, at each position: counts[row][position][digit].

extern "C" __global__ void __launch_bounds__(256) $name$(const Bits* keys, unsigned* counts, unsigned length, unsigned blocks, unsigned per_block)
{
    enum { positions = sizeof(Bits), ahead = 4 };
    __shared__ unsigned count[positions][256];
#pragma unroll
    for (unsigned k = 0; k < positions; ++k) count[k][threadIdx.x] = 0;
    __syncthreads();
    const unsigned row = blockIdx.x / blocks, begin = (blockIdx.x - row * blocks) * per_block;
    const unsigned end = begin + (length - begin < per_block ? length - begin : per_block);
    keys += static_cast<unsigned long long>(row) * length;
#pragma unroll 1
    for (unsigned i = begin + threadIdx.x; i < end; i += ahead * 256) {
        Bits some[ahead];
#pragma unroll
        for (unsigned k = 0; k < ahead; ++k)
            if (end - i > k * 256) some[k] = keys[i + k * 256];
#pragma unroll
        for (unsigned k = 0; k < ahead; ++k) {
            if (end - i <= k * 256) continue;
            const Bits key = ordered(some[k]);
#pragma unroll
            for (unsigned position = 0; position < positions; ++position)
                atomicAdd(&count[position][static_cast<unsigned>(key >> 8 * position) & 255], 1u);
        }
        if (end - i <= ahead * 256) break;  // the sum below could overflow
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < positions; ++k)
        if (count[k][threadIdx.x] != 0) atomicAdd(counts + (row * positions + k) * 256ull + threadIdx.x, count[k][threadIdx.x]);
}
//$ moves
//$     One pass over rows of several tiles. A tile announces how many of its keys have each digit, then how many up to its end (decoupled
//$     look-back): the keys of a digit begin after those of earlier tiles. They are put in order in shared memory first, so that keys with the same
//$     digit leave it as adjacent stores.
typedef $state$ State;
enum { value_bits = 8 * sizeof(State) - 2 };

extern "C" __global__ void __launch_bounds__(256) $name$(Bits* keys_to, const Bits* keys_from, const unsigned* counts, volatile State* states,
    unsigned* taken, unsigned length, unsigned tiles, unsigned shift$indices_parameters$)
{
    __shared__ union {
        unsigned present[warps][256];  // per warp and digit: which lanes have it
        Bits keys[tile_size];
        unsigned indices[tile_size];
    } shared;
    __shared__ unsigned before[warps][256];  // per warp and digit: keys so far, then where its keys begin in the tile
    __shared__ unsigned starts[256];  // per digit: where its keys begin in the row, less where they begin in the tile
    __shared__ unsigned long long totals[warps];
    __shared__ unsigned ticket;
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32, first = warp * items * 32 + lane;
    if (tid == 0) ticket = atomicAdd(taken, 1u);  // earlier tiles have begun, whatever the order of blocks is
#pragma unroll
    for (unsigned k = lane; k < 256; k += 32) before[warp][k] = shared.present[warp][k] = 0;
    __syncthreads();
    const unsigned block = ticket, row = block / tiles, tile = block - row * tiles, begin = tile * tile_size;
    const unsigned here = length - begin < tile_size ? length - begin : tile_size;
    const unsigned long long row_begin = static_cast<unsigned long long>(row) * length;
    keys_to += row_begin;
    keys_from += row_begin + begin + first;
    Bits own[items];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) own[k] = first + k * 32 < here ? keys_from[k * 32] : Bits(0);
    const unsigned in_row = counts[(row * sizeof(Bits) + shift / 8) * 256ull + tid];
    const bool all_agree = __syncthreads_or(in_row == length);
    unsigned rank[items], to[items];
    if (all_agree) {
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            rank[k] = first + k * 32;
            to[k] = begin + tid + k * 256;
            if (rank[k] < here) keys_to[begin + rank[k]] = own[k];
        }
    } else {
        rank_in_warp(own, rank, shared.present[warp], before[warp], first, here, shift);
        __syncthreads();

        // One digit per thread.
        const unsigned in_tile = add_up(before);
        states += block * 256ull + tid;
        *states = static_cast<State>(tile == 0 ? 2 : 1) << value_bits | in_tile;
        const unsigned long long both = sum_up_to(static_cast<unsigned long long>(in_row) << 32 | in_tile, totals);
        const unsigned tile_start = static_cast<unsigned>(both) - in_tile;
        put_in_order(own, rank, shared.keys, before, tile_start, first, here);
        unsigned earlier_tiles = 0;
        for (volatile State* other = states; tile > 0;) {
            other -= 256;
            State told = *other;
            while (told >> value_bits == 0) told = *other;
            earlier_tiles += static_cast<unsigned>(told);  // without the highest bits, below
            if (told >> value_bits == 2) break;
        }
        earlier_tiles &= static_cast<unsigned>((static_cast<State>(1) << value_bits) - 1);
        if (tile > 0) *states = static_cast<State>(2) << value_bits | (earlier_tiles + in_tile);
        starts[tid] = static_cast<unsigned>(both >> 32) - in_row + earlier_tiles - tile_start;
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < items; ++k) {
            const unsigned i = tid + k * 256;
            if (i < here) {
                const Bits key = shared.keys[i];
                to[k] = starts[digit_of(key, shift)] + i;
                keys_to[to[k]] = key;
            }
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
