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

/// Memory that launches of a graph allocate and free. Its address never changes; it is there, for kernels and copies,
/// from a launch that allocates it until it is freed.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
public:
    /// Takes an address. Throws CUDA_ERROR_INVALID_VALUE for no bytes, CUDA_ERROR_OUT_OF_MEMORY.
    static std::shared_ptr<GraphMemory> make(Device& device, std::size_t bytes, CUgraph graph);
    GraphMemory(Device& device, std::size_t bytes, CUgraph graph);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    CUdeviceptr address() const noexcept;
    std::size_t bytes() const noexcept;
    const std::shared_ptr<Allocation>& allocation() const noexcept { return allocation_; }
    Device& device() const noexcept { return device_; }
    /// A launch allocated it, and nothing that was called since frees it.
    bool is_unfreed() const;
    /// Takes its share of the device's memory, for launches. Throws CUDA_ERROR_OUT_OF_MEMORY.
    void reserve();
    /// A launch that allocates it is queued.
    void allocate();
    /// A free is queued. When it is its turn, what is returned takes the memory away, unless a later launch has it.
    std::function<void()> free();
    /// Gives up its share of the device's memory, unless it is there.
    void give_back();
    /// A node of `graph` is to free it. Either the graph that allocates it does, or others and the program do. Throws
    /// CUDA_ERROR_INVALID_VALUE.
    void note_free_node(CUgraph graph);
    /// The program frees it. Throws CUDA_ERROR_INVALID_VALUE when its graph does.
    std::function<void()> free_by_program();

private:
    void take_away(std::uint64_t launch);

    Device& device_;
    const CUgraph graph_;
    std::shared_ptr<Allocation> allocation_;
    std::size_t charge_ = 0;
    mutable std::mutex mutex_;
    std::uint64_t launch_ = 0;  ///< the last that allocated it
    bool unfreed_ = false;
    bool present_ = false;
    bool charged_ = false;
    bool freed_inside_ = false, freed_outside_ = false;
};

/// The memory of a graph that has all of the range, whether it is there now or not; nullptr: there is none.
std::shared_ptr<Allocation> find_graph_memory(CUdeviceptr address, std::size_t bytes);
/// The memory that a graph has at the address; nullptr: there is none.
std::shared_ptr<GraphMemory> graph_memory_at(CUdeviceptr address);

/// Gives back what no launch uses.
void trim_graph_memory(Device& device);
/// Throw CUDA_ERROR_INVALID_VALUE.
std::uint64_t graph_memory_attribute(Device& device, CUgraphMem_attribute attribute);
void reset_graph_memory_attribute(Device& device, CUgraphMem_attribute attribute);

}  // namespace cpu::state::graphs
