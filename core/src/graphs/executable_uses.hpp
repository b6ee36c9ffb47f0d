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
/// destroyed executable graph used: it is kept until all work that is queued in the context by then is over.
/// Thread-safe.
class ExecutableUses {
public:
    ExecutableUses(const std::shared_ptr<Context>& context, SharedResources graph);

    /// Replace the uses of all nodes with those of `graph`; null if the executable graph was destroyed.
    void replace(SharedResources graph) noexcept;
    /// Let `node` use the memory at `addresses` instead of that of its last update. Allocates nothing if it
    /// is the same. Released memory is reused only after the launches that still use it.
    void replace(CUgraphNode node, const std::vector<std::uint64_t>& addresses);
    /// For an update that is about to make `node` use `objects`: host memory and arrays.
    std::shared_ptr<GraphResources> prepare(CUgraphNode node, const std::vector<std::shared_ptr<void>>& objects);
    /// The update is done: `node` uses them instead of those of its last update, which are kept until all work queued
    /// so far is over.
    void replace(CUgraphNode node, std::shared_ptr<GraphResources> prepared) noexcept;

    /// A context in which nodes work has ended before the executable graph: it cannot be used, nor destroyed.
    bool has_lost_a_context() const noexcept;

private:
    void keep_until_all_done(SharedResources resources) const;

    const std::weak_ptr<Context> context_;
    std::atomic<bool> works_in_others_;  ///< of the graph: launches ask, and most have one context
    mutable std::mutex mutex_;
    SharedResources graph_;
    std::unordered_map<CUgraphNode, NodeMemory> nodes_;
    std::unordered_map<CUgraphNode, std::shared_ptr<GraphResources>> objects_;
};

}  // namespace pycuda
