#include "state/graphs/allocation_contents.hpp"

#include "state/device.hpp"
#include "state/error.hpp"
#include "state/graphs/graph.hpp"
#include "state/graphs/progress.hpp"

#include <algorithm>

namespace cpu::state::graphs {

std::shared_ptr<const AllocContent> AllocContent::of(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& named, const Graph& graph) {
    const CUmemPoolProps& pool = named.poolProps;
    require(pool.allocType == CU_MEM_ALLOCATION_TYPE_PINNED && pool.handleTypes == CU_MEM_HANDLE_TYPE_NONE);
    require(pool.location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
    require(pool.location.id >= 0 && pool.location.id < device_count());
    require(named.accessDescCount == 0 || named.accessDescs != nullptr);
    for (std::size_t i = 0; i < named.accessDescCount; ++i) {
        const CUmemLocation& who = named.accessDescs[i].location;
        const bool is_owner = who.type == CU_MEM_LOCATION_TYPE_DEVICE && who.id == pool.location.id;
        require(is_owner, CUDA_ERROR_NOT_SUPPORTED);
    }
    return of(cpu::state::device(pool.location.id), named.bytesize, graph);
}

std::shared_ptr<const AllocContent> AllocContent::of(Device& device, std::size_t bytes, const Graph& graph) {
    require(!graph.embedded);
    return std::make_shared<AllocContent>(GraphMemory::make(device, bytes, graph.handle()));
}

CUgraphNodeParams AllocContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    made.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    made.alloc.poolProps.location.id = memory_->device().ordinal();
    made.alloc.bytesize = memory_->bytes();
    made.alloc.dptr = memory_->address();
    return made;
}

/// Two clones would have the same address.
std::shared_ptr<const Content> AllocContent::clone() const {
    fail(CUDA_ERROR_NOT_SUPPORTED);
}
std::shared_ptr<const Content> FreeContent::clone() const {
    fail(CUDA_ERROR_NOT_SUPPORTED);
}

CUgraphExecUpdateResult AllocContent::check_update(const Content& later) const {
    return &later == this ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
}
CUgraphExecUpdateResult FreeContent::check_update(const Content& later) const {
    return &later == this ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
}

std::string AllocContent::label(bool verbose) const {
    return verbose ? "MEM_ALLOC\n" + std::to_string(memory_->bytes()) + " bytes" : "MEM_ALLOC";
}

void AllocContent::check_launch(bool frees_first) const {
    require(frees_first || !memory_->is_unfreed());
    memory_->reserve();
}

void AllocContent::prepare(Progress& progress) const {
    memory_->allocate(*progress.context);
}

std::shared_ptr<const FreeContent> FreeContent::of(CUdeviceptr pointer, const Graph& graph) {
    auto memory = graph_memory_at(pointer);
    require(!graph.embedded && memory && memory->address() == pointer);
    const auto frees_it = [&](const auto& node) {
        return node->type() == CU_GRAPH_NODE_TYPE_MEM_FREE && node->content().parameters().free.dptr == pointer;
    };
    require(std::ranges::none_of(graph.nodes(), frees_it));
    memory->note_free_node(graph.handle());
    const bool of_another_graph = memory->graph() != graph.handle();
    return std::make_shared<FreeContent>(std::move(memory), of_another_graph);
}

CUgraphNodeParams FreeContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.free.dptr = memory_->address();
    return made;
}

void FreeContent::check_launch(bool) const {
    require(!of_another_graph_ || memory_->is_unfreed());
}

void FreeContent::prepare(Progress& progress) const {
    progress.frees.push(memory_->free());
}

void FreeContent::run(Progress& progress) const noexcept {
    progress.frees.next()();
}

}  // namespace cpu::state::graphs
