#include "state/graphs/make_content.hpp"

#include "state/error.hpp"
#include "state/graphs/allocation_contents.hpp"
#include "state/graphs/batch_content.hpp"
#include "state/graphs/conditional_content.hpp"
#include "state/graphs/graph.hpp"
#include "state/graphs/kernel_content.hpp"
#include "state/graphs/memory_contents.hpp"
#include "state/graphs/semaphore_content.hpp"
#include "state/graphs/simple_contents.hpp"

#include <cstring>

namespace cpu::state::graphs {

namespace {

// Versions of a structure in cuda.h: the later version has at most one more field, at the end.
CUDA_KERNEL_NODE_PARAMS kernel_of(const CUDA_KERNEL_NODE_PARAMS_v3& kernel) {
    static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == sizeof kernel);
    CUDA_KERNEL_NODE_PARAMS made;
    std::memcpy(&made, &kernel, sizeof made);
    return made;
}

CUDA_MEMSET_NODE_PARAMS fill_of(const CUDA_MEMSET_NODE_PARAMS_v2& fill) {
    return {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height};
}

std::shared_ptr<const Content> make_child(const CUDA_CHILD_GRAPH_NODE_PARAMS& child, const Graph& parent) {
    const auto graph = graph_of(child.graph);
    require(!graph->capturing && !graph->has(CU_GRAPH_NODE_TYPE_CONDITIONAL));
    if (child.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) {
        require(!graph->is_append_only(), CUDA_ERROR_NOT_SUPPORTED);
        return std::make_shared<ChildContent>(graph->clone());
    }
    require(child.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE);
    require(!graph->embedded, CUDA_ERROR_NOT_SUPPORTED);
    require(!graph->contains(parent));
    return std::make_shared<ChildContent>(graph);
}

}  // namespace

std::shared_ptr<const Content> make_content(const CUgraphNodeParams& parameters, const Graph& graph) {
    switch (parameters.type) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
            return KernelContent::of(kernel_of(parameters.kernel));
        case CU_GRAPH_NODE_TYPE_MEMCPY:
            require(parameters.memcpy.flags == 0);
            return CopyContent::of(parameters.memcpy.copyParams, parameters.memcpy.copyCtx);
        case CU_GRAPH_NODE_TYPE_MEMSET:
            return FillContent::of(fill_of(parameters.memset), parameters.memset.ctx);
        case CU_GRAPH_NODE_TYPE_HOST:
            return std::make_shared<HostContent>(parameters.host.fn, parameters.host.userData);
        case CU_GRAPH_NODE_TYPE_GRAPH:
            return make_child(parameters.graph, graph);
        case CU_GRAPH_NODE_TYPE_EMPTY:
            return std::make_shared<EmptyContent>();
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
            return std::make_shared<EventContent>(EventContent::What::Record, parameters.eventRecord.event);
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
            return std::make_shared<EventContent>(EventContent::What::Wait, parameters.eventWait.event);
        case CU_GRAPH_NODE_TYPE_CONDITIONAL:
            return ConditionalContent::of(parameters.conditional);
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
            return AllocContent::of(parameters.alloc, graph);
        case CU_GRAPH_NODE_TYPE_MEM_FREE:
            return FreeContent::of(parameters.free.dptr, graph);
        case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
            return BatchContent::of(parameters.memOp);
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: {
            const auto& named = parameters.extSemSignal;
            return std::make_shared<SignalContent>(named.extSemArray, named.paramsArray, named.numExtSems);
        }
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: {
            const auto& named = parameters.extSemWait;
            return std::make_shared<WaitContent>(named.extSemArray, named.paramsArray, named.numExtSems);
        }
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

std::shared_ptr<const Content> changed_content(const Content& now, const CUgraphNodeParams& parameters,
                                               const Graph& graph) {
    require(now.type() == parameters.type);
    switch (parameters.type) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
            return static_cast<const KernelContent&>(now).with_parameters(kernel_of(parameters.kernel));
        case CU_GRAPH_NODE_TYPE_MEMCPY:
        case CU_GRAPH_NODE_TYPE_MEMSET:
        case CU_GRAPH_NODE_TYPE_HOST:
        case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
            return make_content(parameters, graph);
        default:
            fail(CUDA_ERROR_NOT_SUPPORTED);
    }
}

}  // namespace cpu::state::graphs
