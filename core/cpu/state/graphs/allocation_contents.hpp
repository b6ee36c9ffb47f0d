#pragma once

#include "state/graphs/content.hpp"
#include "state/graphs/graph_memory.hpp"

#include <vector>

namespace cpu::state::graphs {

/// Allocates memory.
class AllocContent final : public Content {
public:
    /// For a node of `graph`. Throws CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_OUT_OF_MEMORY.
    static std::shared_ptr<const AllocContent> of(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& named, const Graph& graph);
    static std::shared_ptr<const AllocContent> of(Device& device, std::size_t bytes, const Graph& graph);
    explicit AllocContent(std::shared_ptr<GraphMemory> memory) : memory_(std::move(memory)) {}

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
    CUgraphNodeParams parameters() const override;
    std::shared_ptr<const Content> clone() const override;
    std::shared_ptr<const Content> instantiate() const override { return shared_from_this(); }
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    TaskKind kind() const noexcept override { return TaskKind::Bookkeeping; }
    void check_launch(bool frees_first) const override;
    void prepare(Progress& progress) const override;

private:
    std::shared_ptr<GraphMemory> memory_;
};

/// Frees memory that a node allocated.
class FreeContent final : public Content {
public:
    /// For a node of `graph`. Throws CUDA_ERROR_INVALID_VALUE when no node allocates it, or another one frees it.
    static std::shared_ptr<const FreeContent> of(CUdeviceptr pointer, const Graph& graph);
    FreeContent(std::shared_ptr<GraphMemory> memory, bool of_another_graph)
        : memory_(std::move(memory)), of_another_graph_(of_another_graph) {}

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
    CUgraphNodeParams parameters() const override;
    std::shared_ptr<const Content> clone() const override;
    std::shared_ptr<const Content> instantiate() const override { return shared_from_this(); }
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool) const override { return "MEM_FREE"; }
    TaskKind kind() const noexcept override { return TaskKind::Bookkeeping; }
    void check_launch(bool frees_first) const override;
    void prepare(Progress& progress) const override;
    void run(Progress& progress) const noexcept override;

private:
    std::shared_ptr<GraphMemory> memory_;
    bool of_another_graph_;
};

}  // namespace cpu::state::graphs
