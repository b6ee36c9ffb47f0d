#pragma once

#include "state/graphs/graph.hpp"
#include "state/graphs/progress.hpp"

#include <memory>
#include <vector>

namespace cpu::state {
class Context;
}

namespace cpu::state::graphs {

/// One node of an executable graph. A node that embeds graphs is followed by their steps.
struct Step {
    std::shared_ptr<const Content> content;
    std::size_t next = 0;  ///< the step after this one and everything it embeds
    std::vector<std::size_t>
        bodies;  ///< for a conditional node: where its graphs begin; each ends where the next begins
    bool enabled = true;
};

/// What a launch runs, one step after the other, in a topological order. A single kernel already uses all processors,
/// so running steps in parallel would gain nothing. Immutable while a launch uses it.
struct Plan {
    std::vector<Step> steps;

    /// Records in each node of `graph`, and of the graphs in it, the index of its step. Throws what Graph::in_order
    /// throws.
    explicit Plan(const Graph& graph) { add(graph); }

    /// The user objects, which launches keep alive.
    std::vector<std::shared_ptr<UserObject>> users;

    /// Throws if it cannot be launched now: CUDA_ERROR_CONTEXT_IS_DESTROYED, a fault of a node's context, or
    /// CUDA_ERROR_INVALID_VALUE and CUDA_ERROR_OUT_OF_MEMORY for memory that nodes allocate.
    void prepare(Progress& progress, bool frees_first) const;
    /// Work is skipped once `context`, in whose stream the launch runs, has a fault. False if it has not finished by
    /// Progress::leave_at: then another call, on any thread, continues it.
    bool run(Context& context, Progress& progress) const noexcept;
    /// True if a waiting thread may run it.
    bool runs_anywhere() const noexcept;
    /// Whether a step waits for a word or a semaphore.
    bool waits() const noexcept;

private:
    std::vector<const Context*> contexts_;  ///< the contexts in which nodes run; the nodes keep them alive
    std::size_t conditions_ = 0;            ///< the number of conditional nodes
    bool needs_preparation_ = false;

    void add(const Graph& graph);
    void begin(Progress& progress) const noexcept;
    void run_step(Context& context, Progress& progress) const noexcept;
    bool begin_body(Context& context, Progress& progress) const noexcept;
    void end_body(Context& context, Progress& progress) const noexcept;
};

}  // namespace cpu::state::graphs
