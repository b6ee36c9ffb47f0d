// Kernels of the tests in driver/textures.
#include <cuda_runtime.h>

using Tex = cudaTextureObject_t;
using Surf = cudaSurfaceObject_t;
using In = const float4*;  // x, y, z: coordinates or direction; w: layer or level of detail

#define KERNEL(name, Out, ...)                                                          \
    extern "C" __global__ void name(Out* out, In in, unsigned n, Tex t) {               \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                       \
        if (i >= n) return;                                                             \
        const float4 p = in[i];                                                         \
        out[i] = __VA_ARGS__;                                                           \
    }
KERNEL(tex1, float4, tex1D<float4>(t, p.x))
KERNEL(tex2, float4, tex2D<float4>(t, p.x, p.y))
KERNEL(tex3, float4, tex3D<float4>(t, p.x, p.y, p.z))
KERNEL(fetch1, float, tex1Dfetch<float>(t, int(p.x)))
KERNEL(tex1_layer, float4, tex1DLayered<float4>(t, p.x, int(p.w)))
KERNEL(tex2_layer, float4, tex2DLayered<float4>(t, p.x, p.y, int(p.w)))
KERNEL(tex_cube, float4, texCubemap<float4>(t, p.x, p.y, p.z))
KERNEL(tex_cube_layer, float4, texCubemapLayered<float4>(t, p.x, p.y, p.z, int(p.w)))
KERNEL(tex2_level, float4, tex2DLod<float4>(t, p.x, p.y, p.w))
KERNEL(tex2_gradient, float4, tex2DGrad<float4>(t, p.x, p.y, make_float2(p.z, 0), make_float2(0, p.w)))
KERNEL(tex2_int, int4, tex2D<int4>(t, p.x, p.y))
KERNEL(tex2_unsigned, uint4, tex2D<uint4>(t, p.x, p.y))
KERNEL(gather, float4, tex2Dgather<float4>(t, p.x, p.y, 1))

extern "C" __global__ void resident(float4* out, In in, unsigned n, Tex t) {
    const unsigned i = threadIdx.x;
    if (i >= n) return;
    bool there = false;
    out[i] = tex2D<float4>(t, in[i].x, in[i].y, &there);
    out[i].w = there;
}

// The coordinates of each turn depend on what the turn before read.
extern "C" __global__ void follow(float* out, unsigned turns, Tex t) {
    float x = threadIdx.x;
#pragma unroll 1
    for (unsigned n = threadIdx.x & 3; n < turns; ++n) x = tex1D<float>(t, x);
    out[threadIdx.x] = x;
}

// Each thread has its own texture; some take no part.
extern "C" __global__ void many(float* out, const Tex* t, unsigned skip) {
    if (threadIdx.x % skip == 0) return;
    out[threadIdx.x] = tex1D<float>(t[threadIdx.x], threadIdx.x);
}

extern "C" __global__ void fill2(Surf s, unsigned width, unsigned height) {
    const unsigned x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) surf2Dwrite(100.0f * y + x, s, 4 * x, y);
}
extern "C" __global__ void add2(float* out, Surf s, unsigned width) {
    out[blockIdx.x * width + threadIdx.x] = 1 + surf2Dread<float>(s, 4 * threadIdx.x, blockIdx.x);
}
extern "C" __global__ void vectors1(int4* out, Surf s, int4 value) {
    surf1Dwrite(value, s, 16 * threadIdx.x);
    out[threadIdx.x] = surf1Dread<int4>(s, 16 * threadIdx.x);
}
extern "C" __global__ void longs1(longlong2* out, Surf s, longlong2 value) {
    surf1Dwrite(value, s, 16 * threadIdx.x);
    out[threadIdx.x] = surf1Dread<longlong2>(s, 16 * threadIdx.x);
}
extern "C" __global__ void bytes1(unsigned char* out, Surf s) {
    surf1Dwrite((unsigned char)(200 + threadIdx.x), s, threadIdx.x);
    out[threadIdx.x] = surf1Dread<unsigned char>(s, threadIdx.x);
}
extern "C" __global__ void shorts3(short2* out, Surf s, int z) {
    surf3Dwrite(make_short2(-1, threadIdx.x), s, 4 * threadIdx.x, 1, z);
    out[threadIdx.x] = surf3Dread<short2>(s, 4 * threadIdx.x, 1, z);
}
extern "C" __global__ void layers2(float* out, Surf s, int layer) {
    surf2DLayeredwrite(5.0f + layer, s, 4 * threadIdx.x, 1, layer);
    out[threadIdx.x] = surf2DLayeredread<float>(s, 4 * threadIdx.x, 1, layer);
}
// Outside in three ways; out[0]: clamped, out[1]: zero.
extern "C" __global__ void outside(float* out, Surf s, int x, int y) {
    surf2Dwrite(77.0f, s, 4 * x, y, cudaBoundaryModeZero);
    out[0] = surf2Dread<float>(s, 4 * x, y, cudaBoundaryModeClamp);
    out[1] = surf2Dread<float>(s, 4 * x, y, cudaBoundaryModeZero);
}
extern "C" __global__ void read_or_trap(float* out, Surf s, int byte, int y) {
    out[0] = surf2Dread<float>(s, byte, y, cudaBoundaryModeTrap);
}
extern "C" __global__ void write_or_trap(Surf s, int byte, int y) {
    surf2Dwrite(1.0f, s, byte, y, cudaBoundaryModeTrap);
}

extern "C" __global__ void ask(unsigned* out, Tex t, Surf s) {
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
    asm("suq.width.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
    asm("suq.height.b32 %0, [%1];" : "=r"(out[4]) : "l"(s));
    asm("suq.depth.b32 %0, [%1];" : "=r"(out[5]) : "l"(s));
}
extern "C" __global__ void ask_more(unsigned* out, Tex t) {
    asm("txq.normalized_coords.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.array_size.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
}
