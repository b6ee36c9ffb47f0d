#pragma once

// The declarations of functions that are newer than the cuda.h that this is built with.
#include <cuda.h>

extern "C" {
// CUDA 13.1
CUresult cuGraphGetId(CUgraph hGraph, unsigned int* graphId);
CUresult cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int* graphId);
CUresult cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int* nodeId);
CUresult cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long* toolsNodeId);
}
