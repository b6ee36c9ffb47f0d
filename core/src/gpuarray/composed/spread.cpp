#include "pycuda/gpuarray/spread.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "array_parts.hpp"

namespace pycuda::gpuarray {
namespace {

Array summed(const Array& array, std::uint32_t axes, bool keep, DType dtype, CUstream stream) {
    const Array* const inputs[] = {&array};
    return std::move(*reduced(Reduction::sum, inputs, axes, keep, dtype, stream));
}

Array squared_distance(const Array& x, CUstream stream) {
    const Operand same[] = {&x, &x};
    if (!is_complex(x.dtype())) return applied(Op::mul, same, ResultType::Usual, stream);
    const Operand number[] = {&x};
    const Array real = applied(Op::real, number, ResultType::Usual, stream);
    const Array imaginary = applied(Op::imag, number, ResultType::Usual, stream);
    const Operand parts[] = {&real, &real, &imaginary, &imaginary};
    return applied(Op::mul_add, parts, ResultType::Usual, stream);
}

/// How many elements each sum has: a number, or an array if a mask selects them.
struct Count {
    std::optional<Array> selected;
    double all = 0;
    operator Operand() const { return selected ? Operand(&*selected) : Operand(Scalar::weak(all)); }
};

Count count_of(const Array& array, const std::optional<Array>& mask, std::uint32_t axes, bool keep, DType real,
               CUstream stream) {
    Count count;
    if (mask) {
        const Array* const inputs[] = {&*mask};
        const auto found = reduced(Reduction::count_nonzero, inputs, axes, keep, DType::Int64, stream);
        count.selected = as_type(*found, real, stream);
    } else {
        count.all = 1;
        for (int axis = 0; axis < array.layout().ndim(); ++axis)
            if (axes >> axis & 1)
                count.all *= static_cast<double>(array.layout().shape()[static_cast<std::size_t>(axis)]);
    }
    return count;
}

Array or_zero(const std::optional<Array>& mask, const Array& array, CUstream stream) {
    if (!mask) return array;
    const Operand choice[] = {&*mask, &array, Scalar::weak(false)};
    return applied(Op::where, choice, array.dtype(), stream);
}

DType real_of(DType dtype) {
    return dtype == DType::Complex64 ? DType::Float32 : dtype == DType::Complex128 ? DType::Float64 : dtype;
}

}  // namespace

Array spread(Spread kind, Array array, const Array* where, std::uint32_t axes, bool keep_axes, double correction,
             std::optional<DType> dtype, CUstream stream) {
    std::optional<Array> mask;
    if (where) mask = where->view(where->layout().broadcast_to(array.layout().shape()));
    const bool has_fraction = array.dtype() != DType::Opaque && info(array.dtype()).kind >= DTypeKind::Floating;
    const DType given = dtype.value_or(has_fraction ? array.dtype() : DType::Float64);
    const DType work = info(given).size == 2 ? DType::Float32 : given, real = real_of(work);
    array = as_type(array, work, stream);
    const Array total = summed(or_zero(mask, array, stream), axes, true, work, stream);
    const Count everywhere = count_of(array, mask, axes, true, real, stream);
    const Operand quotient[] = {&total, everywhere};
    const Array mean = applied(Op::div, quotient, work, stream);
    const Operand difference[] = {&array, &mean};
    const Array deviation = or_zero(mask, applied(Op::sub, difference, work, stream), stream);
    const Array squares = summed(squared_distance(deviation, stream), axes, keep_axes, real, stream);
    Count rest = count_of(array, mask, axes, keep_axes, real, stream);
    if (rest.selected) {
        const Operand less[] = {&*rest.selected, Scalar::weak(correction)};
        const Array fewer = applied(Op::sub, less, real, stream);
        const Operand bounded[] = {&fewer, Scalar::weak(0.0)};
        rest.selected = applied(Op::maximum, bounded, real, stream);
    } else {
        rest.all = std::max(rest.all - correction, 0.0);
    }
    const Operand variance[] = {&squares, rest};
    Array result = applied(Op::div, variance, real, stream);
    if (kind == Spread::StandardDeviation) {
        const Operand root[] = {&result};
        result = applied(Op::sqrt, root, real, stream);
    }
    return as_type(result, info(given).size == 2 ? given : real, stream);
}

}  // namespace pycuda::gpuarray
