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

extern "C" __global__ void __launch_bounds__(128) $name$(Bits* keys_to, const Bits* keys_from, long long* places_to,
    const pycuda::arrays::WideDivisor rows, unsigned long long n)
{
    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
    if (i >= n) return;
    const unsigned long long row = rows.divide(i) * rows.size;
    const unsigned place = i - row, length = rows.size;
    keys_from += row;
    const Bits own = keys_from[place], key = ordered(own);
    unsigned rank = 0;
#pragma unroll 2
    for (unsigned k = 0; k < length; ++k) {
        const Bits other = ordered(keys_from[k]);
        rank += (other < key) | ((other == key) & (k < place));
    }
    if (keys_to) keys_to[row + rank] = own;
    if (places_to) places_to[row + rank] = place;
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

extern "C" __global__ void __launch_bounds__(256) $name$(Bits* keys_to, const Bits* keys_from, const unsigned* sums,
    unsigned length, unsigned tiles, unsigned shift$places_parameters$)
{
    enum { of_a_warp = $items$ * 32 };
    __shared__ Bits keys[$tile$];
    __shared__ unsigned short ranks[$tile$];
    __shared__ unsigned before[8][256];  // per warp and digit: keys so far, then where its keys begin
    __shared__ unsigned totals[2][256];
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32, first = warp * of_a_warp + lane;
    const unsigned row = blockIdx.x / tiles, tile = blockIdx.x - row * tiles, begin = tile * $tile$;
    const unsigned here = length - begin < $tile$ ? length - begin : $tile$;
    const unsigned long long row_begin = static_cast<unsigned long long>(row) * length;
    keys_to += row_begin;
    keys_from += row_begin + begin + first;
#pragma unroll 1
    for (unsigned k = 0; k < $items$; ++k) before[k][tid] = 0;
#pragma unroll
    for (unsigned k = 0; k < $items$; ++k)
        if (first + k * 32 < here) keys[first + k * 32] = keys_from[k * 32];

    // One digit per thread. Its keys begin after all keys with smaller digits, and after those of earlier tiles.
    sums += (row * 256ull + tid) * tiles;
    unsigned total = sums[tiles - 1], turn = 0;
    unsigned start = (tile > 0 ? sums[tile - 1] : 0) - total;
    totals[0][tid] = total;
    __syncthreads();
#pragma unroll 1
    for (unsigned distance = 1; distance < 256; distance *= 2) {
        if (tid >= distance) total += totals[turn][tid - distance];
        turn ^= 1;
        totals[turn][tid] = total;
        __syncthreads();
    }
    start += total;

    // Each warp ranks its keys, which are adjacent, among those with the same digit. Equal keys keep their order.
#pragma unroll 1
    for (unsigned i = first; i < (warp + 1) * of_a_warp; i += 32) {
        const bool exists = i < here;
        const unsigned digit = exists ? digit_of(keys[i], shift) : 256;
        const unsigned same = __match_any_sync(0xffffffffu, digit);
        const unsigned earlier = __popc(same & ((1u << lane) - 1));
        if (exists) ranks[i] = before[warp][digit] + earlier;
        __syncwarp();
        if (exists && earlier == 0) before[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < 8; ++k) {
        const unsigned own = before[k][tid];
        before[k][tid] = start;
        start += own;
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned i = first; i < (warp + 1) * of_a_warp && i < here; i += 32) {
        const Bits key = keys[i];
        const unsigned to = before[warp][digit_of(key, shift)] + ranks[i];
        keys_to[to] = key;
$places_moved$    }
}
//$ place_moved
        // The asm hides that both are the same in every round; otherwise the compiler emits the loop once per case.
        unsigned is_last = last;
        const unsigned* from = places_from;
        asm("" : "+r"(is_last), "+l"(from));
        const unsigned place = from ? from[row_begin + begin + i] : begin + i;
        if (is_last)
            static_cast<long long*>(places_to)[row_begin + to] = place;
        else
            static_cast<unsigned*>(places_to)[row_begin + to] = place;
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

extern "C" __global__ void __launch_bounds__(128) $name$(long long* places, const Bits* wanted, const Bits* sorted,
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
    places[i] = low;
}
