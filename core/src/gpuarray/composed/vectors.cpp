#include "pycuda/gpuarray/composed/vectors.hpp"

#include <algorithm>
#include <string>

#include "gpuarray/composed/array_parts.hpp"
#include "gpuarray/composed/decompositions.hpp"

namespace pycuda::gpuarray {
namespace {

/// The common type of both.
DType type_of_numbers(const char* name, const Array& a, const Array& b) {
    for (const Array* const array : {&a, &b})
        if (array->dtype() == DType::Opaque || array->dtype() == DType::Bool)
            throw ArgumentTypeError(std::string(name) + ": expected arrays of numbers, given " + name_of(a.dtype()) +
                                    " and " + name_of(b.dtype()));
    return common_dtype(a, b);
}

std::int64_t elements_along(const Array& array, std::int64_t axis) {
    const auto shape = array.layout().shape();
    return shape[shape.size() - static_cast<std::size_t>(-axis)];
}

void require_axis(const char* name, const Array& a, const Array& b, std::int64_t axis) {
    const int ndim = std::min(a.layout().ndim(), b.layout().ndim());
    if (axis < -ndim || axis >= 0)
        throw std::invalid_argument(std::string(name) + ": expected an axis from -" + std::to_string(ndim) +
                                    " to -1 of arrays of shapes " + shape_text(a.layout().shape()) + " and " +
                                    shape_text(b.layout().shape()) + ", given " + std::to_string(axis));
}

/// A view without the axis.
Array without_axis(const Array& array, std::int64_t axis, std::int64_t index) {
    std::vector<IndexPart> parts(static_cast<std::size_t>(array.layout().ndim() + axis + 1));
    parts.back() = {IndexPart::Kind::At, true, false, index};
    const views::View view = views::index(array.layout(), parts);
    return array.view(view.layout, view.offset);
}

}  // namespace

Array vecdot(Array a, Array b, std::int64_t axis, CUstream stream) {
    const DType dtype = type_of_numbers("vecdot", a, b);
    require_axis("vecdot", a, b, axis);
    if (elements_along(a, axis) != elements_along(b, axis))
        throw std::invalid_argument("vecdot: expected the same number of elements along axis " + std::to_string(axis) +
                                    ", given " + std::to_string(elements_along(a, axis)) + " and " +
                                    std::to_string(elements_along(b, axis)));
    const Array conjugated = Calculation{stream}.conjugate(a);
    const Array* const both[] = {&conjugated, &b};
    const std::int64_t from_first = std::max(a.layout().ndim(), b.layout().ndim()) + axis;
    return std::move(*reduced(Reduction::dot, both, std::uint32_t{1} << from_first, false, dtype, stream));
}

Array cross(Array a, Array b, std::int64_t axis, CUstream stream) {
    const DType dtype = type_of_numbers("cross", a, b);
    require_axis("cross", a, b, axis);
    if (elements_along(a, axis) != 3 || elements_along(b, axis) != 3)
        throw std::invalid_argument("cross: expected 3 elements along axis " + std::to_string(axis) + ", given " +
                                    std::to_string(elements_along(a, axis)) + " and " +
                                    std::to_string(elements_along(b, axis)));
    a = as_type(a, dtype, stream);
    const Layout* const layouts[] = {&a.layout(), &b.layout()};
    const Array out = new_beside(a, dtype, broadcast(layouts, info(dtype).size).shape(), stream);
    const Calculation calculate{stream};
    const Array negative = calculate(Op::neg, {&a}, dtype);
    for (std::int64_t k = 0; k < 3; ++k) {
        const std::int64_t next = (k + 1) % 3, last = (k + 2) % 3;
        const Array left = without_axis(a, axis, next), right = without_axis(b, axis, last);
        const Array left_taken = without_axis(negative, axis, last), right_taken = without_axis(b, axis, next);
        calculate.into(without_axis(out, axis, k), Op::mul_add, {&left, &right, &left_taken, &right_taken}, dtype);
    }
    return out;
}

Array outer(Array a, Array b, CUstream stream) {
    const DType dtype = type_of_numbers("outer", a, b);
    if (a.layout().ndim() != 1 || b.layout().ndim() != 1)
        throw std::invalid_argument("outer: expected vectors, given shapes " + shape_text(a.layout().shape()) +
                                    " and " + shape_text(b.layout().shape()));
    const IndexPart by_rows[] = {{}, {IndexPart::Kind::NewAxis}};
    const views::View column = views::index(a.layout(), by_rows);
    const Array rows = a.view(column.layout, column.offset);
    return in_c_order(Calculation{stream}(Op::mul, {&rows, &b}, dtype), stream);
}

}  // namespace pycuda::gpuarray
