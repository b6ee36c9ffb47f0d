#include "pycuda/gpuarray/histogram.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "array_parts.hpp"
#include "pycuda/gpuarray/moving.hpp"
#include "pycuda/gpuarray/rearranging.hpp"
#include "pycuda/gpuarray/sets.hpp"

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

/// Waits for the stream.
Bounds extremes_of(const Array& array, CUstream stream) {
    const Calculation calculate{stream};
    const Array least = calculate.reduce(Reduction::min, array, all_axes, true);
    const Array greatest = calculate.reduce(Reduction::max, array, all_axes, true);
    const Array both[] = {flat(as_type(least, DType::Float64, stream), stream),
                          flat(as_type(greatest, DType::Float64, stream), stream)};
    const Array* const parts[] = {&both[0], &both[1]};
    const Array joined = concatenated(parts, 0, stream);
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

/// The sums of the weights before each position of an order, and of all weights.
Array sums_before(const Array& weights, const Array& order, CUstream stream) {
    const DType own = weights.dtype() == DType::Bool ? DType::Int64 : weights.dtype();
    const DType dtype = promote(own, is_integer(own) ? DType::Int64 : DType::Float64);
    const Array line = flat(weights, stream);
    const Array ordered = line.layout().size() ? taken(line, order, stream) : line;
    return scanned_from_start(Scan::sum, as_type(ordered, dtype, stream), 0, stream);
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
    return as_type(spaced_edges(array, bins, range, work, stream), dtype.value_or(own), stream);
}

Array histogram(Array array, Array edges, std::optional<Array> weights, bool density, CUstream stream) {
    require_one_axis_of_edges(edges);
    const std::int64_t n = edges.layout().size();
    if (weights && !weights->layout().same_shape(array.layout()))
        throw std::invalid_argument("weights should have the same shape as a: expected " +
                                    shape_text(array.layout().shape()) + ", given " +
                                    shape_text(weights->layout().shape()));
    const DType dtype = common_dtype(array, edges);
    const Array line = flat(as_type(array, dtype, stream), stream), limits = as_type(edges, dtype, stream);
    std::optional<Array> order;
    if (weights) order = sorted_places(line, 0, stream);
    const Array ordered = !order ? sorted(line, 0, stream) : line.layout().size() ? taken(line, *order, stream) : line;
    const Array before = search_sorted(ordered, part_of(limits, 0, 0, n - 1), false, stream);
    const Array until = search_sorted(ordered, part_of(limits, 0, n - 1, n), true, stream);
    const Array* const both[] = {&before, &until};
    Array below = concatenated(both, 0, stream);
    if (order) below = taken(sums_before(*weights, *order, stream), below, stream);
    Array counts = differences(below, 1, 0, stream);
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

}  // namespace pycuda::gpuarray
