#pragma once

#include <cuda.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "pycuda/context.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda {

/// What the nodes of a graph use. The driver holds a reference for the graph, its clones, its executable graphs and
/// their launches that are under way (a user object), so it lives for as long as any of them. Thread-safe.
class GraphResources : public std::enable_shared_from_this<GraphResources> {
public:
    GraphResources() = default;
    ~GraphResources();
    GraphResources(const GraphResources&) = delete;
    GraphResources& operator=(const GraphResources&) = delete;

    /// Lets `graph` hold a reference. RuntimeError that names the version where the driver is too old for that.
    void attach_to(CUgraph graph);
    /// Nothing once the context has ended.
    void keep(const std::shared_ptr<void>& object);
    /// The pool for memory of captured operations: nothing else takes blocks from it.
    std::shared_ptr<MemoryPool> pool(Context& context);
    bool owns(const MemoryPool& pool) const noexcept;
    /// Lets go of everything: the context has ended.
    void clear() noexcept;

private:
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<void>> kept_;
    bool ended_ = false;
    std::shared_ptr<MemoryPool> pool_;
};

/// The graphs and captures of one context, which go with it.
class GraphsOfContext : public ContextAttachment {
public:
    explicit GraphsOfContext(const Context& context) : context_(context.live_handle()) {}
    void add(const std::shared_ptr<GraphResources>& resources);
    void context_ends(bool reachable) noexcept override;

private:
    const std::shared_ptr<const std::atomic<CUcontext>> context_;
    std::mutex mutex_;
    std::vector<std::weak_ptr<GraphResources>> all_;
};

}  // namespace pycuda
