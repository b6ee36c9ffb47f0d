#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "deferred_release.hpp"
#include "graphs/graph_resources.hpp"

/// The graphs that use objects which their owner may free earlier: memory, by the address where it begins, and modules
/// and events, by their handles. Thread-safe.
namespace pycuda::used_by_graphs {

void add(std::uint64_t address, const std::shared_ptr<GraphResources>& graph);

/// The start of the page-locked memory that contains `memory`; for other memory, `memory` itself.
std::uint64_t start_of(const void* memory) noexcept;

inline constinit std::atomic<std::uint64_t> count_of_changes{0};

/// Changes whenever something is known no more: as long as it stays, what was added is as good as then, for graphs that
/// are alive.
inline std::uint64_t changes() noexcept {
    return count_of_changes.load(std::memory_order_acquire);
}

/// The graphs that use it and are alive; they are known no more. Costs one load where no graph uses any memory.
std::vector<std::shared_ptr<GraphResources>> take(std::uint64_t address) noexcept;

/// The owner gives it up: `make` gives an object whose end frees it, which the graphs that use it keep. False when
/// there is none: then nothing is made.
template <class Make>
bool leave_to_graphs(std::uint64_t address, Make make) noexcept {
    const auto graphs = take(address);
    if (graphs.empty()) return false;
    try {
        const std::shared_ptr<void> last = make();
        for (const auto& graph : graphs) graph->keep(last);
    } catch (...) {
        // Without memory it is leaked: a graph uses it.
    }
    return true;
}

/// The same for the object of a Handle: the graphs' end calls `destroy` in the owner's context.
template <class Destroy>
bool leave_to_graphs(std::uint64_t key, Context* owner, Destroy destroy) noexcept {
    return owner && leave_to_graphs(key, [&] { return run_at_end(*owner, destroy); });
}

/// `destroy`, at once unless it is left to graphs.
template <class Destroy>
void destroy_unless_used(std::uint64_t key, Context* owner, Destroy destroy) noexcept {
    if (!leave_to_graphs(key, owner, destroy)) destroy();
}
template <class Destroy>
void destroy_unless_used(const void* handle, Context* owner, Destroy destroy) noexcept {
    destroy_unless_used(reinterpret_cast<std::uintptr_t>(handle), owner, destroy);
}

}  // namespace pycuda::used_by_graphs
