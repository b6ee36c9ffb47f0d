#include "pycuda/gpuarray/composed/without_nan.hpp"

#include <limits>
#include <stdexcept>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"
#include "pycuda/gpuarray/composed/variance.hpp"

namespace pycuda::gpuarray {
namespace {

bool may_be_nan(const Array& array) {
    return array.dtype() != DType::Opaque && info(array.dtype()).kind >= DTypeKind::Floating;
}

/// A mask of the elements that count; none if all do.
std::optional<Array> present(const Array& array, const std::optional<Array>& where, CUstream stream) {
    if (!may_be_nan(array)) return where;
    const Calculation calculate{stream};
    const Array is_nan = calculate(Op::isnan, {&array}), is_number = calculate(Op::logical_not, {&is_nan});
    return where ? calculate(Op::logical_and, {&is_number, &*where}) : is_number;
}

/// The index that `op` finds if NaN is replaced by `worst`, which it finds only where nothing is better.
Array index_without_nan(Reduction op, const Array& array, double worst, std::uint32_t axes, bool keepdims,
                        CUstream stream) {
    const Calculation calculate{stream};
    if (!may_be_nan(array)) return calculate.reduce(op, array, axes, keepdims);
    const Array is_nan = calculate(Op::isnan, {&array});
    if (count_nonzero(calculate.reduce(Reduction::all, is_nan, axes), stream) != 0)
        throw std::invalid_argument("All-NaN slice encountered");
    return calculate.reduce(op, without_nan(array, worst, stream), axes, keepdims);
}

}  // namespace

Array without_nan(Array array, double number, CUstream stream) {
    if (!may_be_nan(array)) return array;
    const Calculation calculate{stream};
    const Array is_nan = calculate(Op::isnan, {&array});
    return calculate(Op::where, {&is_nan, Scalar::weak(number), &array}, array.dtype());
}

Array nanmean(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, std::optional<DType> dtype,
              CUstream stream) {
    const Calculation calculate{stream};
    const std::optional<Array> mask = present(array, where, stream);
    if (!mask) return calculate.reduce(Reduction::mean, array, axes, keepdims, dtype);
    const DType type = dtype.value_or(may_be_nan(array) ? array.dtype() : DType::Float64);
    const Array counted = mask->view(mask->layout().broadcast_to(array.layout().shape()));
    const Array selected = where ? calculate(Op::where, {&counted, &array, Scalar::weak(false)}, array.dtype()) : array;
    const Array total = calculate.reduce(Reduction::nansum, selected, axes, keepdims, type);
    const Array count = calculate.reduce(Reduction::count_nonzero, counted, axes, keepdims, DType::Int64);
    return calculate(Op::div, {&total, &count}, type);
}

Array nanvar(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
             std::optional<DType> dtype, CUstream stream) {
    return variance(array, present(array, where, stream), axes, keepdims, correction, dtype, stream);
}

Array nanstd(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
             std::optional<DType> dtype, CUstream stream) {
    return standard_deviation(array, present(array, where, stream), axes, keepdims, correction, dtype, stream);
}

Array nanargmin(Array array, std::uint32_t axes, bool keepdims, CUstream stream) {
    return index_without_nan(Reduction::argmin, array, std::numeric_limits<double>::infinity(), axes, keepdims, stream);
}

Array nanargmax(Array array, std::uint32_t axes, bool keepdims, CUstream stream) {
    return index_without_nan(Reduction::argmax, array, -std::numeric_limits<double>::infinity(), axes, keepdims,
                             stream);
}

Array scanned_without_nan(Scan op, Array array, int axis, CUstream stream) {
    return scanned(op, ScanKind::Inclusive, without_nan(array, op == Scan::prod ? 1 : 0, stream), axis, stream);
}

}  // namespace pycuda::gpuarray
