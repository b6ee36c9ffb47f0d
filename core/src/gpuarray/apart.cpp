#include "apart.hpp"

namespace pycuda::gpuarray {
namespace {

/// The bytes from the first to the last element of one reach into those of the other.
bool share_memory(const ArrayRef& a, const ArrayRef& b) {
    if (a.layout->size() == 0 || b.layout->size() == 0) return false;
    const auto at = [](const ArrayRef& array, std::int64_t offset) {
        return array.address + static_cast<DevicePtr>(offset);
    };
    return at(a, a.layout->lowest()) < at(b, b.layout->highest()) &&
           at(b, b.layout->lowest()) < at(a, a.layout->highest());
}

}  // namespace

Apart::Apart(Kernels& kernels, const ArrayRef& in, const ArrayRef& out, CUstream stream, bool same_view) : ref_(in) {
    if (same_view ? !overlaps_destructively(*out.layout, out.address, *in.layout, in.address) : !share_memory(in, out))
        return;
    layout_ = in.layout->packed_like(in.layout->itemsize());
    memory_.emplace(static_cast<std::size_t>(layout_.nbytes()), stream);
    ref_ = {memory_->pointer(), &layout_, in.dtype};
    copy(kernels, ref_, in, stream);
}

}  // namespace pycuda::gpuarray
