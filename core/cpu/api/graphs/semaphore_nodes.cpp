#include "api/graphs/node_calls.hpp"

using namespace cpu::api;

// Nodes that signal semaphores of other interfaces, or wait for them.
namespace {

CUgraphNodeParams signal_parameters(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS& signals) {
    CUgraphNodeParams made = graphs::parameters_of(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
    made.extSemSignal.extSemArray = signals.extSemArray;
    made.extSemSignal.paramsArray = signals.paramsArray;
    made.extSemSignal.numExtSems = signals.numExtSems;
    return made;
}

CUgraphNodeParams semaphore_wait_parameters(const CUDA_EXT_SEM_WAIT_NODE_PARAMS& waits) {
    CUgraphNodeParams made = graphs::parameters_of(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
    made.extSemWait.extSemArray = waits.extSemArray;
    made.extSemWait.paramsArray = waits.paramsArray;
    made.extSemWait.numExtSems = waits.numExtSems;
    return made;
}

}  // namespace

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                                                const CUgraphNode* dependencies, size_t numDependencies,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddExternalSemaphoresSignalNode", phGraphNode, hGraph, dependencies, nullptr,
                    numDependencies, signal_parameters(*nodeParams));
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params_out) {
    return get_parameters("cuGraphExternalSemaphoresSignalNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
                          params_out, [&](const CUgraphNodeParams& now) {
                              const auto& signals = now.extSemSignal;
                              *params_out = {signals.extSemArray, signals.paramsArray, signals.numExtSems};
                          });
}

CUresult cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode hNode,
                                                      const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphExternalSemaphoresSignalNodeSetParams", hNode, signal_parameters(*nodeParams));
}

CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                          const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecExternalSemaphoresSignalNodeSetParams", hGraphExec, hNode,
                             signal_parameters(*nodeParams));
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                              size_t numDependencies, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddExternalSemaphoresWaitNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    semaphore_wait_parameters(*nodeParams));
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode, CUDA_EXT_SEM_WAIT_NODE_PARAMS* params_out) {
    return get_parameters("cuGraphExternalSemaphoresWaitNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
                          params_out, [&](const CUgraphNodeParams& now) {
                              const auto& waits = now.extSemWait;
                              *params_out = {waits.extSemArray, waits.paramsArray, waits.numExtSems};
                          });
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphExternalSemaphoresWaitNodeSetParams", hNode, semaphore_wait_parameters(*nodeParams));
}

CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                        const CUDA_EXT_SEM_WAIT_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecExternalSemaphoresWaitNodeSetParams", hGraphExec, hNode,
                             semaphore_wait_parameters(*nodeParams));
}
