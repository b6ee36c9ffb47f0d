#include "pycuda/gpuarray/composed/rearranging.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "captures/captures.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/matmul.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/gather.hpp"
#include "pycuda/gpuarray/selection.hpp"
#include "pycuda/gpuarray/sort.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda::gpuarray {
namespace {

/// Let `write` fill a C contiguous array, whose elements are then copied to `out`.
template <class Write>
void write_to(const Array& out, CUstream stream, const Write& write) {
    const Array packed = in_c_order(out, stream);
    write(packed);
    if (!out.layout().is_c_contiguous()) assign(out, packed, stream);
}

void require_one_shape(const Array& array, const Array& mask) {
    if (!mask.layout().same_shape(array.layout()))
        throw std::invalid_argument("a mask has the shape of its array, " + shape_text(array.layout().shape()) +
                                    ", not " + shape_text(mask.layout().shape()));
}

Array one_axis(const Array& like, DType dtype, std::int64_t length, CUstream stream) {
    const std::int64_t shape[] = {length};
    return new_beside(like, dtype, shape, stream);
}

/// Sort with `axis` last: `sort` takes the rows in C order and returns a new array of their shape.
template <class Sort>
Array along_axis(const Array& array, int axis, CUstream stream, const Sort& sort) {
    axis = views::axis_number(axis, array.layout().ndim());
    Lengths order(static_cast<std::size_t>(array.layout().ndim()));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
    Lengths back(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) back[static_cast<std::size_t>(order[k])] = std::int64_t(k);
    const Array turned = array.view(views::transpose(array.layout(), order));
    const Array done = sort(in_c_order(turned, stream));
    return done.view(views::transpose(done.layout(), back));
}

/// NumPy's order of complex numbers: by real parts, then by imaginary parts, those with NaN last.
Array argsort_of_complex(const Array& array, int axis, CUstream stream) {
    const Calculation calculate{stream};
    const Array real = calculate(Op::real, {&array}), imaginary = calculate(Op::imag, {&array});
    const Array real_nan = calculate(Op::isnan, {&real}), imaginary_nan = calculate(Op::isnan, {&imaginary});
    const Operand two = Scalar::weak(std::int64_t{2}), one = Scalar::weak(std::int64_t{1});
    const Array nans = calculate(Op::mul_add, {&real_nan, two, &imaginary_nan, one}, DType::Int8);
    Array order = argsort(imaginary, axis, stream);
    for (const Array* key : {&real, &nans}) {
        const Array moved = take_along_axis(*key, order, axis, stream);
        order = take_along_axis(order, argsort(moved, axis, stream), axis, stream);
    }
    return order;
}

/// A vector as a matrix: one row on the left, one column on the right.
Array as_matrix(const Array& array, bool is_left) {
    if (array.layout().ndim() == 0) throw std::invalid_argument("a matrix product takes arrays of one axis or more");
    if (array.layout().ndim() > 1) return array;
    const std::int64_t n = array.layout().size();
    const std::int64_t row[] = {1, n}, column[] = {n, 1};
    return array.reshaped(is_left ? row : column);
}

/// The shape of the product, including the axis of length 1 that was added to a vector.
Lengths product_shape(const Array& left, const Array& right) {
    const auto a = left.layout().shape(), b = right.layout().shape();
    if (a[a.size() - 1] != b[b.size() - 2])
        throw std::invalid_argument("matrices of the shapes " + shape_text(a) + " and " + shape_text(b) +
                                    " cannot be multiplied: " + std::to_string(a[a.size() - 1]) + " is not " +
                                    std::to_string(b[b.size() - 2]));
    Lengths shape = common_shape(a.first(a.size() - 2), b.first(b.size() - 2));
    shape.push_back(a[a.size() - 2]);
    shape.push_back(b[b.size() - 1]);
    return shape;
}

/// The shape without the axes that were added to vectors.
Lengths without_vectors(Lengths shape, const Array& a, const Array& b) {
    if (b.layout().ndim() == 1) shape.pop_back();
    if (a.layout().ndim() == 1) shape.erase(shape.end() - (b.layout().ndim() == 1 ? 1 : 2));
    return shape;
}

/// The axes that are not summed, in order, and those that are.
struct SplitAxes {
    SplitAxes(const Array& array, std::span<const std::int64_t> given) {
        const int ndim = array.layout().ndim();
        const std::uint32_t mask = views::axis_mask(given, ndim);
        for (int axis = 0; axis < ndim; ++axis)
            if (!(mask >> axis & 1)) kept.push_back(axis);
        for (const std::int64_t axis : given) summed.push_back(views::axis_number(axis, ndim));
    }
    static Lengths lengths(const Array& array, const Lengths& axes) {
        Lengths shape;
        for (const std::int64_t axis : axes) shape.push_back(array.layout().shape()[static_cast<std::size_t>(axis)]);
        return shape;
    }
    Lengths kept, summed;
};

std::int64_t product_of(const Lengths& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{1}, std::multiplies<>());
}

