#include "api/declarations/newer.hpp"
#include "api/graph_entry.hpp"
#include "state/context.hpp"
#include "state/graphs/capture.hpp"
#include "state/graphs/condition.hpp"
#include "state/graphs/executable.hpp"

using namespace cpu::api;
using namespace cpu::state;
using namespace cpu::state::graphs;

namespace {

constexpr cuuint64_t instantiate_flags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

void check_conditions(const Graph& graph) {
    for (const auto& condition : graph.conditions) require(condition->used);
}

std::shared_ptr<Executable> instantiate(CUgraphExec* out, CUgraph hGraph, cuuint64_t flags) {
    require(out != nullptr && (flags & ~instantiate_flags) == 0);
    const auto graph = graph_of(hGraph);
    require(!graph->capturing, CUDA_ERROR_ILLEGAL_STATE);
    require(!graph->embedded, CUDA_ERROR_NOT_SUPPORTED);
    // Kernels cannot launch graphs here.
    require((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) == 0, CUDA_ERROR_NOT_SUPPORTED);
    graph->check_bodies();
    check_conditions(*graph);
    const auto made =
        std::make_shared<Executable>(*graph, flags & ~static_cast<cuuint64_t>(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
    *out = executables().add(made);
    return made;
}

}  // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph, unsigned long long flags) {
    return entry_unseen_by_captures("cuGraphInstantiate", [&] {
        std::lock_guard lock(structure_mutex());
        require((flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) == 0);
        instantiate(phGraphExec, hGraph, flags);
    });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
    return entry_unseen_by_captures("cuGraphInstantiateWithParams", [&] {
        std::lock_guard lock(structure_mutex());
        require(instantiateParams != nullptr);
        instantiateParams->hErrNode_out = nullptr;
        instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
        const auto graph = graph_of(hGraph);
        const auto blame = [&](CUgraphInstantiateResult result, auto check) {
            instantiateParams->result_out = result;
            check();
        };
        blame(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, [&] { graph->in_order(); });
        blame(CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, [&] { graph->check_bodies(); });
        blame(CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, [&] { check_conditions(*graph); });
        instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
        const bool uploads = (instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0;
        const auto stream = uploads ? stream_of(instantiateParams->hUploadStream) : nullptr;
        const auto made = instantiate(phGraphExec, hGraph, instantiateParams->flags);
        if (uploads) made->upload(*stream);
        instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    });
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
    if (!instantiateParams) return CUDA_ERROR_INVALID_VALUE;
    const CUstream named = instantiateParams->hUploadStream;
    instantiateParams->hUploadStream = per_thread(named);
    const CUresult result = cuGraphInstantiateWithParams(phGraphExec, hGraph, instantiateParams);
    instantiateParams->hUploadStream = named;
    return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t* flags) {
    return entry("cuGraphExecGetFlags", [&] { put(flags, executable_of(hGraphExec)->flags()); });
}

// The handles of graphs and nodes are numbers that are never used again.
CUresult cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int* graphId) {
    return entry("cuGraphExecGetId", [&] {
        executable_of(hGraphExec);
        put(graphId, reinterpret_cast<std::size_t>(hGraphExec));
    });
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
    return entry_unseen_by_captures("cuGraphExecDestroy", [&] {
        const auto executable = executables().take(hGraphExec);
        require(executable != nullptr, CUDA_ERROR_INVALID_VALUE);
        executable->wait_if_conditional();
    });
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
    return entry("cuGraphUpload", [&] {
        const auto executable = executable_of(hGraphExec);
        const auto stream = stream_of(hStream);
        refuse_if_captured(*stream);
        executable->upload(*stream);
    });
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
    return entry("cuGraphLaunch", [&] {
        const auto executable = executable_of(hGraphExec);
        const auto stream = stream_of(hStream);
        refuse_if_captured(*stream);
        executable->launch(*stream);
    });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
    return graph_entry("cuGraphNodeSetEnabled",
                       [&] { executable_of(hGraphExec)->set_enabled(*node_of(hNode), isEnabled != 0); });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled) {
    return graph_entry("cuGraphNodeGetEnabled",
                       [&] { put(isEnabled, executable_of(hGraphExec)->is_enabled(*node_of(hNode))); });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo* resultInfo) {
    return graph_entry("cuGraphExecUpdate", [&] {
        require(resultInfo != nullptr);
        const auto executable = executable_of(hGraphExec);
        const auto graph = graph_of(hGraph);
        *resultInfo = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
        require(!graph->capturing && !graph->embedded);
        *resultInfo = executable->update(*graph);
        require(resultInfo->result == CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    });
}
