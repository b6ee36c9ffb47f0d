#include "gpuarray/units.hpp"

#include <algorithm>

namespace pycuda::gpuarray {

std::int64_t common_unit(std::initializer_list<const ArrayRef*> arrays) {
    std::uint64_t bits = static_cast<std::uint64_t>((*arrays.begin())->layout->itemsize());
    for (const ArrayRef* array : arrays) {
        // Elements of 16 bytes are moved as two of 8 if they are aligned only to 8.
        if (array->address % 16 == 8) bits |= 16;
        if (array->address % 8) bits |= array->address;
        for (std::size_t axis = 0; axis < array->layout->shape().size(); ++axis)
            if (array->layout->shape()[axis] > 1) {
                const auto stride = static_cast<std::uint64_t>(array->layout->strides()[axis]);
                bits |= stride % 16 == 8 ? 16 : stride;
            }
    }
    const auto unit = static_cast<std::int64_t>(bits & (~bits + 1));
    return std::min<std::int64_t>(unit, 16);
}

DType dtype_of_unit(std::int64_t unit) {
    switch (unit) {
        case 1:
            return DType::UInt8;
        case 2:
            return DType::UInt16;
        case 4:
            return DType::UInt32;
        case 8:
            return DType::UInt64;
        default:
            return DType::Complex128;
    }
}

Layout in_units(const Layout& layout, std::int64_t unit) {
    const std::int64_t count = layout.itemsize() / unit;
    std::int64_t shape[max_axes + 1], strides[max_axes + 1];
    auto axes = layout.shape().size();
    std::copy(layout.shape().begin(), layout.shape().end(), shape);
    std::copy(layout.strides().begin(), layout.strides().end(), strides);
    if (count != 1) {
        shape[axes] = count;
        strides[axes++] = unit;
    }
    return Layout(std::span<const std::int64_t>(shape, axes), std::span<const std::int64_t>(strides, axes), unit);
}

}  // namespace pycuda::gpuarray
