// Parts of arrays, and arrays beside them, for what is composed of other operations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

using Lengths = std::vector<std::int64_t>;

inline Lengths shape_of(const Array& array) {
    const auto shape = array.layout().shape();
    return Lengths(shape.begin(), shape.end());
}

inline Array in_c_order(const Array& array, CUstream stream) {
    return array.layout().is_c_contiguous() ? array : converted(array, array.dtype(), Order::C, stream);
}

/// Not initialised, in C order, from the allocator of `like`, whose items it has if `dtype` is its own.
inline Array new_beside(const Array& like, DType dtype, std::span<const std::int64_t> shape, CUstream stream) {
    const std::int64_t itemsize = dtype == like.dtype() ? like.layout().itemsize() : info(dtype).size;
    return like.empty_beside(dtype, Layout(shape, itemsize), stream);
}

/// The elements from `start` to before `stop` of an axis.
inline Array part_of(const Array& array, int axis, std::int64_t start, std::int64_t stop) {
    std::vector<IndexPart> parts(static_cast<std::size_t>(axis) + 1);
    parts.back() = {IndexPart::Kind::Range, true, true, start, stop, 1};
    const views::View part = views::index(array.layout(), parts);
    return array.view(part.layout, part.offset);
}

/// Converted, if it is of another type.
inline Array as_type(const Array& array, DType dtype, CUstream stream) {
    return array.dtype() == dtype ? array : converted(array, dtype, Order::Keep, stream);
}

template <std::size_t n>
Array applied(Op op, const Operand (&operands)[n], ResultType type, CUstream stream) {
    return std::move(*apply(op, operands, type, stream));
}

}  // namespace pycuda::gpuarray
