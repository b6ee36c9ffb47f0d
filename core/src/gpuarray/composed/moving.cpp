#include "pycuda/gpuarray/composed/moving.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"
#include "pycuda/gpuarray/composed/sets.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/gather.hpp"

namespace pycuda::gpuarray {
namespace {

int axis_in(const Array& array, std::int64_t axis) {
    return views::axis_number(axis, array.layout().ndim());
}

std::int64_t length_of(const Array& array, int axis) {
    return array.layout().shape()[static_cast<std::size_t>(axis)];
}

/// `shift` must be at least 0, and less than the axis' length.
Array rolled_along(const Array& array, std::int64_t shift, int axis, CUstream stream) {
    const Array out = new_beside(array, array.dtype(), array.layout().shape(), stream);
    const std::int64_t length = length_of(array, axis);
    if (array.layout().size() == 0) return out;
    assign(part_of(out, axis, shift, length), part_of(array, axis, 0, length - shift), stream);
    if (shift != 0) assign(part_of(out, axis, 0, shift), part_of(array, axis, length - shift, length), stream);
    return out;
}

/// The indices 0 to `length` - 1.
std::int64_t wrapped(std::int64_t shift, std::int64_t length) {
    if (length == 0) return 0;
    const std::int64_t rest = shift % length;
    return rest < 0 ? rest + length : rest;
}

/// Whether whole copies of a large array are wanted, one behind the other. They are stored while the array is read
/// once. That needs as many threads as the array has elements, hence large ones.
bool is_of_copies(const Array& array, std::span<const std::int64_t> counts) {
    constexpr std::int64_t large = 8 << 20;
    std::size_t axis = 0;
    while (axis < counts.size() && counts[axis] == 1 && length_of(array, static_cast<int>(axis)) == 1) ++axis;
    return array.layout().is_c_contiguous() && array.layout().nbytes() >= large && axis < counts.size() &&
           counts[axis] > 1 &&
           std::all_of(counts.begin() + static_cast<std::ptrdiff_t>(axis) + 1, counts.end(),
                       [](auto count) { return count == 1; });
}

/// Repeats each axis counts[k] times: as a whole, or, with `by_element`, each of its elements.
Array multiplied(const Array& array, std::span<const std::int64_t> counts, bool by_element, CUstream stream) {
    Lengths apart, together;
    std::vector<IndexPart> parts;
    const auto add_copies = [&](std::int64_t count) {
        apart.push_back(count);
        parts.push_back({IndexPart::Kind::NewAxis});
    };
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const std::int64_t count = counts[k], length = length_of(array, static_cast<int>(k));
        if (count < 0)
            throw std::invalid_argument("the number of repeats must not be negative, given " + std::to_string(count));
        if (count != 1 && !by_element) add_copies(count);
        apart.push_back(length);
        parts.emplace_back();
        if (count != 1 && by_element) add_copies(count);
    }
    const Array out = new_beside(array, array.dtype(), apart, stream);
    for (std::size_t k = 0; k < counts.size(); ++k)
        together.push_back(counts[k] * length_of(array, static_cast<int>(k)));  // the layout of `out` did not overflow
    if (!by_element && is_of_copies(array, counts)) {
        copies(*current_kernels(), out.ref(stream), array.ref(stream), stream);
    } else if (out.layout().size() != 0) {
        const views::View source = views::index(array.layout(), parts);
        assign(out, array.view(source.layout, source.offset), stream);
    }
    return out.reshaped(together);
}

void require_one_axis(const Array& array) {
    if (array.layout().ndim() != 1)
        throw std::invalid_argument("expected an array of one axis, given shape " + shape_text(array.layout().shape()));
}

void require_matrices(const Array& array) {
    if (array.layout().ndim() < 2)
        throw std::invalid_argument("expected an array of at least two axes, given " +
                                    std::to_string(array.layout().ndim()));
}

}  // namespace

Array counted(const Array& like, std::int64_t length, std::int64_t start, CUstream stream) {
    const std::int64_t shape[] = {length};
    const Array out = new_beside(like, DType::Int64, shape, stream);
    const Input range[] = {Scalar::weak(start), Scalar::weak(std::int64_t{1})};
    elementwise(*current_kernels(), Op::arange, out.ref(stream), range, stream);
    return out;
}

