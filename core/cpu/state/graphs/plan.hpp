#pragma once

#include "state/graphs/graph.hpp"
#include "state/graphs/progress.hpp"

#include <memory>
#include <vector>

namespace cpu::state {
class Context;
}

namespace cpu::state::graphs {

/// One node of an executable graph. Nodes that embed graphs are followed by the steps of those.
struct Step {
    std::shared_ptr<const Content> content;
    bool enabled = true;
};

/// What a launch runs, one step after the other: an order of the nodes that no edge is against. A kernel alone uses all
/// processors, so that nothing is lost. Not changed while a launch uses it.
struct Plan {
    std::vector<Step> steps;

    /// Notes in each node of `graph`, and of the graphs in it, which step is its own. Throws as Graph::in_order.
    explicit Plan(const Graph& graph) { add(graph); }

    void prepare(Progress& progress) const;
    /// Work is left out once `context`, in whose stream the launch runs, has a fault.
    void run(const Context& context, Progress& progress) const noexcept;
    /// Whether a thread that waits may run it.
    bool runs_anywhere() const noexcept;

private:
    void add(const Graph& graph);
};

}  // namespace cpu::state::graphs
