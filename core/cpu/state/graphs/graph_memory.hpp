#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace cpu::state {
struct Allocation;
class Context;
class Device;
}  // namespace cpu::state

namespace cpu::state::graphs {

/// Memory that launches of a graph allocate and free. Its address is fixed; kernels and copies can access it from a
/// launch that allocates it until it is freed, even if the graph ends before, or until the launch's context ends.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
public:
    /// Reserves an address. Throws CUDA_ERROR_INVALID_VALUE for zero bytes, CUDA_ERROR_OUT_OF_MEMORY.
    static std::shared_ptr<GraphMemory> make(Device& device, std::size_t bytes, CUgraph graph);
    GraphMemory(Device& device, std::size_t bytes, CUgraph graph);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    CUdeviceptr address() const noexcept;
    std::size_t bytes() const noexcept;
    const std::shared_ptr<Allocation>& allocation() const noexcept { return allocation_; }
    Device& device() const noexcept { return device_; }
    /// True if a launch allocated it, and no later call frees it.
    bool is_unfreed() const;
    /// Takes its size from the device's budget, for launches. Throws CUDA_ERROR_OUT_OF_MEMORY.
    void reserve();
    /// Called when a launch that allocates it is queued.
    void allocate(const Context& context);
    /// The context of its last launch ends.
    void drop();
    /// The graph whose node allocates it.
    CUgraph graph() const noexcept { return graph_; }
    /// Called when a free is queued. Returns the function that frees the memory when the free runs, unless a later
    /// launch has allocated it again.
    std::function<void()> free();
    /// Returns its size to the device's budget, unless it is allocated.
    void give_back();
    /// Records that a node of `graph` frees it. Either the graph that allocates it may free it, or other graphs and the
    /// program. Throws CUDA_ERROR_INVALID_VALUE.
    void note_free_node(CUgraph graph);
    /// Called when the program frees it. Throws CUDA_ERROR_INVALID_VALUE if its graph frees it.
    std::function<void()> free_by_program();

private:
    void take_away(std::uint64_t launch);

    Device& device_;
    const CUgraph graph_;
    std::shared_ptr<Allocation> allocation_;
    std::size_t charge_ = 0;
    mutable std::mutex mutex_;
    std::uint64_t launch_ = 0;  ///< the last launch that allocated it
    bool unfreed_ = false;
    bool present_ = false;
    bool charged_ = false;
    bool freed_inside_ = false, freed_outside_ = false;
};

/// The memory of a graph that contains the whole range, whether allocated now or not; nullptr if there is none.
std::shared_ptr<Allocation> find_graph_memory(CUdeviceptr address, std::size_t bytes);
/// The memory that a graph has at the address; nullptr if there is none.
std::shared_ptr<GraphMemory> graph_memory_at(CUdeviceptr address);

/// Frees what launches in this context have left.
void drop_graph_memory_of(const Context& context);
/// Releases memory that no launch uses.
void trim_graph_memory(Device& device);
/// Throw CUDA_ERROR_INVALID_VALUE.
std::uint64_t graph_memory_attribute(Device& device, CUgraphMem_attribute attribute);
void reset_graph_memory_attribute(Device& device, CUgraphMem_attribute attribute);

}  // namespace cpu::state::graphs
