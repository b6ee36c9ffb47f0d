#include "pycuda/gpuarray/composed/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpuarray/composed/array_parts.hpp"
#include "gpuarray/composed/counting.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"
#include "pycuda/gpuarray/composed/sets.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::gpuarray {
namespace {

using Bounds = std::pair<double, double>;

/// As an element of this floating-point type.
double rounded_to(DType dtype, double value) {
    if (dtype == DType::Float32) return static_cast<float>(value);
    if (dtype == DType::Float16) return float16_value(float16_bits(value));
    if (dtype == DType::BFloat16) return bfloat16_value(bfloat16_bits(value));
    return value;
}

/// The distance from 1 to the next number of this floating-point type.
double epsilon_of(DType dtype) {
    switch (dtype) {
        case DType::Float16:
            return std::ldexp(1.0, -10);
        case DType::BFloat16:
            return std::ldexp(1.0, -7);
        case DType::Float32:
            return std::numeric_limits<float>::epsilon();
        default:
            return std::numeric_limits<double>::epsilon();
    }
}

/// The least positive number of this floating-point type that has its full precision.
double min_normal_of(DType dtype) {
    switch (dtype) {
        case DType::Float16:
            return std::ldexp(1.0, -14);
        case DType::BFloat16:
        case DType::Float32:
            return std::numeric_limits<float>::min();
        default:
            return std::numeric_limits<double>::min();
    }
}

/// Waits for the stream.
Bounds extremes_of(const Array& array, CUstream stream) {
    const Calculation calculate{stream};
    const Array min = calculate.reduce(Reduction::min, array, all_axes, true);
    const Array greatest = calculate.reduce(Reduction::max, array, all_axes, true);
    const Array both[] = {ravel(as_type(min, DType::Float64, stream), stream),
                          ravel(as_type(greatest, DType::Float64, stream), stream)};
    const Array* const parts[] = {&both[0], &both[1]};
    const Array joined = concatenate(parts, 0, stream);
    const Lengths bits = numbers_of(joined.view({joined.layout(), 0}, DType::Int64), stream);
    return {std::bit_cast<double>(bits[0]), std::bit_cast<double>(bits[1])};
}

/// `work` is the type in which NumPy would compute them.
Array spaced_edges(const Array& like, std::int64_t bins, Bounds bounds, DType work, CUstream stream) {
    const auto [first, last] = bounds;
    const double distance = rounded_to(work, last - first), parts = rounded_to(work, static_cast<double>(bins));
    const double step = rounded_to(work, distance / parts);
    const Calculation calculate{stream};
    const Array numbers = as_type(counted(like, bins + 1, 0, stream), work, stream);
    const Array share = step == 0 ? calculate(Op::div, {&numbers, Scalar::weak(parts)}) : numbers;
    const Array ways = calculate(Op::mul, {&share, Scalar::weak(step == 0 ? distance : step)});
    const Array edges = calculate(Op::add, {&ways, Scalar::weak(first)});
    fill(part_of(edges, 0, bins, bins + 1), Scalar::weak(last), stream);
    return edges;
}

/// The number of elements in each bin, or the sums of their weights: of integers and of parts of complex numbers, too.
Array sums_in_bins(const Array& array, std::int64_t bins, const std::optional<Array>& edges,
                   const std::optional<Array>& weights, DType dtype, CUstream stream) {
    const std::int64_t shape[] = {bins};
    const Array out = new_beside(array, dtype, shape, stream);
    if (is_complex(dtype)) {
        const DType real = real_part(dtype);
        for (const Op part : {Op::real, Op::imag}) {
            const Array parts = Calculation{stream}(part, {&*weights});
            const Array sums = sums_in_bins(array, bins, edges, parts, DType::Float64, stream);
            const std::int64_t size = info(real).size;
            assign(out.view(views::field(out.layout(), part == Op::real ? 0 : size, size), real), sums, stream);
        }
        return out;
    }
    const Array elements = ravel(array, stream);
    const std::optional<Array> given = weights ? std::optional(ravel(*weights, stream)) : std::nullopt;
    const ArrayRef limits = edges ? edges->ref(stream) : ArrayRef(), shares = given ? given->ref(stream) : ArrayRef();
    count_in_bins(*current_kernels(), out.ref(stream), elements.ref(stream), edges ? &limits : nullptr,
                  given ? &shares : nullptr, stream);
    return out;
}

/// The type in which weights of this type are added up.
DType type_of_sums(DType weights) {
    if (is_complex(weights)) return DType::Complex128;
    if (weights == DType::Bool) return DType::Int64;
    return weights == DType::UInt64 ? weights : is_integer(weights) ? DType::Int64 : DType::Float64;
}

bool are_distinct(const Array& edges, CUstream stream) {
    const std::int64_t n = edges.layout().size();
    const Array lower = part_of(edges, 0, 0, n - 1), upper = part_of(edges, 0, 1, n);
    const Array differ = Calculation{stream}(Op::lt, {&lower, &upper}, DType::Bool);
    return count_nonzero(differ, stream) == n - 1;
}

/// The edges, which differ in the type of the result. Waits for the stream if only the edges themselves tell.
Array distinct_edges(const Array& like, std::int64_t bins, Bounds bounds, DType work, DType result, CUstream stream) {
    const auto [first, last] = bounds;
    const double distance = rounded_to(work, last - first), parts = rounded_to(work, static_cast<double>(bins));
    const double step = rounded_to(work, distance / parts);
    // At the bound that is larger in magnitude, the type's numbers lie between a quarter of this and this apart.
    const double unit = std::max(epsilon_of(work), epsilon_of(result)) * std::max(std::abs(first), std::abs(last));
    if (std::isfinite(distance) && step >= unit / 16) {
        const Array edges = as_type(spaced_edges(like, bins, bounds, work, stream), result, stream);
        const bool surely = step > 8 * unit && step >= min_normal_of(result);
        if (surely || are_distinct(edges, stream)) return edges;
    }
    throw std::invalid_argument("too many bins for the range: cannot create " + std::to_string(bins) +
                                " bins of finite size");
}

void require_one_axis_of_edges(const Array& edges) {
    if (edges.layout().ndim() != 1 || edges.layout().size() == 0)
        throw std::invalid_argument("`bins` must be 1d, when an array, given shape " +
                                    shape_text(edges.layout().shape()));
}

}  // namespace

