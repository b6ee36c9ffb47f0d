#pragma once

#include "state/graphs/content.hpp"
#include "state/streams/event.hpp"

namespace cpu::state::graphs {

/// Does nothing: a node to join dependencies.
class EmptyContent final : public Content {
public:
    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_EMPTY; }
    CUgraphNodeParams parameters() const override { return parameters_of(type()); }
    std::string label(bool) const override { return "EMPTY"; }
};

/// Calls a function of the program.
class HostContent final : public Content {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for a null function.
    HostContent(CUhostFn function, void* data);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_HOST; }
    CUgraphNodeParams parameters() const override;
    std::string label(bool) const override { return "HOST"; }
    TaskKind kind() const noexcept override { return TaskKind::HostFunction; }
    void run(Progress& progress) const noexcept override;

private:
    CUhostFn function_;
    void* data_;
};

/// Records an event, or waits for an event's last recording before the launch.
class EventContent final : public Content {
public:
    enum class What { Record, Wait };
    /// Throws CUDA_ERROR_INVALID_VALUE.
    EventContent(What what, CUevent event);

    CUgraphNodeType type() const noexcept override;
    CUgraphNodeParams parameters() const override;
    std::string label(bool verbose) const override;
    TaskKind kind() const noexcept override;
    void prepare(Progress& progress) const override;
    void run(Progress& progress) const noexcept override;

private:
    What what_;
    CUevent handle_;
    std::shared_ptr<Event> event_;
};

/// Runs a child graph.
class ChildContent final : public Content {
public:
    /// The node takes ownership of `graph`.
    explicit ChildContent(std::shared_ptr<Graph> graph);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_GRAPH; }
    CUgraphNodeParams parameters() const override;
    std::span<const std::shared_ptr<Graph>> graphs() const noexcept override { return {&graph_, 1}; }
    std::shared_ptr<const Content> clone() const override;
    std::shared_ptr<const Content> instantiate() const override;
    std::string label(bool) const override { return "GRAPH"; }

private:
    std::shared_ptr<Graph> graph_;
};

}  // namespace cpu::state::graphs
