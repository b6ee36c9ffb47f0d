// Parts of arrays, and new arrays like others, for operations composed of other operations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
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

/// An uninitialised array in C order, from the allocator of `like`. It has the items of `like` if `dtype` is the same.
inline Array new_beside(const Array& like, DType dtype, std::span<const std::int64_t> shape, CUstream stream) {
    const std::int64_t itemsize = dtype == like.dtype() ? like.layout().itemsize() : info(dtype).size;
    return like.empty_beside(dtype, Layout(shape, itemsize), stream);
}

/// The elements of an axis from `start` up to, but not including, `stop`.
inline Array part_of(const Array& array, int axis, std::int64_t start, std::int64_t stop) {
    std::vector<IndexPart> parts(static_cast<std::size_t>(axis) + 1);
    parts.back() = {IndexPart::Kind::Range, true, true, start, stop, 1};
    const views::View part = views::index(array.layout(), parts);
    return array.view(part.layout, part.offset);
}

/// The array, converted if it has another type.
inline Array as_type(const Array& array, DType dtype, CUstream stream) {
    return array.dtype() == dtype ? array : converted(array, dtype, Order::Keep, stream);
}

/// The type that both can be converted to. A structure type is only compatible with itself.
inline DType common_dtype(DType a, DType b) {
    return a == b ? a : promote(a, b);
}

inline DType common_dtype(const Array& a, const Array& b) {
    return common_dtype(a.dtype(), b.dtype());
}

/// The shape that both broadcast to. std::invalid_argument if there is none.
inline Lengths common_shape(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    const Layout of_a(a, 1), of_b(b, 1);
    const Layout* const both[] = {&of_a, &of_b};
    const Layout common = broadcast(both, 1);
    return Lengths(common.shape().begin(), common.shape().end());
}

/// The elements with another shape: a view if the layout allows it, else a copy.
inline Array with_shape(const Array& array, std::span<const std::int64_t> shape, CUstream stream) {
    if (const auto view = views::reshape(array.layout(), shape)) return array.view(*view);
    return in_c_order(array, stream).reshaped(shape);
}

/// start, start + 1, ... (int64), along one axis.
Array counted(const Array& like, std::int64_t length, std::int64_t start, CUstream stream);

/// The elements of an int64 array, after waiting for the stream.
Lengths numbers_of(const Array& array, CUstream stream);

/// Operations as expressions, queued on one stream.
struct Calculation {
    CUstream stream;

    Array operator()(Op op, std::initializer_list<Operand> operands, ResultType type = ResultType::Usual) const {
        return std::move(*apply(op, {operands.begin(), operands.size()}, type, stream));
    }
    /// The same, written to `out`.
    void into(const Array& out, Op op, std::initializer_list<Operand> operands, ResultType type) const {
        apply_into(out, op, {operands.begin(), operands.size()}, type, stream);
    }
    Array reduce(Reduction op, const Array& array, std::uint32_t axes, bool keepdims = false,
                 std::optional<DType> dtype = std::nullopt) const {
        const Array* const inputs[] = {&array};
        return std::move(*reduced(op, inputs, axes, keepdims, dtype, stream));
    }
    Array conjugate(const Array& array) const {
        return is_complex(array.dtype()) ? (*this)(Op::conj, {&array}) : array;
    }
};

}  // namespace pycuda::gpuarray
