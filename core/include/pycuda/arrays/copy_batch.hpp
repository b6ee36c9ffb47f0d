#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pycuda/arrays/memcpy_nd.hpp"
#include "pycuda/constants/constants.hpp"
#include "pycuda/streams/held_address.hpp"

namespace pycuda {

class Stream;

/// Copies that a stream carries out by one driver call. The batch as a whole is in the stream's order; its copies are
/// not ordered among each other, so none may write what another one reads or writes. Needs a driver of CUDA 13.0.
class CopyBatch {
public:
    CopyBatch() = default;

    /// Copy `nbytes` bytes between device memory, managed or host memory. Its owners are kept until the work is done.
    /// `order`: when the source may be read. `flags`: memcpy_flags.
    void add(const HeldAddress& destination, const HeldAddress& source, std::size_t nbytes,
             pycuda::MemcpySrcAccessOrder order = pycuda::MemcpySrcAccessOrder::STREAM, unsigned flags = 0);
    /// A copy of a rectangle or a box, as `copy` is now; its ends are kept until the work is done. LogicError if an end
    /// is not set or the copy is one between contexts, std::invalid_argument if it would exceed host memory.
    void add_box(const StructuredCopy& copy, pycuda::MemcpySrcAccessOrder order = pycuda::MemcpySrcAccessOrder::STREAM,
                 unsigned flags = 0);
    /// Keep an object as long as the memory's owners.
    void keep(std::shared_ptr<void> owner) { owners_.add(std::move(owner)); }
    /// How many there are.
    std::size_t count() const noexcept { return lines_.size() + boxes_.size(); }

    /// Queue all (cuMemcpyBatchAsync; with boxes cuMemcpy3DBatchAsync); without any, a no-op. LogicError for the legacy
    /// default stream, copies of nothing, and what the driver refuses; then none is queued.
    void queue(const Stream& stream) const;

private:
    struct Line {
        CUdeviceptr destination, source;
        std::size_t nbytes;
        CUmemcpyAttributes attributes;
    };
    struct Box {
        CUDA_MEMCPY3D description;
        CopyEnd source, destination;
        CUmemcpyAttributes attributes;
    };
    void note_in_captures(CUstream stream) const;
    std::string why_refused(CUresult result) const;
    void queue_lines(CUstream stream) const;
    void queue_boxes(CUstream stream) const;

    std::vector<Line> lines_;
    HeldOwners owners_;  ///< of the lines' ends
    std::vector<Box> boxes_;
};

}  // namespace pycuda
