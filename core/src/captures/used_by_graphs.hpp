#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "captures/graph_resources.hpp"
#include "contexts/run_at_end.hpp"

/// Tracks which graphs use objects that their owner may free earlier: memory, by its start address, and modules and
/// events, by their handles. Thread-safe.
namespace pycuda::used_by_graphs {

void add(std::uint64_t address, const std::shared_ptr<GraphResources>& graph);

/// The start of the allocation that contains `memory`; for memory that the driver does not know, `memory` itself.
std::uint64_t start_of(const void* memory) noexcept;

inline constinit std::atomic<std::uint64_t> count_of_changes{0};

/// Changes whenever an object is removed: while it stays the same, everything that was added for living graphs is still
/// there.
inline std::uint64_t changes() noexcept {
    return count_of_changes.load(std::memory_order_acquire);
}

/// The living graphs that use the object. Costs one load if no graph uses any memory.
std::vector<std::shared_ptr<GraphResources>> users(std::uint64_t address) noexcept;
/// The same, and removes the object.
std::vector<std::shared_ptr<GraphResources>> take(std::uint64_t address) noexcept;

/// The owner frees the object: `make` creates an object whose destruction frees it, and the graphs that use it keep
/// that. If there are none, returns false without calling `make`.
template <class Make>
bool leave_to_graphs(std::uint64_t address, Make make) noexcept {
    const auto graphs = take(address);
    if (graphs.empty()) return false;
    try {
        const std::shared_ptr<void> last = make();
        for (const auto& graph : graphs) graph->keep(last);
    } catch (...) {
        // Out of memory: the object is leaked, because a graph uses it.
    }
    return true;
}

/// The same for the object of a Handle: when the graphs end, `destroy` is called in the owner's context.
template <class Destroy>
bool leave_to_graphs(std::uint64_t key, Context* owner, Destroy destroy) noexcept {
    return owner && leave_to_graphs(key, [&] { return run_at_end(*owner, destroy); });
}

/// Calls `destroy` immediately, unless it is left to graphs.
template <class Destroy>
void destroy_unless_used(std::uint64_t key, Context* owner, Destroy destroy) noexcept {
    if (!leave_to_graphs(key, owner, destroy)) destroy();
}
template <class Destroy>
void destroy_unless_used(const void* handle, Context* owner, Destroy destroy) noexcept {
    destroy_unless_used(reinterpret_cast<std::uintptr_t>(handle), owner, destroy);
}

}  // namespace pycuda::used_by_graphs
