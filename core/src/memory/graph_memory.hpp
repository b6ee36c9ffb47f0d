#pragma once

#include <cuda.h>

#include <memory>
#include <mutex>
#include <vector>

#include "captures/graph_resources.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

/// The memory that nodes of one graph allocate. A launch leaves it allocated unless a node frees it, also when the
/// graph is destroyed. Its addresses belong to the graph as long as the driver has that or an executable graph of it,
/// and may be given to others afterwards. So this object ends last: other graphs that use the memory keep it, too. It
/// frees what launches have left, and then destroys the driver's graph. Thread-safe.
class GraphMemory final : public GraphPart {
public:
    explicit GraphMemory(Context& context) : context_(context.shared_from_this()) {}
    ~GraphMemory() override;

    void add(DevicePtr address);
    /// The program has closed the graph: destroy the driver's after the memory.
    void take(CUgraph graph) noexcept;
    void graph_ends(std::shared_ptr<GraphPart> self) noexcept override;
    /// The driver has released the addresses.
    void capture_is_lost() noexcept override;

private:
    const std::shared_ptr<Context> context_;
    std::mutex mutex_;
    std::vector<DevicePtr> addresses_;
    CUgraph graph_ = nullptr;
};

}  // namespace pycuda
