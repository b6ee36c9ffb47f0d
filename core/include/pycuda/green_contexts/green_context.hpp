#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "pycuda/devices/device.hpp"
#include "pycuda/streams/event.hpp"

namespace pycuda {

class Stream;

/// Groups of SMs of different sizes, for SMResource.split_into. A value: owns nothing.
class SMGroups {
public:
    SMGroups() = default;
    /// Add a group of `sm_count` SMs, a multiple of 2 and of `coscheduled`; 0: as many as there are left. Clusters of
    /// blocks can have up to `coscheduled` blocks; 0: the device's default. `preferred_coscheduled`: join such parts of
    /// the group to larger ones if possible; 0: do not. `backfill`: SMs that are not coscheduled fill the group up.
    void add(unsigned sm_count, unsigned coscheduled = 0, unsigned preferred_coscheduled = 0, bool backfill = false);
    std::size_t count() const noexcept { return groups_.size(); }

#ifndef SWIG
    /// CU_DEV_SM_RESOURCE_GROUP_PARAMS, which CUDA 13.1 introduced.
    struct Group {
        unsigned sm_count, coscheduled, preferred_coscheduled, flags;
        unsigned reserved[12];
    };
    const std::vector<Group>& groups() const noexcept { return groups_; }
#endif

private:
    std::vector<Group> groups_;
};

/// Streaming multiprocessors (SMs) of one device, to be divided among green contexts. A value: owns nothing.
class SMResource {
public:
    /// All SMs of a device (cuDeviceGetDevResource). Needs a driver of CUDA 12.4.
    explicit SMResource(const Device& device);

    /// The SMs of a context, also of one that a green context was converted to (cuCtxGetDevResource). LogicError if the
    /// driver does not report them.
    static SMResource of_context(const Context& context);

    /// The SMs on which a stream's kernels run (cuStreamGetDevResource). Needs a driver of CUDA 13.1.
    static SMResource of_stream(const Stream& stream);

    unsigned sm_count() const noexcept { return resource_.sm.smCount; }
    /// The minimum number of SMs in a group; 0 if the driver does not report it (before CUDA 13.0).
    unsigned min_partition_size() const noexcept { return resource_.sm.minSmPartitionSize; }
    /// Sizes of groups are multiples of it; 0 if the driver does not report it (before CUDA 13.0).
    unsigned coscheduled_alignment() const noexcept { return resource_.sm.smCoscheduledAlignment; }
    Device device() const noexcept { return device_; }

    /// Disjoint groups of at least `sm_count` SMs each, all of one size, followed by the rest if SMs are left
    /// (cuDevSmResourceSplitByCount). `groups`: the maximum number of groups; 0: no limit. `flags`:
    /// sm_split_flags. A group cannot be split again: create a green context from it, and split that context's
    /// resource.
    std::vector<SMResource> split(unsigned sm_count, unsigned groups = 0, unsigned flags = 0) const;

    /// Disjoint groups of the given sizes, followed by the rest if SMs are left (cuDevSmResourceSplit). Needs a driver
    /// of CUDA 13.1.
    std::vector<SMResource> split_into(const SMGroups& groups) const;

#ifndef SWIG
    SMResource(const CUdevResource& resource, const Device& device) : resource_(resource), device_(device) {}
    const CUdevResource& raw() const noexcept { return resource_; }
#endif

private:
    CUdevResource resource_{};
    Device device_;
};

struct GreenContextTraits {
    using type = CUgreenCtx;
    static constexpr const char* what = "green context";
    static void destroy(CUgreenCtx green) noexcept;
};

/// A part of a device's primary context whose work runs on its own SMs. Memory, modules and arrays of the primary
/// context are used on its streams as on any other. The driver's green context is destroyed after this object,
/// its streams and its converted context. Needs a driver of CUDA 12.5. Thread-safe.
class GreenContext {
public:
    /// cuGreenCtxCreate. `resources`: from one device, and different ones of one split if several
    /// (std::invalid_argument). The device's primary context must be current (LogicError).
    explicit GreenContext(const std::vector<SMResource>& resources);
    ~GreenContext();
    GreenContext(const GreenContext&) = delete;
    GreenContext& operator=(const GreenContext&) = delete;

    /// A non-blocking stream whose kernels run on the SMs of the green context (cuGreenCtxStreamCreate). It belongs to
    /// the primary context.
    Stream create_stream(int priority = 0) const;
    SMResource sm_resource() const;  ///< its SMs, which can be split again (cuGreenCtxGetDevResource)
    /// A context that can be pushed (cuCtxFromGreenCtx): while it is current, the default stream and new streams run on
    /// these SMs. Objects created in it belong to it. Pushing and popping it orders its default stream with the
    /// primary context's; in between, no other thread may use the same memory on the primary
    /// context's. It ends when it is no longer used: detach has no effect.
    std::shared_ptr<Context> as_context() const;

    void synchronize() const;                       ///< wait for the work of all its streams
    void record_event(const Event& event) const;    ///< record the work of all its streams (cuGreenCtxRecordEvent)
    void wait_for_event(const Event& event) const;  ///< let all its streams wait (cuGreenCtxWaitEvent)
    std::uint64_t id() const;                       ///< unique in this process (cuGreenCtxGetId)

    CUgreenCtx handle() const;
    /// Its streams and its converted context stay usable.
    void close() noexcept;

private:
    struct Part;
    std::shared_ptr<Part> part() const;

    mutable std::mutex mutex_;
    std::shared_ptr<Part> part_;
};

}  // namespace pycuda
