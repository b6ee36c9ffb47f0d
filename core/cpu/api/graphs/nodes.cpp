#include "api/graphs/node_calls.hpp"
#include "state/graphs/condition.hpp"

#include <cstring>

using namespace cpu::api;
using namespace cpu::state;
using namespace cpu::state::graphs;

// Nodes, apart from those of semaphores (semaphore_nodes.cpp).
namespace {

CUgraphNodeParams kernel_parameters(const CUDA_KERNEL_NODE_PARAMS& kernel) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_KERNEL);
    std::memcpy(&made.kernel, &kernel, sizeof kernel);
    return made;
}
CUgraphNodeParams copy_parameters(const CUDA_MEMCPY3D& copy, CUcontext context) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_MEMCPY);
    made.memcpy.copyCtx = context;
    made.memcpy.copyParams = copy;
    return made;
}
CUgraphNodeParams fill_parameters(const CUDA_MEMSET_NODE_PARAMS& fill, CUcontext context) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_MEMSET);
    made.memset = {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height, context};
    return made;
}
CUgraphNodeParams host_parameters(const CUDA_HOST_NODE_PARAMS& host) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_HOST);
    made.host = {host.fn, host.userData};
    return made;
}
CUgraphNodeParams batch_parameters(const CUDA_BATCH_MEM_OP_NODE_PARAMS& batch) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    made.memOp = {batch.ctx, batch.count, batch.paramArray, batch.flags};
    return made;
}
CUgraphNodeParams child_parameters(CUgraph graph) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_GRAPH);
    made.graph.graph = graph;
    return made;
}
CUgraphNodeParams record_parameters(CUevent event) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    made.eventRecord.event = event;
    return made;
}
CUgraphNodeParams wait_parameters(CUevent event) {
    CUgraphNodeParams made = parameters_of(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    made.eventWait.event = event;
    return made;
}

/// The context that a node keeps when its parameters are set by a call that does not name one.
CUcontext context_of_node(CUgraphNode hNode, CUgraphNodeType type) {
    std::lock_guard lock(structure_mutex());
    const auto node = all_nodes().find(hNode);
    if (!node || node->type() != type) return nullptr;
    const CUgraphNodeParams now = node->content().parameters();
    return type == CU_GRAPH_NODE_TYPE_MEMCPY ? now.memcpy.copyCtx : now.memset.ctx;
}

}  // namespace

CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData* dependencyData, size_t numDependencies,
                           CUgraphNodeParams* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddNode", phGraphNode, hGraph, dependencies, dependencyData, numDependencies, *nodeParams,
                    nodeParams);
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph, CUcontext ctx,
                                        unsigned int defaultLaunchValue, unsigned int flags) {
    return graph_entry("cuGraphConditionalHandleCreate", [&] {
        require(pHandle_out != nullptr && (flags & ~static_cast<unsigned>(CU_GRAPH_COND_ASSIGN_DEFAULT)) == 0);
        const auto graph = graph_of(hGraph);
        const auto context = ctx ? contexts().get(ctx, CUDA_ERROR_INVALID_CONTEXT) : current_context();
        const auto made = std::make_shared<Condition>(*context, defaultLaunchValue, flags);
        graph->conditions.push_back(made);
        conditions().add_as(made->handle(), made);
        *pHandle_out = made->handle();
    });
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphNodeSetParams", hNode, *nodeParams);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecNodeSetParams", hGraphExec, hNode, *nodeParams);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddKernelNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    kernel_parameters(*nodeParams));
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    return get_parameters(
        "cuGraphKernelNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams,
        [&](const CUgraphNodeParams& now) { std::memcpy(nodeParams, &now.kernel, sizeof *nodeParams); });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphKernelNodeSetParams", hNode, kernel_parameters(*nodeParams));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecKernelNodeSetParams", hGraphExec, hNode, kernel_parameters(*nodeParams));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
    if (!copyParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddMemcpyNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    copy_parameters(*copyParams, ctx));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
    return get_parameters("cuGraphMemcpyNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams,
                          [&](const CUgraphNodeParams& now) { *nodeParams = now.memcpy.copyParams; });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphMemcpyNodeSetParams", hNode,
                          copy_parameters(*nodeParams, context_of_node(hNode, CU_GRAPH_NODE_TYPE_MEMCPY)));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams,
                                        CUcontext ctx) {
    if (!copyParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecMemcpyNodeSetParams", hGraphExec, hNode, copy_parameters(*copyParams, ctx));
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
    if (!memsetParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddMemsetNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    fill_parameters(*memsetParams, ctx));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
    return get_parameters(
        "cuGraphMemsetNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams,
        [&](const CUgraphNodeParams& now) { std::memcpy(nodeParams, &now.memset, sizeof *nodeParams); });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphMemsetNodeSetParams", hNode,
                          fill_parameters(*nodeParams, context_of_node(hNode, CU_GRAPH_NODE_TYPE_MEMSET)));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
    if (!memsetParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecMemsetNodeSetParams", hGraphExec, hNode, fill_parameters(*memsetParams, ctx));
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddHostNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    host_parameters(*nodeParams));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
    return get_parameters("cuGraphHostNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams,
                          [&](const CUgraphNodeParams& now) { *nodeParams = {now.host.fn, now.host.userData}; });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphHostNodeSetParams", hNode, host_parameters(*nodeParams));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecHostNodeSetParams", hGraphExec, hNode, host_parameters(*nodeParams));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
    return add_node("cuGraphAddChildGraphNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    child_parameters(childGraph));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
    return get_parameters("cuGraphChildGraphNodeGetGraph", hNode, CU_GRAPH_NODE_TYPE_GRAPH, phGraph,
                          [&](const CUgraphNodeParams& now) { *phGraph = now.graph.graph; });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph) {
    return set_in_executable("cuGraphExecChildGraphNodeSetParams", hGraphExec, hNode, child_parameters(childGraph));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams parameters = parameters_of(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    std::memcpy(&parameters.alloc, nodeParams, sizeof *nodeParams);
    const CUresult result = add_node("cuGraphAddMemAllocNode", phGraphNode, hGraph, dependencies, nullptr,
                                     numDependencies, parameters, &parameters);
    if (result == CUDA_SUCCESS) nodeParams->dptr = parameters.alloc.dptr;
    return result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
    return get_parameters(
        "cuGraphMemAllocNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out,
        [&](const CUgraphNodeParams& now) { std::memcpy(params_out, &now.alloc, sizeof *params_out); });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                               size_t numDependencies, CUdeviceptr dptr) {
    CUgraphNodeParams parameters = parameters_of(CU_GRAPH_NODE_TYPE_MEM_FREE);
    parameters.free.dptr = dptr;
    return add_node("cuGraphAddMemFreeNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies, parameters);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
    return get_parameters("cuGraphMemFreeNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out,
                          [&](const CUgraphNodeParams& now) { *dptr_out = now.free.dptr; });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                             size_t numDependencies) {
    return add_node("cuGraphAddEmptyNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    parameters_of(CU_GRAPH_NODE_TYPE_EMPTY));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add_node("cuGraphAddBatchMemOpNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    batch_parameters(*nodeParams));
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
    return get_parameters(
        "cuGraphBatchMemOpNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out,
        [&](const CUgraphNodeParams& now) { std::memcpy(nodeParams_out, &now.memOp, sizeof *nodeParams_out); });
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_parameters("cuGraphBatchMemOpNodeSetParams", hNode, batch_parameters(*nodeParams));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_in_executable("cuGraphExecBatchMemOpNodeSetParams", hGraphExec, hNode, batch_parameters(*nodeParams));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                   size_t numDependencies, CUevent event) {
    return add_node("cuGraphAddEventRecordNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    record_parameters(event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
    return get_parameters("cuGraphEventRecordNodeGetEvent", hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out,
                          [&](const CUgraphNodeParams& now) { *event_out = now.eventRecord.event; });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
    return set_parameters("cuGraphEventRecordNodeSetEvent", hNode, record_parameters(event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
    return set_in_executable("cuGraphExecEventRecordNodeSetEvent", hGraphExec, hNode, record_parameters(event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, CUevent event) {
    return add_node("cuGraphAddEventWaitNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                    wait_parameters(event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
    return get_parameters("cuGraphEventWaitNodeGetEvent", hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out,
                          [&](const CUgraphNodeParams& now) { *event_out = now.eventWait.event; });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
    return set_parameters("cuGraphEventWaitNodeSetEvent", hNode, wait_parameters(event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
    return set_in_executable("cuGraphExecEventWaitNodeSetEvent", hGraphExec, hNode, wait_parameters(event));
}