/// A matrix of the elements, with these axes one after another.
Array matrix_of(const Array& array, Lengths axes, const Lengths& more, const std::int64_t (&shape)[2],
                CUstream stream) {
    axes.insert(axes.end(), more.begin(), more.end());
    return with_shape(array.view(views::transpose(array.layout(), axes)), shape, stream);
}

}  // namespace

Lengths numbers_of(const Array& array, CUstream stream) {
    Lengths numbers(static_cast<std::size_t>(array.layout().size()));
    if (numbers.empty()) return numbers;
    if (any_capture_is_open())
        captures::require_none_of(stream, "reading elements",
                                  "a shape or an index that depends on elements has to be waited for");
    const Array packed = in_c_order(array, stream);
    const DevicePtr from = packed.ref(stream).address;
    const WaitScope unlocked;
    // A copy to pageable memory waits in the driver.
    wait_in_driver([stream] { return driver().cuStreamQuery.try_call(stream); }, driver().cuMemcpyDtoHAsync,
                   numbers.data(), from, numbers.size() * sizeof numbers[0], stream);
    driver().cuStreamSynchronize(stream);
    return numbers;
}

Array ravel(Array array, CUstream stream) {
    const std::int64_t shape[] = {array.layout().size()};
    return in_c_order(array, stream).reshaped(shape);
}

Array flatten(Array array, CUstream stream) {
    const std::int64_t shape[] = {array.layout().size()};
    return converted(array, array.dtype(), Order::C, stream).reshaped(shape);
}

Array take(Array array, Array indices, CUstream stream) {
    Array out = array.empty_beside(array.dtype(), Layout(indices.layout().shape(), array.layout().itemsize()), stream);
    take_into(out, array, indices, stream);
    return out;
}

void take_into(Array out, Array array, Array indices, CUstream stream) {
    const Array from = ravel(array, stream), line = ravel(indices, stream);
    write_to(out, stream, [&](const Array& to) {
        take(*current_kernels(), to.ref(stream), from.ref(stream), line.ref(stream), stream);
    });
}

void put_into(Array out, Array indices, Array values, CUstream stream) {
    const Array line = ravel(indices, stream), from = ravel(values, stream);
    write_to(out, stream, [&](const Array& to) {
        put(*current_kernels(), to.ref(stream), line.ref(stream), from.ref(stream), stream);
    });
}

void update_at(Op op, Array out, Array indices, Array values, CUstream stream) {
    const Array given = ravel(values.view(values.layout().broadcast_to(indices.layout().shape())), stream);
    if (given.layout().size() == 0) return;
    const Array line = ravel(indices, stream), order = argsort(line, 0, stream);
    const Array ascending = take(line, order, stream);
    write_to(out, stream, [&](const Array& to) {
        update(*current_kernels(), op, to.ref(stream), ascending.ref(stream), order.ref(stream), given.ref(stream),
               stream);
    });
}

void take_put_into(Array out, Array to, Array array, Array from, std::int64_t offset, CUstream stream) {
    const Array target_indices = ravel(to, stream), source = ravel(array, stream), source_indices = ravel(from, stream);
    write_to(out, stream, [&](const Array& target) {
        take_put(*current_kernels(), target.ref(stream), target_indices.ref(stream), source.ref(stream),
                 source_indices.ref(stream), offset, stream);
    });
}

std::int64_t count_nonzero(Array array, CUstream stream) {
    if (array.layout().size() == 0) return 0;
    const Calculation calculate{stream};
    return numbers_of(calculate.reduce(Reduction::count_nonzero, array, all_axes, false, DType::Int64), stream)[0];
}

Array flatnonzero(Array array, CUstream stream) {
    const Array where = ravel(array, stream);
    const auto kernels = current_kernels();
    prepare_selection(*kernels, {}, where.ref(stream));
    Array out = one_axis(array, DType::Int64, count_nonzero(where, stream), stream);
    if (out.layout().size()) nonzero(*kernels, out.ref(stream), where.ref(stream), stream);
    return out;
}

Array selected(Array array, Array mask, CUstream stream) {
    require_one_shape(array, mask);
    const Array from = ravel(array, stream), where = ravel(mask, stream);
    const auto kernels = current_kernels();
    prepare_selection(*kernels, from.ref(stream), where.ref(stream));
    Array out = one_axis(array, array.dtype(), count_nonzero(where, stream), stream);
    if (out.layout().size()) compress(*kernels, out.ref(stream), from.ref(stream), where.ref(stream), stream);
    return out;
}