Array roll(Array array, std::span<const std::int64_t> shifts, std::optional<std::span<const std::int64_t>> axes,
           CUstream stream) {
    if (!axes) {
        if (shifts.size() != 1) throw std::invalid_argument("several shifts need as many axes");
        const Array line = ravel(array, stream);
        return rolled_along(line, wrapped(shifts[0], array.layout().size()), 0, stream).reshaped(shape_of(array));
    }
    if (shifts.size() != axes->size() && shifts.size() != 1 && axes->size() != 1)
        throw std::invalid_argument("expected one shift for each axis, given " + std::to_string(shifts.size()) +
                                    " and " + std::to_string(axes->size()));
    Lengths totals(static_cast<std::size_t>(array.layout().ndim()));
    const std::size_t count = shifts.empty() || axes->empty() ? 0 : std::max(shifts.size(), axes->size());
    for (std::size_t k = 0; k < count; ++k) {
        const int axis = axis_in(array, (*axes)[axes->size() == 1 ? 0 : k]);
        std::int64_t& total = totals[static_cast<std::size_t>(axis)];
        const std::int64_t length = length_of(array, axis);
        total = wrapped(total + wrapped(shifts[shifts.size() == 1 ? 0 : k], length), length);
    }
    bool is_copy = false;
    for (std::size_t axis = 0; axis < totals.size(); ++axis)
        if (totals[axis] != 0) {
            array = rolled_along(array, totals[axis], static_cast<int>(axis), stream);
            is_copy = true;
        }
    return is_copy ? array : converted(array, array.dtype(), Order::C, stream);
}

Array tile(Array array, std::span<const std::int64_t> repetitions, CUstream stream) {
    const std::size_t ndim = std::max(repetitions.size(), array.layout().shape().size());
    Lengths counts(ndim, 1), shape(ndim, 1);
    std::copy(repetitions.begin(), repetitions.end(), counts.end() - static_cast<std::ptrdiff_t>(repetitions.size()));
    const Lengths own = shape_of(array);
    std::copy(own.begin(), own.end(), shape.end() - static_cast<std::ptrdiff_t>(own.size()));
    const std::vector<IndexPart> leading(ndim - own.size(), {IndexPart::Kind::NewAxis});
    const views::View lifted = views::index(array.layout(), leading);
    return multiplied(array.view(lifted.layout, lifted.offset), counts, false, stream);
}

Array repeat(Array array, std::int64_t times, int axis, CUstream stream) {
    Lengths counts(array.layout().shape().size(), 1);
    counts[static_cast<std::size_t>(axis_in(array, axis))] = times;
    return multiplied(array, counts, true, stream);
}

Array repeat(Array array, Array counts, int axis, CUstream stream) {
    axis = axis_in(array, axis);
    const std::int64_t length = length_of(array, axis);
    if (counts.dtype() == DType::Opaque || !(is_integer(counts.dtype()) || counts.dtype() == DType::Bool))
        throw ArgumentTypeError(std::string("expected integer counts, given ") + name_of(counts.dtype()));
    if (counts.layout().ndim() != 1 || counts.layout().size() != length)
        throw std::invalid_argument("expected one number of repeats, or " + std::to_string(length) + ", given " +
                                    shape_text(counts.layout().shape()));
    const Array each = as_type(counts, DType::Int64, stream);
    std::int64_t total = 0;
    if (length > 0) {
        const Calculation calculate{stream};
        const Array min = calculate.reduce(Reduction::min, each, all_axes, true);
        const Array sum = calculate.reduce(Reduction::sum, each, all_axes, true);
        const Array* const both[] = {&min, &sum};
        const Lengths found = numbers_of(concatenate(both, 0, stream), stream);
        if (found[0] < 0) throw std::invalid_argument("repeats may not contain negative values");
        total = found[1];
    }
    const Array ends = scanned(Scan::sum, ScanKind::Inclusive, each, 0, stream);
    return take(array, searchsorted(ends, counted(array, total, 0, stream), true, stream), axis, stream);
}

