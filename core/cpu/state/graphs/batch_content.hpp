#pragma once

#include "state/graphs/content.hpp"

#include <vector>

namespace cpu::state::graphs {

/// Writes to words of memory, and waits for their values: see MemoryOperation.
class BatchContent final : public Content {
public:
    /// Throws CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, and what MemoryOperation throws.
    static std::shared_ptr<const BatchContent> of(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& named);
    BatchContent(std::shared_ptr<Context> context, std::vector<CUstreamBatchMemOpParams> operations);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP; }
    CUgraphNodeParams parameters() const override;
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    const Context* context() const noexcept override { return context_.get(); }
    bool waits() const noexcept override { return waits_; }
    TaskKind kind() const noexcept override { return waits_ ? TaskKind::HostFunction : TaskKind::Work; }
    void run(Progress& progress) const noexcept override;

private:
    std::shared_ptr<Context> context_;
    mutable std::vector<CUstreamBatchMemOpParams> operations_;  ///< parameters() points to them, without const
    bool waits_ = false;
};

}  // namespace cpu::state::graphs