void assign_selected(Array out, Array mask, Array values, CUstream stream) {
    require_one_shape(out, mask);
    if (values.dtype() != out.dtype())
        throw std::invalid_argument(std::string("an array of ") + name_of(out.dtype()) + " cannot be set to one of " +
                                    name_of(values.dtype()) + "; convert that with astype");
    Array from = ravel(values, stream);
    if (values.layout().size() == 1) {
        const std::int64_t shape[] = {out.layout().size()};
        from = converted(from.view(from.layout().broadcast_to(shape)), from.dtype(), Order::C, stream);
    } else if (const std::int64_t count = count_nonzero(mask, stream); count != values.layout().size()) {
        throw std::invalid_argument("a mask with " + std::to_string(count) +
                                    " true elements takes as many values, not " +
                                    std::to_string(values.layout().size()));
    }
    if (from.layout().size() == 0) return;
    const Array where = ravel(mask, stream);
    write_to(out, stream, [&](const Array& to) {
        expand(*current_kernels(), to.ref(stream), where.ref(stream), from.ref(stream), stream);
    });
}

Array scanned(Scan op, ScanKind kind, Array array, int axis, CUstream stream) {
    Array out = array.empty_beside(array.dtype(), array.layout().packed_like(array.layout().itemsize()), stream);
    scan_into(out, op, kind, array, axis, stream);
    return out;
}

void scan_into(Array out, Scan op, ScanKind kind, Array array, int axis, CUstream stream) {
    axis = views::axis_number(axis, array.layout().ndim());
    scan(*current_kernels(), op, kind, out.ref(stream), array.ref(stream), axis, stream);
}

Array sorted(Array array, int axis, CUstream stream) {
    if (is_complex(array.dtype())) return take_along_axis(array, argsort(array, axis, stream), axis, stream);
    return along_axis(array, axis, stream, [&](const Array& rows) {
        const Array keys = array.empty_beside(rows.dtype(), rows.layout(), stream);
        sort(*current_kernels(), keys.ref(stream), {}, rows.ref(stream), stream);
        return keys;
    });
}

Array argsort(Array array, int axis, CUstream stream) {
    if (is_complex(array.dtype())) return argsort_of_complex(array, axis, stream);
    return along_axis(array, axis, stream, [&](const Array& rows) {
        const Array indices =
            array.empty_beside(DType::Int64, Layout(rows.layout().shape(), info(DType::Int64).size), stream);
        sort(*current_kernels(), {}, indices.ref(stream), rows.ref(stream), stream);
        return indices;
    });
}

Array matmul(Array a, Array b, CUstream stream) {
    const Array left = as_matrix(a, true), right = as_matrix(b, false);
    const Lengths shape = product_shape(left, right);
    const DType dtype = common_dtype(a, b);
    Array out = a.empty_beside(dtype, Layout(shape, info(dtype).size), stream);
    matmul(*current_kernels(), out.ref(stream), left.ref(stream), right.ref(stream), stream);
    return out.reshaped(without_vectors(shape, a, b));
}

void matmul_into(Array out, Array a, Array b, CUstream stream) {
    const Array left = as_matrix(a, true), right = as_matrix(b, false);
    const Lengths matrices = product_shape(left, right), shape = without_vectors(matrices, a, b);
    const DType dtype = common_dtype(a, b);
    const auto given = out.layout().shape();
    if (dtype != out.dtype() || !std::equal(shape.begin(), shape.end(), given.begin(), given.end()))
        throw std::invalid_argument("the product has the shape " + shape_text(shape) + " and the type " +
                                    name_of(dtype) + ", but the output array has " + shape_text(given) + " and " +
                                    name_of(out.dtype()));
    require_writable(out.layout());
    const Array to = out.reshaped(matrices);  // a view with the axes of length 1
    matmul(*current_kernels(), to.ref(stream), left.ref(stream), right.ref(stream), stream);
}

Array tensordot(Array a, Array b, std::span<const std::int64_t> axes_of_a, std::span<const std::int64_t> axes_of_b,
                CUstream stream) {
    const SplitAxes left(a, axes_of_a), right(b, axes_of_b);
    const Lengths summed = SplitAxes::lengths(a, left.summed), other = SplitAxes::lengths(b, right.summed);
    if (summed != other)
        throw std::invalid_argument("expected axes of the same lengths, given " + shape_text(summed) + " and " +
                                    shape_text(other));
    Lengths shape = SplitAxes::lengths(a, left.kept);
    const Lengths columns = SplitAxes::lengths(b, right.kept);
    const std::int64_t of_a[] = {product_of(shape), product_of(summed)};
    const std::int64_t of_b[] = {product_of(summed), product_of(columns)};
    shape.insert(shape.end(), columns.begin(), columns.end());
    return matmul(matrix_of(a, left.kept, left.summed, of_a, stream),
                  matrix_of(b, right.summed, right.kept, of_b, stream), stream)
        .reshaped(shape);
}

}  // namespace pycuda::gpuarray
