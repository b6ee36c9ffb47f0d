#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "captures/use_in_graph.hpp"
#include "pycuda/streams/event.hpp"

namespace pycuda {

class Stream;

using SharedResources = std::vector<std::shared_ptr<GraphResources>>;

/// What an update gave to one part of a node, and what keeps it alive.
struct NodeUses {
    std::vector<std::uint64_t> addresses;
    std::uint64_t changes = 0;  ///< value of used_by_graphs::changes() when all of this memory was known there
    std::shared_ptr<GraphResources> memory;
    std::shared_ptr<GraphResources> objects;  ///< null: none
};

/// What the nodes of an executable graph use: the resources of the graph that it was made or updated from, and those
/// that updates have given to single nodes. Running launches may still use what an update of the whole graph has
/// replaced, or what a destroyed executable graph used. These are kept until all work is done that was queued before,
/// in the graph's context and in those of other streams that it was launched on. Thread-safe.
class ExecutableUses {
public:
    struct Kinds {
        bool has_conditions;
        bool has_waits;  ///< for words or semaphores
    };
    ExecutableUses(const std::shared_ptr<Context>& context, SharedResources graph, Kinds kinds);

    /// Replace the uses of all nodes with those of `graph`; null if the executable graph was destroyed.
    void replace(SharedResources graph) noexcept;
    /// A part of a node (NodeArguments).
    using Part = std::pair<CUgraphNode, std::size_t>;
    /// Returns the resources for the objects that an update is about to make `part` use.
    std::shared_ptr<GraphResources> prepare(const Part& part);
    /// The update is done: `part` uses the memory at `addresses` and the `prepared` objects (null: none) instead of
    /// those of its last update. Allocates nothing if the memory is the same. Memory is reused only after the launches
    /// in its context that still use it; objects are kept until all work queued so far is done.
    void replace(const Part& part, const std::vector<std::uint64_t>& addresses,
                 std::shared_ptr<GraphResources> prepared);

    /// Call this before a launch on `stream`; null means the current context's default stream.
    void note_launch(const Stream* stream);
    bool has_waits() const noexcept { return kinds_.has_waits; }
    /// Call this after it.
    void note_launched(CUstream stream) noexcept;

    /// The executable graph is dropped. If it has conditions and is running, `destroy` is called when its launch is
    /// done: the driver would wait for that, and a loop may wait for this thread. Otherwise returns false.
    bool leave_to_launches(Context& owner, const std::function<void()>& destroy) const noexcept;

    /// True if a context in which nodes work has ended before the executable graph, which can then neither be used nor
    /// destroyed.
    bool has_lost_a_context() const noexcept;

private:
    /// Keeps the object until launches in all contexts are done.
    void keep_until_all_done(std::shared_ptr<void> kept) const;

    const std::weak_ptr<Context> context_;
    const Kinds kinds_;
    mutable std::mutex launched_mutex_;  ///< held over driver calls
    std::optional<Event> launched_;      ///< the end of the last launch; none without conditions
    const Context* const own_;           ///< the graph's context, for comparison with others
    /// Set for graphs with several contexts: every launch reads it, and most have one context.
    std::atomic<bool> works_in_others_;
    mutable std::mutex mutex_;
    SharedResources graph_;
    std::map<Part, NodeUses> parts_;
    std::vector<std::weak_ptr<Context>> launched_in_;  ///< other contexts in which the graph was launched
};

}  // namespace pycuda
