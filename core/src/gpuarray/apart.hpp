#pragma once

#include <optional>

#include "pycuda/gpuarray/elementwise.hpp"
#include "scratch.hpp"

namespace pycuda::gpuarray {

/// An operand of a launch whose writes to `out` come in another order than its reads: the operand itself, or, where the
/// two share memory, a packed copy of it in scratch memory. For operations that read where they do not write.
class Apart {
public:
    /// `same_view`: the operation may have the very view that it writes to as its operand.
    Apart(Kernels& kernels, const ArrayRef& in, const ArrayRef& out, CUstream stream, bool same_view = false);
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;
    const ArrayRef& ref() const noexcept { return ref_; }

private:
    std::optional<Scratch> memory_;
    Layout layout_;
    ArrayRef ref_;
};

}  // namespace pycuda::gpuarray
