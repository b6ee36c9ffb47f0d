#pragma once

// The declarations of cudaGL.h, which needs OpenGL's headers: its numbers are unsigned int.
#include <cuda.h>

extern "C" {
CUresult cuGLGetDevices_v2(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices, unsigned int cudaDeviceCount,
                           unsigned int deviceList);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, unsigned int buffer, unsigned int Flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, unsigned int image, unsigned int target,
                                   unsigned int Flags);
}
