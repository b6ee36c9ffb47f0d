#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "pycuda/device_memory.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

/// Device memory that a stream takes from the driver's own pool, and gives back to it, in the order of its work.
/// Whoever uses it on other streams sees to it that they come after its allocation and before its end.
class StreamOrderedAllocation final : public DeviceMemory {
public:
    ~StreamOrderedAllocation() override { release(); }

    DevicePtr pointer() const override;
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override;
    const char* what() const noexcept override { return name; }
    bool is_closed() const noexcept override { return !open_.load(std::memory_order_acquire); }

    /// Gives the memory back once `stream` has done what is queued on it now (cuMemFreeAsync); null: the default stream
    /// of the memory's context. The object is closed from here on. Where this fails, the memory goes back at once.
    /// free(), and the end of the object, wait for all work of the context instead, as nobody knows what still uses it.
    void free_async(const Stream* stream = nullptr);

    static constexpr const char* name = "stream-ordered allocation";

private:
    friend class StreamOrderedPool;
    friend std::unique_ptr<StreamOrderedAllocation> mem_alloc_async(std::size_t bytes, const Stream* stream);
    /// What `attempt(&address, stream)`, which calls the driver's `call`, allocates.
    template <class Call, class Attempt>
    static std::unique_ptr<StreamOrderedAllocation> take_with(std::size_t bytes, const Stream* stream, const Call& call,
                                                              Attempt attempt);
    /// What `attempt(&address)`, which calls the driver's `call`, opens of another process.
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
/// default stream of the current context. Makes room as DeviceAllocation does. LogicError for no bytes; RuntimeError
/// where the driver lacks the call.
std::unique_ptr<StreamOrderedAllocation> mem_alloc_async(std::size_t bytes, const Stream* stream = nullptr);

}  // namespace pycuda
