#include "api/graph_entry.hpp"
#include "state/graphs/condition.hpp"
#include "state/graphs/executable.hpp"
#include "state/graphs/make_content.hpp"

#include <cstring>

using namespace cpu::api;
using namespace cpu::state;
using namespace cpu::state::graphs;

// Nodes: each type has a call that adds one, and calls that get and set its parameters, in the graph or in an
// executable graph. All of them are equivalent to cuGraphAddNode and cuGraphNodeSetParams.
namespace {

void tell_results(const CUgraphNodeParams& from, CUgraphNodeParams& to) {
    if (from.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) to.conditional.phGraph_out = from.conditional.phGraph_out;
    if (from.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) to.alloc.dptr = from.alloc.dptr;
}

/// `results` receives the node's parameters, if it has any.
CUresult add(const char* name, CUgraphNode* out, CUgraph hGraph, const CUgraphNode* dependencies,
             const CUgraphEdgeData* data, std::size_t count, const CUgraphNodeParams& parameters,
             CUgraphNodeParams* results = nullptr) {
    return graph_entry(name, [&] {
        require(out != nullptr);
        const auto graph = graph_of(hGraph);
        const auto edges = edges_to(dependencies, data, count);
        const Node& made = graph->add(make_content(parameters, *graph), edges);
        *out = made.handle();
        if (results) tell_results(made.content().parameters(), *results);
    });
}

/// The content of the node, which must have this type.
std::shared_ptr<const Content> content_of(CUgraphNode hNode, CUgraphNodeType type) {
    const auto node = node_of(hNode);
    require(node->type() == type);
    return node->shared_content();
}

/// Calls put() with the node's parameters.
template <class Put>
CUresult get(const char* name, CUgraphNode hNode, CUgraphNodeType type, const void* out, Put put) {
    return graph_entry(name, [&] {
        require(out != nullptr);
        put(content_of(hNode, type)->parameters());
    });
}

CUresult set(const char* name, CUgraphNode hNode, const CUgraphNodeParams& parameters) {
    return graph_entry(name, [&] {
        const auto node = node_of(hNode);
        node->graph().set_content(*node, changed_content(node->content(), parameters, node->graph()));
    });
}

CUresult set_executable(const char* name, CUgraphExec hGraphExec, CUgraphNode hNode,
                        const CUgraphNodeParams& parameters) {
    return graph_entry(name, [&] {
        const auto executable = executable_of(hGraphExec);
        const auto node = node_of(hNode);
        if (parameters.type == CU_GRAPH_NODE_TYPE_GRAPH)
            executable->set_child(*node, *graph_of(parameters.graph.graph));
        else
            executable->set_content(*node, changed_content(*executable->content(*node), parameters, node->graph()));
    });
}

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
    return add("cuGraphAddNode", phGraphNode, hGraph, dependencies, dependencyData, numDependencies, *nodeParams,
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
    return set("cuGraphNodeSetParams", hNode, *nodeParams);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_executable("cuGraphExecNodeSetParams", hGraphExec, hNode, *nodeParams);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add("cuGraphAddKernelNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               kernel_parameters(*nodeParams));
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    return get("cuGraphKernelNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams,
               [&](const CUgraphNodeParams& now) { std::memcpy(nodeParams, &now.kernel, sizeof *nodeParams); });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set("cuGraphKernelNodeSetParams", hNode, kernel_parameters(*nodeParams));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_executable("cuGraphExecKernelNodeSetParams", hGraphExec, hNode, kernel_parameters(*nodeParams));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
    if (!copyParams) return CUDA_ERROR_INVALID_VALUE;
    return add("cuGraphAddMemcpyNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               copy_parameters(*copyParams, ctx));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
    return get("cuGraphMemcpyNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams,
               [&](const CUgraphNodeParams& now) { *nodeParams = now.memcpy.copyParams; });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set("cuGraphMemcpyNodeSetParams", hNode,
               copy_parameters(*nodeParams, context_of_node(hNode, CU_GRAPH_NODE_TYPE_MEMCPY)));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams,
                                        CUcontext ctx) {
    if (!copyParams) return CUDA_ERROR_INVALID_VALUE;
    return set_executable("cuGraphExecMemcpyNodeSetParams", hGraphExec, hNode, copy_parameters(*copyParams, ctx));
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
    if (!memsetParams) return CUDA_ERROR_INVALID_VALUE;
    return add("cuGraphAddMemsetNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               fill_parameters(*memsetParams, ctx));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
    return get("cuGraphMemsetNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams,
               [&](const CUgraphNodeParams& now) { std::memcpy(nodeParams, &now.memset, sizeof *nodeParams); });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set("cuGraphMemsetNodeSetParams", hNode,
               fill_parameters(*nodeParams, context_of_node(hNode, CU_GRAPH_NODE_TYPE_MEMSET)));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
    if (!memsetParams) return CUDA_ERROR_INVALID_VALUE;
    return set_executable("cuGraphExecMemsetNodeSetParams", hGraphExec, hNode, fill_parameters(*memsetParams, ctx));
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add("cuGraphAddHostNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               host_parameters(*nodeParams));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
    return get("cuGraphHostNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams,
               [&](const CUgraphNodeParams& now) { *nodeParams = {now.host.fn, now.host.userData}; });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set("cuGraphHostNodeSetParams", hNode, host_parameters(*nodeParams));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_executable("cuGraphExecHostNodeSetParams", hGraphExec, hNode, host_parameters(*nodeParams));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
    return add("cuGraphAddChildGraphNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               child_parameters(childGraph));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
    return get("cuGraphChildGraphNodeGetGraph", hNode, CU_GRAPH_NODE_TYPE_GRAPH, phGraph,
               [&](const CUgraphNodeParams& now) { *phGraph = now.graph.graph; });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph) {
    return set_executable("cuGraphExecChildGraphNodeSetParams", hGraphExec, hNode, child_parameters(childGraph));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams parameters = parameters_of(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    std::memcpy(&parameters.alloc, nodeParams, sizeof *nodeParams);
    const CUresult result = add("cuGraphAddMemAllocNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
                                parameters, &parameters);
    if (result == CUDA_SUCCESS) nodeParams->dptr = parameters.alloc.dptr;
    return result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
    return get("cuGraphMemAllocNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out,
               [&](const CUgraphNodeParams& now) { std::memcpy(params_out, &now.alloc, sizeof *params_out); });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                               size_t numDependencies, CUdeviceptr dptr) {
    CUgraphNodeParams parameters = parameters_of(CU_GRAPH_NODE_TYPE_MEM_FREE);
    parameters.free.dptr = dptr;
    return add("cuGraphAddMemFreeNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies, parameters);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
    return get("cuGraphMemFreeNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out,
               [&](const CUgraphNodeParams& now) { *dptr_out = now.free.dptr; });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                             size_t numDependencies) {
    return add("cuGraphAddEmptyNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               parameters_of(CU_GRAPH_NODE_TYPE_EMPTY));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return add("cuGraphAddBatchMemOpNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               batch_parameters(*nodeParams));
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
    return get("cuGraphBatchMemOpNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out,
               [&](const CUgraphNodeParams& now) { std::memcpy(nodeParams_out, &now.memOp, sizeof *nodeParams_out); });
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set("cuGraphBatchMemOpNodeSetParams", hNode, batch_parameters(*nodeParams));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
    if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
    return set_executable("cuGraphExecBatchMemOpNodeSetParams", hGraphExec, hNode, batch_parameters(*nodeParams));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                   size_t numDependencies, CUevent event) {
    return add("cuGraphAddEventRecordNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               record_parameters(event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
    return get("cuGraphEventRecordNodeGetEvent", hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out,
               [&](const CUgraphNodeParams& now) { *event_out = now.eventRecord.event; });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
    return set("cuGraphEventRecordNodeSetEvent", hNode, record_parameters(event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
    return set_executable("cuGraphExecEventRecordNodeSetEvent", hGraphExec, hNode, record_parameters(event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, CUevent event) {
    return add("cuGraphAddEventWaitNode", phGraphNode, hGraph, dependencies, nullptr, numDependencies,
               wait_parameters(event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
    return get("cuGraphEventWaitNodeGetEvent", hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out,
               [&](const CUgraphNodeParams& now) { *event_out = now.eventWait.event; });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
    return set("cuGraphEventWaitNodeSetEvent", hNode, wait_parameters(event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
    return set_executable("cuGraphExecEventWaitNodeSetEvent", hGraphExec, hNode, wait_parameters(event));
}