Array take(Array array, Array indices, int axis, CUstream stream) {
    axis = axis_in(array, axis);
    Lengths shape = shape_of(array);
    const auto replacing = indices.layout().shape();
    const auto at = shape.erase(shape.begin() + axis);
    shape.insert(at, replacing.begin(), replacing.end());
    const Array out = new_beside(array, array.dtype(), shape, stream);
    const Array from = in_c_order(array, stream), packed = in_c_order(indices, stream);
    take(*current_kernels(), out.ref(stream), from.ref(stream), packed.ref(stream), axis, stream);
    return out;
}

Array take_along_axis(Array array, Array indices, int axis, CUstream stream) {
    axis = axis_in(array, axis);
    if (indices.layout().ndim() != array.layout().ndim())
        throw std::invalid_argument("expected indices of " + std::to_string(array.layout().ndim()) +
                                    " axes, as the array has, given " + std::to_string(indices.layout().ndim()));
    Lengths rows = shape_of(array), wanted = shape_of(indices);
    rows[static_cast<std::size_t>(axis)] = wanted[static_cast<std::size_t>(axis)] = 1;
    wanted = rows = common_shape(rows, wanted);
    rows[static_cast<std::size_t>(axis)] = length_of(array, axis);
    wanted[static_cast<std::size_t>(axis)] = length_of(indices, axis);
    const Array from = in_c_order(array.view(array.layout().broadcast_to(rows)), stream);
    const Array packed = in_c_order(indices.view(indices.layout().broadcast_to(wanted)), stream);
    const Array out = new_beside(array, array.dtype(), wanted, stream);
    if (out.layout().size() != 0 && from.layout().size() == 0)
        throw std::out_of_range("cannot take elements from an axis without any");
    take_along(*current_kernels(), out.ref(stream), from.ref(stream), packed.ref(stream), axis, stream);
    return out;
}

Array moveaxis(Array array, std::span<const std::int64_t> sources, std::span<const std::int64_t> destinations) {
    const int ndim = array.layout().ndim();
    const std::uint32_t moved = views::axis_mask(sources, ndim);
    views::axis_mask(destinations, ndim);
    if (sources.size() != destinations.size())
        throw std::invalid_argument("expected the same number of sources and destinations, without duplicates, given " +
                                    std::to_string(sources.size()) + " and " + std::to_string(destinations.size()));
    Lengths axes(static_cast<std::size_t>(ndim), -1);
    for (std::size_t k = 0; k < sources.size(); ++k)
        axes[static_cast<std::size_t>(views::axis_number(destinations[k], ndim))] =
            views::axis_number(sources[k], ndim);
    int next = 0;
    for (std::int64_t& axis : axes) {
        if (axis >= 0) continue;
        while (moved >> next & 1) ++next;
        axis = next++;
    }
    return array.view(views::transpose(array.layout(), axes));
}

Array diagonal(Array array, std::int64_t k) {
    require_matrices(array);
    const Layout& layout = array.layout();
    const auto rest = layout.shape().size() - 2;
    const std::int64_t rows = layout.shape()[rest], columns = layout.shape()[rest + 1];
    const std::int64_t row = k < 0 ? std::min(-std::max(k, -rows), rows) : 0, column = k > 0 ? std::min(k, columns) : 0;
    const Array corner =
        part_of(part_of(array, static_cast<int>(rest), row, rows), static_cast<int>(rest) + 1, column, columns);
    Lengths shape(layout.shape().begin(), layout.shape().begin() + static_cast<std::ptrdiff_t>(rest));
    Lengths strides(layout.strides().begin(), layout.strides().begin() + static_cast<std::ptrdiff_t>(rest));
    shape.push_back(std::min(rows - row, columns - column));
    strides.push_back(layout.strides()[rest] + layout.strides()[rest + 1]);
    return corner.view(Layout(shape, strides, layout.itemsize()));
}

Array triangle(Array array, std::int64_t k, bool upper, CUstream stream) {
    if (const Layout vector = array.layout(); vector.ndim() == 1) {  // each row is the vector
        const std::int64_t square[] = {vector.size(), vector.size()};
        array = array.view(vector.broadcast_to(square));
    }
    require_matrices(array);
    const auto rest = array.layout().shape().size() - 2;
    const std::int64_t height = array.layout().shape()[rest], width = array.layout().shape()[rest + 1];
    if (array.layout().size() == 0) return converted(array, array.dtype(), Order::C, stream);
    const Array from = in_c_order(array, stream), out = new_beside(array, array.dtype(), shape_of(array), stream);
    const std::int64_t diagonal = std::clamp(k, -height, width);  // diagonals beyond these limits are empty
    gpuarray::triangle(*current_kernels(), out.ref(stream), from.ref(stream), diagonal, upper, stream);
    return out;
}

