// Fourier transforms of rows with the functions of pycuda-fft.hpp, each of which `count` threads call.
//$ preface
#include <pycuda-fft.hpp>
typedef $type$ T;
typedef T::value_type R;
typedef long long index;

//$ stage
extern "C" __global__ void $name$(index count, const T* from, T* to, index n, index half, int sign)
{
    const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x;
    if (thread < count) pycuda::fft::stage(from, to, n, half, sign, thread);
}
//$ modulate
extern "C" __global__ void $name$(index count, const T* from, T* to, index n, index m, int sign)
{
    const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x;
    if (thread < count) pycuda::fft::modulate(from, to, n, m, sign, thread);
}
//$ conjugate_chirp
extern "C" __global__ void $name$(index count, T* to, index n, index m, int sign)
{
    const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x;
    if (thread < count) pycuda::fft::conjugate_chirp(to, n, m, sign, thread);
}
//$ multiply
extern "C" __global__ void $name$(index count, T* rows, const T* by, index m, R factor)
{
    const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x;
    if (thread < count) pycuda::fft::multiply(rows, by, m, factor, thread);
}
//$ gather
extern "C" __global__ void $name$(index count, const T* from, T* to, index n, index m, int sign)
{
    const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x;
    if (thread < count) pycuda::fft::gather(from, to, n, m, sign, thread);
}
//$ mirror
extern "C" __global__ void $name$(index count, const T* from, T* to, index n)
{
    const index thread = blockIdx.x * index(blockDim.x) + threadIdx.x;
    if (thread < count) pycuda::fft::mirror(from, to, n, thread);
}
