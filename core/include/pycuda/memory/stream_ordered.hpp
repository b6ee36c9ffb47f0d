#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class GraphResources;
class Stream;

/// Device memory that a stream allocates from the driver's pool, and frees, in the order of its work. Uses on other
/// streams must be ordered after its allocation and before its end by the program. Memory allocated while the stream is
/// captured belongs to the graph: each launch allocates it, and it can be used until a node or the program frees it,
/// the graph is launched again, or the graph, its executable graphs and their launches are gone. This object then
/// refers to the graph's memory, and frees nothing when it is dropped.
class StreamOrderedAllocation final : public DeviceMemory {
public:
    ~StreamOrderedAllocation() override { release(); }

    DevicePtr pointer() const override {
        require_open();
        return noted(address_);
    }
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override;
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override { return !open_.load(std::memory_order_acquire); }

#ifndef SWIG
    /// DeviceMemory::free. Memory of a graph is what the last launch left; LogicError if it left nothing.
    void free() override;
#endif
    /// Free the memory when `stream` has completed the work queued so far (cuMemFreeAsync); null means the default
    /// stream of the memory's context. The object is closed. If the call fails, the memory is freed at once. free() and
    /// destruction wait for all work of the context instead, because it is unknown which work still uses the memory.
    /// If `stream` is captured, the graph frees memory of a graph there. Otherwise what the last launch left is freed;
    /// LogicError if it left nothing.
    void free_async(const Stream* stream = nullptr);

    static constexpr const char* name = "stream-ordered allocation";

private:
    friend class StreamOrderedPool;
    friend std::unique_ptr<StreamOrderedAllocation> mem_alloc_async(std::size_t bytes, const Stream* stream);
    /// The memory allocated by `attempt(&address, stream)`, which calls the driver's `call`.
    template <class Call, class Attempt>
    static std::unique_ptr<StreamOrderedAllocation> take_with(std::size_t bytes, const Stream* stream, const Call& call,
                                                              Attempt attempt);
    /// The memory of another process opened by `attempt(&address)`, which calls the driver's `call`.
    template <class Call, class Attempt>
    static std::unique_ptr<StreamOrderedAllocation> import_with(const Call& call, Attempt attempt);
    StreamOrderedAllocation(DevicePtr address, std::size_t size, std::shared_ptr<Context> context);
    void belongs_to(const std::shared_ptr<GraphResources>& graph);
    template <class Call, class Attempt>
    void free_of_graph(const Call& call, Attempt attempt);
    /// LogicError after free, after the context's end, and for memory of a graph that is gone.
    void require_open() const;
    bool release() noexcept override;
    bool take() noexcept;

    const DevicePtr address_;
    const std::size_t size_;
    const std::shared_ptr<Context> context_;
    std::shared_ptr<void> pool_;  ///< keeps the pool that it is from until it is freed; null: the driver's own pool
    std::atomic<bool> open_{true};
    bool is_of_graph_ = false;
    std::weak_ptr<GraphResources> graph_;  ///< that allocates it
};

/// `bytes` bytes that work on `stream` may use from now on (cuMemAllocAsync), in the stream's context; null: the
/// default stream of the current context. If memory runs out, it is handled as by DeviceAllocation. LogicError for 0
/// bytes; RuntimeError if the driver lacks the call.
std::unique_ptr<StreamOrderedAllocation> mem_alloc_async(std::size_t bytes, const Stream* stream = nullptr);

}  // namespace pycuda
