// The kernel that moves elements by mask.
//$ by_mask
//$     A tile finds its true elements, and announces how many there are, then how many up to its end (decoupled look-back). The moves are shared by
//$     all threads. `states` are for more than one tile.
typedef $mask$ M;

extern "C" __global__ void __launch_bounds__(256) $name$(E* out, const E* in, const M* mask, unsigned long long room,
    volatile unsigned long long* states, unsigned long long n)
{
    enum { items = 16, tile_size = 256 * items };
    __shared__ unsigned short chosen[tile_size];
    __shared__ unsigned totals[8];
    __shared__ unsigned long long before_tile;
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    if (tid == 0 && gridDim.x > 1)  // earlier tiles have begun, whatever the order of blocks is
        before_tile = atomicAdd(reinterpret_cast<unsigned*>(const_cast<unsigned long long*>(states)), 1u);
    __syncthreads();
    const unsigned tile = gridDim.x > 1 ? static_cast<unsigned>(before_tile) : 0;
    const unsigned long long begin = static_cast<unsigned long long>(tile) * tile_size;
    const unsigned here = n - begin < tile_size ? n - begin : tile_size, first = tid * items;
    mask += begin + first;
    unsigned bits = 0;
    if (sizeof(M) == 1 && first + items <= here && reinterpret_cast<unsigned long long>(mask) % 16 == 0) {
        const uint4 bytes = *reinterpret_cast<const uint4*>(mask);
        const unsigned words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
        for (int k = 0; k < items; ++k) bits |= (words[k / 4] >> k % 4 * 8 & 255) != 0 ? 1u << k : 0u;
    } else {
#pragma unroll
        for (int k = 0; k < items; ++k)
            if (first + k < here && pycuda::arrays::is_true(static_cast<$arithmetic$>(mask[k]))) bits |= 1u << k;
    }
    const unsigned own = __popc(bits);
    unsigned to = sum_up_to(own, totals) - own, count = 0;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) count += totals[k];
#pragma unroll
    for (int k = 0; k < items; ++k)
        if (bits >> k & 1) chosen[to++] = first + k;

    // The first warp asks 32 earlier tiles at a time. The highest bits say whether a tile has told its own number, or that of all up to its end.
    if (warp == 0) {
        constexpr unsigned long long partial = 1ull << 62, whole = 2ull << 62, value = partial - 1;
        unsigned long long before = 0;
        if (gridDim.x > 1) {
            volatile unsigned long long* other = states + 1 + tile;
            if (lane == 0) *other = (tile == 0 ? whole : partial) | count;
            for (unsigned left = tile; left > 0;) {
                const unsigned asked = left < 32 ? left : 32;
                unsigned long long told = lane < asked ? 0 : whole;
                while (told == 0) told = *(other - 1 - lane);
                const unsigned ends = __ballot_sync(0xffffffffu, told >> 63);
                const unsigned used = ends != 0 ? __ffs(ends) : 32;
                unsigned long long sum = lane < used ? told & value : 0;
#pragma unroll
                for (unsigned distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
                before += sum;
                if (ends != 0) break;
                other -= 32;
                left -= 32;
            }
        }
        if (lane == 0) {
            before_tile = before;
            if (tile > 0) states[1 + tile] = whole | (before + count);
        }
    }
    __syncthreads();
    const unsigned long long before = before_tile;
    for (unsigned k = tid; k < count && before + k < room; k += 256) {
        const unsigned long long at = begin + chosen[k];
        $move$;
    }
}