void require_bin_edges(Array edges, CUstream stream) {
    require_one_axis_of_edges(edges);
    const std::int64_t n = edges.layout().size();
    if (n < 2) return;
    const Calculation calculate{stream};
    const Array lower = part_of(edges, 0, 0, n - 1), upper = part_of(edges, 0, 1, n);
    if (count_nonzero(calculate(Op::le, {&lower, &upper}, DType::Bool), stream) != n - 1)
        throw std::invalid_argument("`bins` must increase monotonically, when an array");
}

Array bin_edges(Array array, std::int64_t bins, std::optional<Bounds> bounds, std::optional<DType> dtype,
                CUstream stream) {
    if (bins < 1 || bins == std::numeric_limits<std::int64_t>::max())
        throw std::invalid_argument("`bins` must be positive, when an integer, given " + std::to_string(bins));
    const bool from_elements = !bounds && array.layout().size() > 0;
    const DType own = is_floating(array.dtype()) ? array.dtype() : DType::Float64;
    const DType work = from_elements ? own : DType::Float64;
    Bounds range = bounds ? *bounds : from_elements ? extremes_of(array, stream) : Bounds(0, 1);
    if (range.first > range.second) throw std::invalid_argument("max must be larger than min in range parameter.");
    if (!std::isfinite(range.first) || !std::isfinite(range.second))
        throw std::invalid_argument(std::string(bounds ? "supplied" : "autodetected") + " range of [" +
                                    std::to_string(range.first) + ", " + std::to_string(range.second) +
                                    "] is not finite");
    if (range.first == range.second)
        range = {rounded_to(work, range.first - 0.5), rounded_to(work, range.second + 0.5)};
    return distinct_edges(array, bins, range, work, dtype.value_or(own), stream);
}

Array histogram(Array array, Array edges, std::optional<Array> weights, bool density, CUstream stream) {
    require_one_axis_of_edges(edges);
    const std::int64_t n = edges.layout().size();
    if (weights && !weights->layout().same_shape(array.layout()))
        throw std::invalid_argument("weights should have the same shape as a: expected " +
                                    shape_text(array.layout().shape()) + ", given " +
                                    shape_text(weights->layout().shape()));
    const Array limits = in_c_order(as_type(edges, common_dtype(array, edges), stream), stream);
    const DType dtype = weights ? type_of_sums(weights->dtype()) : DType::Int64;
    Array counts = sums_in_bins(array, n - 1, limits, weights, dtype, stream);
    if (weights && weights->dtype() != DType::Bool) counts = as_type(counts, weights->dtype(), stream);
    if (!density) return counts;
    const Calculation calculate{stream};
    const DType fraction = promote(counts.dtype(), DType::Float64);
    const Array upper = part_of(edges, 0, 1, n), lower = part_of(edges, 0, 0, n - 1);
    const Array widths = calculate(Op::sub, {&upper, &lower}, DType::Float64);
    const Array each = calculate(Op::div, {&counts, &widths}, fraction);
    const Array total = calculate.reduce(Reduction::sum, counts, all_axes, false, fraction);
    return calculate(Op::div, {&each, &total}, fraction);
}

Array bincount(Array array, std::optional<Array> weights, std::int64_t min_bins, CUstream stream) {
    const DType own = array.dtype();
    if (own == DType::Opaque || (own != DType::Bool && !is_integer(own)))
        throw ArgumentTypeError(std::string("bincount: expected integers, given ") + name_of(own));
    if (min_bins < 0) throw std::invalid_argument("'minlength' must not be negative");
    if (weights && !weights->layout().same_shape(array.layout()))
        throw std::invalid_argument("The weights and list don't have the same length.");
    std::int64_t bins = min_bins;
    if (array.layout().size() != 0) {
        // Negative integers, read as unsigned ones, are the greatest.
        const bool is_signed = info(own).kind == DTypeKind::Signed;
        const auto as_unsigned = static_cast<DType>(static_cast<int>(own) + 1);
        const Array numbers = is_signed ? array.view({array.layout(), 0}, as_unsigned) : array;
        const Array greatest = Calculation{stream}.reduce(Reduction::max, numbers, all_axes);
        const auto last = numbers_of(as_type(greatest, DType::Int64, stream), stream)[0];
        if (last < 0 || (is_signed && last >> (8 * info(own).size - 1) != 0))
            throw std::invalid_argument("'list' argument must have no negative elements");
        if (last == std::numeric_limits<std::int64_t>::max())
            throw std::invalid_argument("bincount: 2^63 bins do not fit in memory");
        bins = std::max(bins, last + 1);
    }
    return sums_in_bins(array, bins, std::nullopt, weights, weights ? DType::Float64 : DType::Int64, stream);
}

}  // namespace pycuda::gpuarray
