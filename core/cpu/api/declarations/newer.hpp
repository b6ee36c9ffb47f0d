#pragma once

// The declarations of functions that are newer than the cuda.h that this is built with.
#include <cuda.h>

extern "C" {
// CUDA 13.1
CUresult cuGraphGetId(CUgraph hGraph, unsigned int* graphId);
CUresult cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int* graphId);
CUresult cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int* nodeId);
CUresult cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long* toolsNodeId);
CUresult cuDevSmResourceSplit(CUdevResource* result, unsigned int nbGroups, const CUdevResource* input,
                              CUdevResource* remainder, unsigned int flags, void* groupParams);
CUresult cuStreamGetDevResource(CUstream hStream, CUdevResource* resource, CUdevResourceType type);
// CUDA 13.2
typedef void* CUcoredumpCallbackHandle;
typedef void(CUDA_CB* CUcoredumpStatusCallback)(void* userData, int pid, CUdevice dev);
CUresult cuCoredumpRegisterStartCallback(CUcoredumpStatusCallback callback, void* userData,
                                         CUcoredumpCallbackHandle* callbackOut);
CUresult cuCoredumpRegisterCompleteCallback(CUcoredumpStatusCallback callback, void* userData,
                                            CUcoredumpCallbackHandle* callbackOut);
CUresult cuCoredumpDeregisterStartCallback(CUcoredumpCallbackHandle callback);
CUresult cuCoredumpDeregisterCompleteCallback(CUcoredumpCallbackHandle callback);
// CUDA 13.4
CUresult cuMemGetLocationInfo(CUdeviceptr ptr, size_t size, size_t summaryGranularity, size_t samplingGranularity,
                              CUmemLocation* location_out);
// CUDA 13.5
CUresult cuTensorMapSetAllocationClass(CUtensorMap* tensorMap, int allocClass, int* outAllocClass);
}
