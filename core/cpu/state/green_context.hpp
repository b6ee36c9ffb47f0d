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

/// SMs are shares of the threads that run launches. A group may have any number of them.
namespace sm_resource {

/// All of a device.
CUdevResource of(const Device& device);
/// At most `groups` groups of `size` SMs; the last result is the rest. Throws CUDA_ERROR_INVALID_RESOURCE_TYPE,
/// CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION (if it is itself part of a split), CUDA_ERROR_INVALID_VALUE.
std::vector<CUdevResource> split(const CUdevResource& resource, unsigned groups, unsigned size);
/// A group of a split into different sizes: CU_DEV_SM_RESOURCE_GROUP_PARAMS of CUDA 13.1.
struct Group {
    unsigned size;         ///< 0: as many as there are left
    unsigned coscheduled;  ///< `size` is a multiple of it, unless the group is filled up; 0: 1
    unsigned preferred_coscheduled;
    unsigned flags;
    unsigned reserved[12];
};
/// A resource for each group, and the rest; sets the sizes that are 0. Throws what split throws.
std::vector<CUdevResource> split(const CUdevResource& resource, std::span<Group> groups);
/// A handle that describes them for a green context; it is never released. Throws what split throws.
CUdevResourceDesc describe(std::span<const CUdevResource> resources);

}  // namespace sm_resource

/// Streams of a device's primary context, whose kernels run on a share of the threads. Retains that context.
class GreenContext : public std::enable_shared_from_this<GreenContext> {
public:
    /// Creates and registers it. Throws CUDA_ERROR_INVALID_VALUE for a description that describe() has not returned for
    /// that device.
    static std::shared_ptr<GreenContext> create(Device& device, CUdevResourceDesc description);
    /// Afterwards its streams cannot be used.
    void destroy();
    bool is_destroyed() const noexcept { return destroyed_.load(std::memory_order_acquire); }

    CUgreenCtx handle() const noexcept { return handle_; }
    /// The handle that makes it current; contexts() finds the primary context under it.
    CUcontext converted() const noexcept { return converted_; }
    const std::shared_ptr<Context>& primary() const noexcept { return primary_; }
    std::uint64_t id() const noexcept { return id_; }
    unsigned sms() const noexcept { return sms_; }
    /// The number that a launch may use.
    unsigned threads() const noexcept { return threads_; }
    CUdevResource resource() const;

    std::shared_ptr<Stream> create_stream(int priority);
    /// The stream that a null stream refers to while this context is current.
    std::shared_ptr<Stream> default_stream();
    std::vector<std::shared_ptr<Stream>> streams() const;
    void synchronize();
    /// Records the points after all current work of its streams.
    void record(Event& event);
    /// Makes all work queued on its streams from now on wait.
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
    std::vector<Fence> held_back_by_;  ///< what new streams must wait for
};

inline Registry<GreenContext, CUgreenCtx>& green_contexts() {
    return registry<GreenContext, CUgreenCtx>();
}

/// The green context that was converted to this handle; null for other contexts.
std::shared_ptr<GreenContext> green_of(CUcontext handle);

}  // namespace cpu::state
