#include "memory/graph_memory.hpp"

#include <new>
#include <utility>

#include "captures/used_by_graphs.hpp"
#include "contexts/run_at_end.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/drop_when_idle.hpp"
#include "threads/deferred_release.hpp"

namespace pycuda {

GraphMemory::~GraphMemory() {
    if (addresses_.empty() && !graph_) return;
    const auto end = [addresses = std::move(addresses_), graph = graph_] {
        // The driver rejects addresses at which no launch has left memory.
        for (const DevicePtr address : addresses) static_cast<void>(driver().cuMemFree.try_call(address));
        if (graph) driver().cuGraphDestroy.clean_up(graph);
    };
    try {
        clean_up_unlocked([context = context_, last = run_at_end(*context_, end)]() mutable {
            drop_when_idle(*context, std::move(last));
        });
    } catch (const std::bad_alloc&) {
        // Out of memory: it ends with its context.
    }
}

void GraphMemory::add(DevicePtr address) {
    const std::lock_guard lock(mutex_);
    addresses_.push_back(address);
}

void GraphMemory::take(CUgraph graph) noexcept {
    const std::lock_guard lock(mutex_);
    graph_ = graph;
}

void GraphMemory::capture_is_lost() noexcept {
    const std::lock_guard lock(mutex_);
    addresses_.clear();
}

void GraphMemory::graph_ends(std::shared_ptr<GraphPart> self) noexcept {
    forget_cached_handles();  // of objects that refer to this memory
    for (const DevicePtr address : addresses_)
        for (const auto& user : used_by_graphs::take(address)) user->keep(self);
    release_later(std::move(self));
}

}  // namespace pycuda
