#pragma once

#include <cuda.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "captures/graph_resources.hpp"
#include "graphs/executable_uses.hpp"
#include "pycuda/contexts/context.hpp"

namespace pycuda {

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