std::vector<Array> meshgrid(std::span<const Array* const> arrays, bool by_columns, CUstream stream) {
    Lengths shape;
    const std::size_t ndim = arrays.size();
    const auto axis_of = [&](std::size_t k) { return by_columns && ndim > 1 && k < 2 ? 1 - k : k; };
    for (std::size_t k = 0; k < ndim; ++k) {
        const Array& own = *arrays[axis_of(k)];
        if (own.layout().ndim() > 1)
            throw std::invalid_argument("expected arrays of one axis, given shape " + shape_text(own.layout().shape()));
        shape.push_back(own.layout().size());
    }
    std::vector<Array> made;
    for (std::size_t k = 0; k < ndim; ++k) {
        Lengths apart(ndim, 1);
        apart[axis_of(k)] = arrays[k]->layout().size();
        const Array line = ravel(*arrays[k], stream).reshaped(apart);
        made.push_back(converted(line.view(line.layout().broadcast_to(shape)), line.dtype(), Order::C, stream));
    }
    return made;
}

void fill_linspace(Array out, std::complex<double> start, std::complex<double> stop, bool endpoint, CUstream stream) {
    const std::int64_t count = out.layout().size();
    if (out.layout().ndim() != 1 || count == 0) return require_one_axis(out);
    const auto number = [&](std::complex<double> value) {
        return is_complex(out.dtype()) ? Scalar::weak(value) : Scalar::weak(value.real());
    };
    const Calculation calculate{stream};
    const DType work = is_complex(out.dtype()) ? DType::Complex128 : DType::Float64;
    const std::int64_t intervals = endpoint ? count - 1 : count;
    const auto parts = static_cast<double>(std::max<std::int64_t>(intervals, 1));
    const std::complex<double> step = (stop - start) / parts;
    const Array numbers = as_type(counted(out, count, 0, stream), work, stream);
    if (step != 0.0 && std::isfinite(step.real()) && std::isfinite(step.imag())) {
        const Array steps = calculate(Op::mul, {&numbers, number(step)});
        assign(out, calculate(Op::add, {&steps, number(start)}), stream);
    } else {  // the step underflows, or the difference overflows: divide first
        const Array share = calculate(Op::div, {&numbers, Scalar::weak(parts)});
        const Array rest = calculate(Op::sub, {Scalar::weak(1.0), &share});
        assign(out, calculate(Op::mul_add, {&share, number(stop), &rest, number(start)}), stream);
    }
    if (endpoint && count > 1) fill(part_of(out, 0, count - 1, count), number(stop), stream);
}

Array diff(Array array, std::int64_t n, int axis, CUstream stream) {
    if (n < 0) throw std::invalid_argument("order must be non-negative but got " + std::to_string(n));
    axis = axis_in(array, axis);
    const Op op = array.dtype() == DType::Bool ? Op::bit_xor : Op::sub;
    if (n == 0) return converted(array, array.dtype(), Order::C, stream);
    for (; n > 0; --n) {
        const std::int64_t length = length_of(array, axis);
        const Array later = part_of(array, axis, std::min<std::int64_t>(1, length), length);
        const Array earlier = part_of(array, axis, 0, std::max<std::int64_t>(length - 1, 0));
        array = Calculation{stream}(op, {&later, &earlier});
        if (length == 0) break;
    }
    return array;
}

Array scanned_from_start(Scan op, Array array, int axis, CUstream stream) {
    axis = axis_in(array, axis);
    Lengths shape = shape_of(array);
    const std::int64_t length = shape[static_cast<std::size_t>(axis)]++;
    const Array out = new_beside(array, array.dtype(), shape, stream);
    fill(part_of(out, axis, 0, 1), Scalar::weak(op == Scan::prod), stream);
    if (array.layout().size() != 0)
        scan_into(part_of(out, axis, 1, length + 1), op, ScanKind::Inclusive, array, axis, stream);
    return out;
}

}  // namespace pycuda::gpuarray
