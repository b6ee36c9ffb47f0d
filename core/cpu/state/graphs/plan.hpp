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
    std::size_t next = 0;  ///< the step that comes after this one and what it embeds
    std::vector<std::size_t>
        bodies;  ///< of a conditional node: where its graphs begin; each ends where the next begins
    bool enabled = true;
};

/// What a launch runs, one step after the other: an order of the nodes that no edge is against. A kernel alone uses all
/// processors, so that nothing is lost. Not changed while a launch uses it.
struct Plan {
    std::vector<Step> steps;

    /// Notes in each node of `graph`, and of the graphs in it, which step is its own. Throws as Graph::in_order.
    explicit Plan(const Graph& graph) { add(graph); }

    /// Users of the program's objects, which launches keep.
    std::vector<std::shared_ptr<UserObject>> users;

    /// Throws if there cannot be a launch now: CUDA_ERROR_CONTEXT_IS_DESTROYED, a fault of a node's context, or
    /// CUDA_ERROR_INVALID_VALUE and CUDA_ERROR_OUT_OF_MEMORY for memory that nodes allocate.
    void prepare(Progress& progress, bool frees_first) const;
    /// Work is left out once `context`, in whose stream the launch runs, has a fault.
    void run(Context& context, Progress& progress) const noexcept;
    /// Whether a thread that waits may run it.
    bool runs_anywhere() const noexcept;

private:
    std::vector<const Context*> contexts_;  ///< in which nodes run; these keep them
    bool has_conditions_ = false;
    bool needs_preparation_ = false;

    void add(const Graph& graph);
    void run(std::size_t begin, std::size_t end, Context& context, Progress& progress) const noexcept;
    void run_bodies(const Step& step, Context& context, Progress& progress) const noexcept;
};

}  // namespace cpu::state::graphs
