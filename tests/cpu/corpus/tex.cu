#include <cuda_runtime.h>
__global__ void t(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* o, int4* q, float x, float y, float z) {
    o[0] = tex1D<float4>(t, x);
    o[1] = tex2D<float4>(t, x, y);
    o[2] = tex3D<float4>(t, x, y, z);
    o[3].x = tex1Dfetch<float>(t, 3);
    o[4].x = tex2DLayered<float>(t, x, y, 2);
    o[5] = texCubemap<float4>(t, x, y, z);
    o[6] = tex2DLod<float4>(t, x, y, z);
    o[7] = tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x));
    q[0] = tex2D<int4>(t, x, y);
    q[1].x = tex2D<unsigned char>(t, x, y);
    o[8] = tex2Dgather<float4>(t, x, y, 1);
    o[9].x = tex1DLayered<float>(t, x, 1);
    o[10].x = texCubemapLayered<float>(t, x, y, z, 1);
    o[11].x = tex3DLod<float>(t, x, y, z, x);
    o[12].x = tex3DGrad<float>(t, x, y, z, o[0], o[1]);
    o[13].x = surf2Dread<float>(s, 4, 5);
    surf2Dwrite(x, s, 4, 5);
    surf1Dwrite(o[1], s, 16);
    surf3Dwrite(y, s, 1, 2, 3, cudaBoundaryModeClamp);
    q[3] = surf3Dread<int4>(s, 0, 0, 0, cudaBoundaryModeZero);
    surf2DLayeredwrite(x, s, 1, 2, 3);
    surfCubemapwrite(x, s, 1, 2, 3);
    q[4].x = surf1DLayeredread<int>(s, 1, 2);
    bool r;
    o[14] = tex2D<float4>(t, x, y, &r);
    o[15].x = r;
    q[5].x = surf2Dread<unsigned char>(s, 1, 2);
    surf2Dwrite((short)3, s, 2, 2);
}
