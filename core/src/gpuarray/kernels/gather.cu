// Kernels that move elements by index.
//$ gather_preface
$element$typedef $index$ Index;

/// The index in bounds for index + offset in an array of `size` elements. Negative indices count from the end, and out-of-range
/// ones are clamped.
template <class I>
__device__ __forceinline__ unsigned long long bounded(I index, long long offset, unsigned long long size)
{
    long long at = static_cast<long long>(index) + offset;
    if (index < I(0)) at += size;
    if (at < 0) at = 0;
    return static_cast<unsigned long long>(at) < size ? at : size - 1;
}

//$ by_index

extern "C" __global__ void __launch_bounds__(128) $name$(E* out, const E* in, $parameters$long long offset,
    unsigned long long out_size, unsigned long long in_size, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
    E moved[4];
    unsigned long long to[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned long long i = first + k * 128 < n ? first + k * 128 : n - 1;
        to[k] = $to$;
        moved[k] = in[$from$];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (first + k * 128 < n) out[to[k]] = moved[k];
}
//$ along_axis_kernel
//$     The indices of a block often reach the same rows, which are in its processor's cache by then: large blocks are faster.

extern "C" __global__ void __launch_bounds__(1024) $name$(E* out, const E* in, const Index* indices,
    pycuda::arrays::WideDivisor inner, pycuda::arrays::WideDivisor count, unsigned long long length, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 4ull * blockDim.x + threadIdx.x;
    E moved[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned long long i = first + k * blockDim.x < n ? first + k * blockDim.x : n - 1;
        const unsigned long long row = inner.divide(i), outer = count.divide(row);
        const unsigned long long from = bounded(indices[$index$], 0, length);
        moved[k] = in[(outer * length + from) * inner.size + (i - row * inner.size)];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (first + k * blockDim.x < n) out[first + k * blockDim.x] = moved[k];
}
//$ copies_kernel
//$     Each element is read once and stored `count` times.

extern "C" __global__ void __launch_bounds__(128) $name$(E* out, const E* in, unsigned long long count, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
    E moved[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) moved[k] = in[first + k * 128 < n ? first + k * 128 : n - 1];
#pragma unroll 1
    for (; count > 0; --count, out += n) {
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (first + k * 128 < n) out[first + k * 128] = moved[k];
    }
}
//$ triangle_kernel
//$     Elements on one side of a diagonal of each matrix; zeros are stored without reading.

extern "C" __global__ void __launch_bounds__(128) $name$(E* out, const E* in, pycuda::arrays::WideDivisor width,
    pycuda::arrays::WideDivisor height, long long diagonal, unsigned upper, unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
    E moved[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned long long i = first + k * 128 < n ? first + k * 128 : n - 1, row = width.divide(i);
        const long long distance = static_cast<long long>(i - row * width.size) - static_cast<long long>(row - height.divide(row) * height.size);
        moved[k] = E();
        if (upper ? distance >= diagonal : distance <= diagonal) moved[k] = in[i];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (first + k * 128 < n) out[first + k * 128] = moved[k];
}
