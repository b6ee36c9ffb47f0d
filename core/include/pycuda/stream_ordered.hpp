#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "pycuda/device_memory.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

/// Device memory that a stream allocates from the driver's pool, and frees, in the order of its work. Uses on other
/// streams must be ordered after its allocation and before its end by the program.
class StreamOrderedAllocation final : public DeviceMemory {
public:
    ~StreamOrderedAllocation() override { release(); }

    DevicePtr pointer() const override;
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override;
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override { return !open_.load(std::memory_order_acquire); }

    /// Free the memory when `stream` has completed the work queued so far (cuMemFreeAsync); null means the default
    /// stream of the memory's context. The object is closed. If the call fails, the memory is freed at once. free() and
    /// destruction wait for all work of the context instead, because it is unknown which work still uses the memory.
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
    bool release() noexcept override;
    bool take() noexcept;

    const DevicePtr address_;
    const std::size_t size_;
    const std::shared_ptr<Context> context_;
    std::atomic<bool> open_{true};
};

/// `bytes` bytes that work on `stream` may use from now on (cuMemAllocAsync), in the stream's context; null: the
/// default stream of the current context. If memory runs out, it is handled as by DeviceAllocation. LogicError for 0
/// bytes; RuntimeError if the driver lacks the call.
std::unique_ptr<StreamOrderedAllocation> mem_alloc_async(std::size_t bytes, const Stream* stream = nullptr);

}  // namespace pycuda
