#include "pycuda/gpuarray/composed/without_nan.hpp"

#include <limits>
#include <stdexcept>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"

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

}  // namespace

Array without_nan(Array array, double number, CUstream stream) {
    if (!may_be_nan(array)) return array;
    const Calculation calculate{stream};
    const Array is_nan = calculate(Op::isnan, {&array});
    return calculate(Op::where, {&is_nan, Scalar::weak(number), &array}, array.dtype());
}

Array mean_without_nan(Array array, std::optional<Array> where, std::uint32_t axes, bool keep_axes,
                       std::optional<DType> dtype, CUstream stream) {
    const Calculation calculate{stream};
    const std::optional<Array> mask = present(array, where, stream);
    if (!mask) return calculate.reduce(Reduction::mean, array, axes, keep_axes, dtype);
    const DType type = dtype.value_or(may_be_nan(array) ? array.dtype() : DType::Float64);
    const Array counted = mask->view(mask->layout().broadcast_to(array.layout().shape()));
    const Array selected = where ? calculate(Op::where, {&counted, &array, Scalar::weak(false)}, array.dtype()) : array;
    const Array total = calculate.reduce(Reduction::nansum, selected, axes, keep_axes, type);
    const Array count = calculate.reduce(Reduction::count_nonzero, counted, axes, keep_axes, DType::Int64);
    return calculate(Op::div, {&total, &count}, type);
}

Array spread_without_nan(Spread kind, Array array, std::optional<Array> where, std::uint32_t axes, bool keep_axes,
                         double correction, std::optional<DType> dtype, CUstream stream) {
    const std::optional<Array> mask = present(array, where, stream);
    return spread(kind, array, mask ? &*mask : nullptr, axes, keep_axes, correction, dtype, stream);
}

Array place_without_nan(Array array, bool greatest, std::uint32_t axes, bool keep_axes, CUstream stream) {
    const Calculation calculate{stream};
    const Reduction op = greatest ? Reduction::argmax : Reduction::argmin;
    if (!may_be_nan(array)) return calculate.reduce(op, array, axes, keep_axes);
    const Array is_nan = calculate(Op::isnan, {&array});
    if (count_nonzero(calculate.reduce(Reduction::all, is_nan, axes), stream) != 0)
        throw std::invalid_argument("All-NaN slice encountered");
    const double least = (greatest ? -1 : 1) * std::numeric_limits<double>::infinity();
    return calculate.reduce(op, without_nan(array, least, stream), axes, keep_axes);
}

Array scanned_without_nan(Scan op, Array array, int axis, CUstream stream) {
    return scanned(op, ScanKind::Inclusive, without_nan(array, op == Scan::prod ? 1 : 0, stream), axis, stream);
}

}  // namespace pycuda::gpuarray
