#include "pycuda/gpuarray/composed/sets.hpp"

#include <stdexcept>
#include <string>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/sort.hpp"

namespace pycuda::gpuarray {
namespace {

/// The operation (to bool) on each element and the one before it; `first` for the first element.
Array with_one_before(Op op, const Array& line, bool first, CUstream stream) {
    const std::int64_t n = line.layout().size();
    const Array out = new_beside(line, DType::Bool, line.layout().shape(), stream);
    if (n == 0) return out;
    fill(part_of(out, 0, 0, 1), Scalar::weak(first), stream);
    const Array later = part_of(line, 0, 1, n), earlier = part_of(line, 0, 0, n - 1);
    if (n > 1) Calculation{stream}.into(part_of(out, 0, 1, n), op, {&later, &earlier}, DType::Bool);
    return out;
}

/// The distances from each index to the next, and from the last one to `end`.
Array distances(const Array& indices, std::int64_t end, CUstream stream) {
    const std::int64_t one[] = {1};
    const Array last = new_beside(indices, DType::Int64, one, stream);
    fill(last, Scalar::weak(end), stream);
    const Array* const both[] = {&indices, &last};
    return diff(concatenate(both, 0, stream), 1, 0, stream);
}

/// isin() for elements that cannot be ordered: equal ones have the same index among the distinct elements of both.
void mark_members(const Array& out, const Array& elements, const Array& of, CUstream stream) {
    const Array line = ravel(elements, stream), others = ravel(of, stream);
    const Array* const both[] = {&line, &others};
    const UniqueAll found = unique_all(concatenate(both, 0, stream), stream);
    const std::int64_t n = line.layout().size(), all = found.inverse.layout().size();
    const Array is_member = new_beside(out, DType::Bool, found.values.layout().shape(), stream);
    const Array yes = new_beside(out, DType::Bool, others.layout().shape(), stream);
    fill(is_member, Scalar::weak(false), stream);
    fill(yes, Scalar::weak(true), stream);
    put_into(is_member, part_of(found.inverse, 0, n, all), yes, stream);
    take_into(out, is_member, part_of(found.inverse, 0, 0, n).reshaped(shape_of(elements)), stream);
}

}  // namespace

Array searchsorted(Array sorted, Array wanted, bool right, CUstream stream) {
    if (sorted.layout().ndim() != 1)
        throw std::invalid_argument("expected ascending elements of one axis, given " +
                                    std::to_string(sorted.layout().ndim()));
    const DType dtype = common_dtype(sorted, wanted);
    const Array line = in_c_order(as_type(sorted, dtype, stream), stream);
    const Array keys = in_c_order(as_type(wanted, dtype, stream), stream);
    const Array indices = new_beside(wanted, DType::Int64, wanted.layout().shape(), stream);
    search(*current_kernels(), indices.ref(stream), keys.ref(stream), line.ref(stream), right, stream);
    return indices;
}

Array unique(Array array, CUstream stream) {
    const Array all = ravel(array, stream);
    if (is_complex(all.dtype())) {
        const Array ordered = sorted(all, 0, stream);
        const Calculation calculate{stream};
        const Array is_other = with_one_before(Op::ne, ordered, true, stream);
        const Array is_nan = with_one_before(Op::logical_and, calculate(Op::isnan, {&ordered}), false, stream);
        return selected(ordered, calculate(Op::gt, {&is_other, &is_nan}), stream);
    }
    prepare_distinct(*current_kernels(), all.ref(stream));
    const Array ordered = sorted(all, 0, stream);
    const Array mask = new_beside(ordered, DType::Bool, ordered.layout().shape(), stream);
    mark_first(*current_kernels(), mask.ref(stream), ordered.ref(stream), stream);
    return selected(ordered, mask, stream);
}

UniqueAll unique_all(Array array, CUstream stream) {
    const Array line = ravel(array, stream);
    const std::int64_t n = line.layout().size();
    const Array order = argsort(line, 0, stream);
    const Array ordered = n ? take(line, order, stream) : line;
    const Array mask = with_one_before(Op::ne, ordered, true, stream);
    const Array starts = flatnonzero(mask, stream);
    const Array inverse = new_beside(array, DType::Int64, array.layout().shape(), stream);
    if (n == 0) return {flatten(line, stream), starts, inverse, flatten(starts, stream)};
    const Array which = new_beside(mask, DType::Int64, mask.layout().shape(), stream);
    scan_into(which, Scan::sum, ScanKind::Inclusive, as_type(mask, DType::Int64, stream), 0, stream);
    put_into(inverse, order, Calculation{stream}(Op::sub, {&which, Scalar::weak(std::int64_t{1})}), stream);
    return {take(ordered, starts, stream), take(order, starts, stream), inverse, distances(starts, n, stream)};
}

Array isin(Array array, Array of, bool invert, CUstream stream) {
    const DType dtype = common_dtype(array, of);
    const Array elements = as_type(array, dtype, stream);
    const Array out = new_beside(array, DType::Bool, array.layout().shape(), stream);
    if (array.layout().size() == 0) return out;
    if (of.layout().size() == 0) {
        fill(out, Scalar::weak(invert), stream);
        return out;
    }
    if (is_complex(dtype)) {
        mark_members(out, elements, as_type(of, dtype, stream), stream);
        if (invert) Calculation{stream}.into(out, Op::logical_not, {&out}, DType::Bool);
        return out;
    }
    const Array ordered = sorted(ravel(as_type(of, dtype, stream), stream), 0, stream);
    const Array nearest = take(ordered, searchsorted(ordered, elements, false, stream), stream);
    Calculation{stream}.into(out, invert ? Op::ne : Op::eq, {&nearest, &elements}, DType::Bool);
    return out;
}

}  // namespace pycuda::gpuarray
