#pragma once

#include "state/context.hpp"

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace cpu::state {

class Event;

/// SMs are shares of the threads that run launches. Any number of them makes a group.
namespace sm_resource {

/// All of a device.
CUdevResource of(const Device& device);
/// At most `groups` of `size` SMs; the result's last is the rest. Throws CUDA_ERROR_INVALID_RESOURCE_TYPE,
/// CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION (it is of a split itself), CUDA_ERROR_INVALID_VALUE.
std::vector<CUdevResource> split(const CUdevResource& resource, unsigned groups, unsigned size);
/// A handle for a green context of them, which never ends. Throws as split.
CUdevResourceDesc describe(std::span<const CUdevResource> resources);

}  // namespace sm_resource

/// Streams of a device's primary context, whose kernels run on a share of the threads. Retains that context.
class GreenContext : public std::enable_shared_from_this<GreenContext> {
public:
    /// Makes and registers it. Throws CUDA_ERROR_INVALID_VALUE for what describe has not given for that device.
    static std::shared_ptr<GreenContext> create(Device& device, CUdevResourceDesc description);
    /// Its streams cannot be used any more.
    void destroy();
    bool is_destroyed() const noexcept { return destroyed_.load(std::memory_order_acquire); }

    CUgreenCtx handle() const noexcept { return handle_; }
    /// The handle that makes it current; contexts() finds the primary context under it.
    CUcontext converted() const noexcept { return converted_; }
    const std::shared_ptr<Context>& primary() const noexcept { return primary_; }
    std::uint64_t id() const noexcept { return id_; }
    unsigned sms() const noexcept { return sms_; }
    /// That a launch may use.
    unsigned threads() const noexcept { return threads_; }
    CUdevResource resource() const;

    std::shared_ptr<Stream> create_stream(int priority);
    /// The stream that a null stream means while this context is current.
    std::shared_ptr<Stream> default_stream();
    std::vector<std::shared_ptr<Stream>> streams() const;
    void synchronize();
    /// The points after all present work of its streams.
    void record(Event& event);
    /// All work queued on its streams from now on waits.
    void hold_back(const Event& event);

    GreenContext(Device& device, unsigned sms);

private:
    CUgreenCtx handle_;
    CUcontext converted_;
    std::shared_ptr<Context> primary_;
    std::uint64_t id_;
    unsigned sms_;
    unsigned threads_;
    std::atomic<bool> destroyed_{false};

    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<Stream>> streams_;
    std::shared_ptr<Stream> default_;
    std::vector<Fence> held_back_by_;  ///< what new streams wait for
};

inline Registry<GreenContext, CUgreenCtx>& green_contexts() {
    return registry<GreenContext, CUgreenCtx>();
}

/// The green context with this converted handle; null for other contexts.
std::shared_ptr<GreenContext> green_of(CUcontext handle);

}  // namespace cpu::state
