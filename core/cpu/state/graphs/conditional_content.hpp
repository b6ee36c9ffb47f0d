#pragma once

#include "state/graphs/condition.hpp"
#include "state/graphs/content.hpp"

#include <optional>
#include <vector>

namespace cpu::state::graphs {

/// Graphs that run depending on a condition, once or repeatedly.
class ConditionalContent final : public Content {
public:
    /// Creates the content with new, empty graphs. Throws CUDA_ERROR_INVALID_VALUE.
    static std::shared_ptr<const ConditionalContent> of(const CUDA_CONDITIONAL_NODE_PARAMS& named);
    ConditionalContent(std::shared_ptr<Condition> condition, CUgraphConditionalNodeType how,
                       std::vector<std::shared_ptr<Graph>> bodies);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_CONDITIONAL; }
    CUgraphNodeParams parameters() const override;
    std::span<const std::shared_ptr<Graph>> graphs() const noexcept override { return bodies_; }
    std::shared_ptr<const Content> clone() const override;
    std::shared_ptr<const Content> instantiate() const override;
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    void start() const noexcept override { condition_->start(); }
    std::optional<std::size_t> chosen() const noexcept override;
    bool repeats() const noexcept override { return how_ == CU_GRAPH_COND_TYPE_WHILE; }

private:
    std::shared_ptr<Condition> condition_;
    CUgraphConditionalNodeType how_;
    std::vector<std::shared_ptr<Graph>> bodies_;
    mutable std::vector<CUgraph> reported_bodies_;  ///< what parameters() points to
};

}  // namespace cpu::state::graphs
