#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "pycuda/contexts/context.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda::gpuarray {

/// Device memory for a few launches on one stream, from the current context's pool. It may be freed as soon as they are
/// queued, because the pool is stream-ordered.
class Scratch {
public:
    Scratch(std::size_t nbytes, CUstream stream) : pool_(current().pool), block_(pool_->take(nbytes, stream)) {
        pool_->note_use(block_, stream);
    }
    ~Scratch() { pool_->give(block_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::uint64_t pointer() const noexcept { return block_.address; }

private:
    std::shared_ptr<MemoryPool> pool_;
    PoolBlock block_;
};

/// An operand of a launch that writes `out` in another order than it reads: the operand itself, or, if the two share
/// memory, a packed copy of it.
class Apart {
public:
    /// `same_view`: the operation works if the operand is exactly the view that it writes to.
    Apart(Kernels& kernels, const ArrayRef& in, const ArrayRef& out, CUstream stream, bool same_view = false)
        : ref_(in) {
        if (same_view ? !overlaps_destructively(*out.layout, out.address, *in.layout, in.address)
                      : !share_memory(in, out))
            return;
        layout_ = in.layout->packed_like(in.layout->itemsize());
        memory_.emplace(static_cast<std::size_t>(layout_.nbytes()), stream);
        ref_ = {memory_->pointer(), &layout_, in.dtype};
        copy(kernels, ref_, in, stream);
    }
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;
    const ArrayRef& ref() const noexcept { return ref_; }

private:
    /// True if the ranges from the first to the last byte of the two overlap.
    static bool share_memory(const ArrayRef& a, const ArrayRef& b) {
        if (a.layout->size() == 0 || b.layout->size() == 0) return false;
        const auto at = [](const ArrayRef& array, std::int64_t offset) {
            return array.address + static_cast<DevicePtr>(offset);
        };
        return at(a, a.layout->lowest()) < at(b, b.layout->highest()) &&
               at(b, b.layout->lowest()) < at(a, a.layout->highest());
    }

    std::optional<Scratch> memory_;
    Layout layout_;
    ArrayRef ref_;
};

}  // namespace pycuda::gpuarray
