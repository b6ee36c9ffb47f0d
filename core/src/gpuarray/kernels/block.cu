// What threads of a block compute together.
//$ sum_up_to
/// The sum of the values of this thread and those before it. `totals`, which has room for each warp, gets the warps' own sums; the block is
/// synchronised once.
template <class T>
__device__ __forceinline__ T sum_up_to(T value, T* totals)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) value += other;
    }
    if (lane == 31) totals[warp] = value;
    __syncthreads();
    for (unsigned k = 0; k < warp; ++k) value += totals[k];
    return value;
}
