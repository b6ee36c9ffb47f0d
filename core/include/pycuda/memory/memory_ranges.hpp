#pragma once

#include <cuda.h>

#include <cstddef>
#include <vector>

#include "pycuda/streams/held_address.hpp"

namespace pycuda {

class Stream;

/// Ranges of managed memory, of which a stream prefetches or discards all by one driver call. The call as a whole is in
/// the stream's order. Keeps the owners of the memory until the work is done. Needs a driver of CUDA 13.0, and devices
/// that access managed memory concurrently with the host.
class MemoryRanges {
public:
    MemoryRanges() = default;

    void add(const HeldAddress& devptr, std::size_t nbytes);
    /// Keep an object as long as the memory's owners.
    void keep(std::shared_ptr<void> owner) { owners_.add(std::move(owner)); }
    /// How many there are.
    std::size_t count() const noexcept { return ranges_.size(); }

    // Each is a no-op without ranges, and raises LogicError for other memory, ranges of 0 bytes, the legacy default
    // stream and a device that does not exist.
    /// Move them to a device (cuMemPrefetchBatchAsync); -1 is the host.
    void prefetch(int device, const Stream& stream) const;
    /// Their content is not needed any more: it is undefined until they are written or prefetched
    /// (cuMemDiscardBatchAsync).
    void discard(const Stream& stream) const;
    /// Move them without their content (cuMemDiscardAndPrefetchBatchAsync).
    void discard_and_prefetch(int device, const Stream& stream) const;

private:
    struct Range {
        CUdeviceptr address;
        std::size_t nbytes;
    };
    template <class Function, class... More>
    void queue(const Function& function, const Stream& stream, More... more) const;
    template <class Function>
    void queue_to(const Function& function, int device, const Stream& stream) const;

    std::vector<Range> ranges_;
    HeldOwners owners_;
};

}  // namespace pycuda
