#include "pycuda/gpuarray/composed/variance.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "gpuarray/composed/array_parts.hpp"

namespace pycuda::gpuarray {
namespace {

Array squared_distance(const Array& x, CUstream stream) {
    const Calculation calculate{stream};
    if (!is_complex(x.dtype())) return calculate(Op::mul, {&x, &x});
    const Array real = calculate(Op::real, {&x}), imaginary = calculate(Op::imag, {&x});
    return calculate(Op::mul_add, {&real, &real, &imaginary, &imaginary});
}

/// How many elements each sum includes: a number, or an array if a mask selects them.
struct Count {
    std::optional<Array> selected;
    double all = 0;
    operator Operand() const { return selected ? Operand(&*selected) : Operand(Scalar::weak(all)); }
};

Count count_of(const Array& array, const std::optional<Array>& mask, std::uint32_t axes, bool keep, DType real,
               CUstream stream) {
    Count count;
    if (mask) {
        const Array found = Calculation{stream}.reduce(Reduction::count_nonzero, *mask, axes, keep, DType::Int64);
        count.selected = as_type(found, real, stream);
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
    return Calculation{stream}(Op::where, {&*mask, &array, Scalar::weak(false)}, array.dtype());
}

/// The sums of the squared distances from the mean, for complex numbers and under a mask.
Array squared_deviations(const Array& array, const std::optional<Array>& mask, std::uint32_t axes, bool keep,
                         CUstream stream) {
    const Calculation calculate{stream};
    const DType type = array.dtype(), real = real_part(type);
    const Array total = calculate.reduce(Reduction::sum, or_zero(mask, array, stream), axes, true, type);
    const Array mean = calculate(Op::div, {&total, count_of(array, mask, axes, true, real, stream)}, type);
    const Array deviation = or_zero(mask, calculate(Op::sub, {&array, &mean}, type), stream);
    return calculate.reduce(Reduction::sum, squared_distance(deviation, stream), axes, keep, real);
}

/// The variance or, if `is_root`, the standard deviation.
Array deviation(bool is_root, const Array& array, const std::optional<Array>& where, std::uint32_t axes, bool keepdims,
                double correction, std::optional<DType> dtype, CUstream stream) {
    std::optional<Array> mask;
    if (where) mask = where->view(where->layout().broadcast_to(array.layout().shape()));
    const bool has_fraction = array.dtype() != DType::Opaque && info(array.dtype()).kind >= DTypeKind::Floating;
    const DType given = dtype.value_or(has_fraction ? array.dtype() : DType::Float64);
    const DType work = info(given).size == 2 ? DType::Float32 : given, real = real_part(work);
    const Calculation calculate{stream};
    const bool in_one_pass = !mask && info(work).kind == DTypeKind::Floating;
    const Array squares = in_one_pass ? calculate.reduce(Reduction::deviations, array, axes, keepdims, work)
                                      : squared_deviations(as_type(array, work, stream), mask, axes, keepdims, stream);
    Count rest = count_of(array, mask, axes, keepdims, real, stream);
    if (rest.selected) {
        const Array fewer = calculate(Op::sub, {&*rest.selected, Scalar::weak(correction)}, real);
        rest.selected = calculate(Op::maximum, {&fewer, Scalar::weak(0.0)}, real);
    } else {
        rest.all = std::max(rest.all - correction, 0.0);
    }
    Array result = calculate(Op::div, {&squares, rest}, real);
    if (is_root) result = calculate(Op::sqrt, {&result}, real);
    return as_type(result, info(given).size == 2 ? given : real, stream);
}

}  // namespace

Array variance(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
               std::optional<DType> dtype, CUstream stream) {
    return deviation(false, array, where, axes, keepdims, correction, dtype, stream);
}

Array standard_deviation(Array array, std::optional<Array> where, std::uint32_t axes, bool keepdims, double correction,
                         std::optional<DType> dtype, CUstream stream) {
    return deviation(true, array, where, axes, keepdims, correction, dtype, stream);
}

}  // namespace pycuda::gpuarray
