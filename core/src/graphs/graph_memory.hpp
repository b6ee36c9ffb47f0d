#pragma once

#include <cuda.h>

#include <memory>
#include <vector>

#include "pycuda/contexts/context.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

/// The memory that nodes of one graph allocate. A launch leaves it allocated unless a node frees it, also when the
/// graph is destroyed. Its addresses belong to the graph as long as the driver has that or an executable graph of it,
/// and may be given to others afterwards. So this object ends last: it frees what launches have left, and then destroys
/// the driver's graph. Guarded by the mutex of its GraphResources.
class GraphMemory {
public:
    explicit GraphMemory(Context& context) : context_(context.shared_from_this()) {}
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    void add(DevicePtr address) { addresses_.push_back(address); }
    const std::vector<DevicePtr>& addresses() const noexcept { return addresses_; }
    /// The program has closed the graph.
    void take(CUgraph graph) noexcept { graph_ = graph; }
    /// The capture was lost, and the driver has released its addresses.
    void forget() noexcept { addresses_.clear(); }

private:
    const std::shared_ptr<Context> context_;
    std::vector<DevicePtr> addresses_;
    CUgraph graph_ = nullptr;
};

}  // namespace pycuda
