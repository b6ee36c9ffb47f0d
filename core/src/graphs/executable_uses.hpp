#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "graphs/graph_resources.hpp"

namespace pycuda {

using SharedResources = std::vector<std::shared_ptr<GraphResources>>;

/// The memory that an update gave to one node, and what keeps it.
struct NodeMemory {
    std::vector<std::uint64_t> addresses;
    std::uint64_t changes = 0;  ///< of used_by_graphs, when all of them were known there
    std::shared_ptr<GraphResources> resources;
};

/// What the nodes of an executable graph use: those of the graph that it was made or updated from, and what updates
/// have given to single nodes. Launches under way may use what the update of a whole graph has replaced, and what a
/// destroyed executable graph used: it is kept until all work is over that is queued by then in the graph's context,
/// and in those of other streams that it was launched on. Thread-safe.
class ExecutableUses {
public:
    ExecutableUses(const std::shared_ptr<Context>& context, SharedResources graph);

    /// The whole graph is another, whose nodes use `graph`; none, when it has been destroyed.
    void replace(SharedResources graph) noexcept;
    /// `node` uses the memory at `addresses` instead of what an update gave it before. Allocates nothing where that is
    /// the same. What is let go of is memory, which is given to others after the launches in its context that use it
    /// still.
    void replace(CUgraphNode node, const std::vector<std::uint64_t>& addresses);
    /// For what an update is about to make `node` use: host memory and arrays.
    std::shared_ptr<GraphResources> prepare(CUgraphNode node);
    /// It does, instead of those that an update gave it before, which are kept until all work that is queued by now is
    /// over.
    void replace(CUgraphNode node, std::shared_ptr<GraphResources> prepared) noexcept;

    /// It is about to be launched on `stream`; null: the current context's default stream.
    void note_launch(const Stream* stream);

    /// A context in which nodes work has ended before the executable graph: it cannot be used, nor destroyed.
    bool has_lost_a_context() const noexcept;

private:
    /// Until launches in all contexts are over.
    void keep_until_all_done(std::shared_ptr<void> kept) const;

    const std::weak_ptr<Context> context_;
    const Context* const own_;           ///< the same; to compare it with others
    std::atomic<bool> works_in_others_;  ///< of the graph: launches ask, and most have one context
    mutable std::mutex mutex_;
    SharedResources graph_;
    std::unordered_map<CUgraphNode, NodeMemory> nodes_;
    std::unordered_map<CUgraphNode, std::shared_ptr<GraphResources>> objects_;
    std::vector<std::weak_ptr<Context>> launched_in_;  ///< other contexts
};

}  // namespace pycuda
