#pragma once

#include <cuda.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pycuda/contexts/context.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda {

class ExecutableUses;
class GraphMemory;

/// The objects that the nodes of a graph use. They are held by the graph, its clones, the graphs that contain it, and
/// the executable graphs of all of them until their launches are done (ExecutableUses). The driver does not hold them,
/// because each object that a graph holds there slows its launches down. Objects are released on a thread of this
/// library. Thread-safe.
class GraphResources {
public:
    GraphResources() = default;
    ~GraphResources();
    GraphResources(const GraphResources&) = delete;
    GraphResources& operator=(const GraphResources&) = delete;

    /// A no-op once the context has ended.
    void keep(const std::shared_ptr<void>& object);
    /// Keeps what `keep` returns, unless it has the object that `object` identifies (note_owner_of_graph).
    void keep_owner(const void* object, const std::function<std::shared_ptr<void>()>& keep);
    /// The pool for memory of captured operations, from which nothing else allocates.
    std::shared_ptr<MemoryPool> pool(Context& context);
    bool owns(const MemoryPool& pool) const noexcept;
    /// Take what was kept, for the caller to release; the graph can keep more afterwards.
    std::vector<std::shared_ptr<void>> take_kept() noexcept;
    /// Releases everything, and keeps nothing from now on.
    void clear() noexcept;
    /// Records memory that a node of the graph allocates.
    void own(Context& context, DevicePtr address);
    bool owns_memory() const noexcept;
    /// The program has closed the graph: destroy the driver's after its memory. False if it owns none.
    bool take(CUgraph graph) noexcept;
    /// A capture into the graph was lost, and with it the memory that it allocated.
    void forget_memory() noexcept;
    /// Records that a node works in this context, which is not the graph's own.
    void works_in(const Context& context);
    bool works_in_others() const noexcept;
    /// True if one of these contexts has ended: NVIDIA's driver 580 terminates the process when the executable graph is
    /// destroyed.
    bool has_lost_a_context() const noexcept;

private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<void>> kept_;
    std::unordered_map<const void*, std::shared_ptr<void>> owners_;
    bool ended_ = false;
    std::vector<std::shared_ptr<const std::atomic<CUcontext>>> other_contexts_;
    std::vector<std::shared_ptr<MemoryPool>> pools_;  ///< one in each context
    std::shared_ptr<GraphMemory> memory_;             ///< what its nodes allocate; null if nothing
};

/// The graphs, executable graphs and captures of one context, which end with it.
class GraphsOfContext : public ContextAttachment {
public:
    explicit GraphsOfContext(const Context& context) : context_(context.live_handle()) {}
    void add(const std::shared_ptr<GraphResources>& resources);
    void add(CUgraphExec graph, std::shared_ptr<ExecutableUses> uses);
    /// The resources of an executable graph that is being destroyed; null if unknown.
    std::shared_ptr<ExecutableUses> take(CUgraphExec graph) noexcept;
    void context_ends(bool reachable) noexcept override;

private:
    const std::shared_ptr<const std::atomic<CUcontext>> context_;
    std::mutex mutex_;
    std::vector<std::weak_ptr<GraphResources>> all_;
    std::unordered_map<CUgraphExec, std::shared_ptr<ExecutableUses>> executables_;
};

}  // namespace pycuda
