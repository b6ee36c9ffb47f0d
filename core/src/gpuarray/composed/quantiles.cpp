#include "pycuda/gpuarray/composed/quantiles.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"

namespace pycuda::gpuarray {
namespace {

bool has_fraction(DType dtype) {
    return is_floating(dtype) || is_complex(dtype);
}

/// The elements in ascending order along one axis, which replaces `axes`.
class Ordered {
public:
    Ordered(const Array& array, std::uint32_t axes, bool keepdims, CUstream stream) : stream_(stream) {
        Lengths lengths, order, reduced;
        for (int axis = 0; axis < array.layout().ndim(); ++axis) {
            const std::int64_t length = array.layout().shape()[static_cast<std::size_t>(axis)];
            const bool is_reduced = axes >> axis & 1;
            if (is_reduced)
                reduced.push_back(axis), length_ *= length;
            else
                order.push_back(axis), lengths.push_back(length);
            if (!is_reduced || keepdims) shape_.push_back(is_reduced ? 1 : length);
        }
        axis_ = static_cast<int>(reduced.size() == 1 ? reduced[0] : std::ssize(lengths));
        if (reduced.size() == 1) {
            rows_ = sorted(array, axis_, stream);
        } else {
            order.insert(order.end(), reduced.begin(), reduced.end());
            lengths.push_back(length_);
            const Array moved = array.view(views::transpose(array.layout(), order));
            rows_ = sorted(with_shape(moved, lengths, stream), axis_, stream);
        }
    }

    std::int64_t length() const { return length_; }
    const Lengths& shape() const { return shape_; }
    int axis() const { return axis_; }
    Array part(std::int64_t first, std::int64_t stop) const { return part_of(*rows_, axis_, first, stop); }

    /// With NaN where a row has one, which is then its last. Results have this shape, after axes of their own.
    Array with_nan(const Array& results) const {
        if (!has_fraction(rows_->dtype())) return results;
        const Calculation calculate{stream_};
        const Array last = with_shape(part(length_ - 1, length_), shape_, stream_),
                    is_nan = calculate(Op::isnan, {&last});
        return calculate(Op::where, {&is_nan, &last, &results}, results.dtype());
    }

private:
    CUstream stream_;
    std::optional<Array> rows_;
    Lengths shape_;
    std::int64_t length_ = 1;
    int axis_;
};

/// Interpolate at a fractional index, from the nearer neighbour, so that integer indices give the elements exactly.
Array between(const Ordered& ordered, double index, DType dtype, CUstream stream) {
    const Calculation calculate{stream};
    const auto first = static_cast<std::int64_t>(index);
    const auto element = [&](std::int64_t k) { return as_type(ordered.part(k, k + 1), dtype, stream); };
    const Array low = element(first), high = element(std::min(first + 1, ordered.length() - 1));
    const double share = index - static_cast<double>(first);
    const Array way = calculate(Op::sub, {&high, &low});
    const Array step = calculate(Op::mul, {&way, Scalar::weak(share < 0.5 ? share : 1 - share)});
    return share < 0.5 ? calculate(Op::add, {&low, &step}) : calculate(Op::sub, {&high, &step});
}

}  // namespace

Array median(Array array, std::uint32_t axes, bool keepdims, CUstream stream) {
    const Calculation calculate{stream};
    const Ordered ordered(array, axes, keepdims, stream);
    const std::int64_t length = ordered.length();
    if (length == 0) {
        const DType dtype = has_fraction(array.dtype()) ? array.dtype() : DType::Float64;
        Array none = new_beside(array, dtype, ordered.shape(), stream);
        fill(none, Scalar::weak(std::numeric_limits<double>::quiet_NaN()), stream);
        return none;
    }
    const Array middle = ordered.part((length - 1) / 2, length / 2 + 1);
    const Array mean = calculate.reduce(Reduction::mean, middle, 1u << ordered.axis(), true);
    return ordered.with_nan(with_shape(mean, ordered.shape(), stream));
}

Array take_sorted(Array array, std::span<const double> indices, std::uint32_t axes, bool keepdims, DType dtype,
                  CUstream stream) {
    if (is_complex(array.dtype()))
        throw ArgumentTypeError(std::string("quantile: expected real numbers, given ") + name_of(array.dtype()));
    if (array.dtype() == DType::Bool)
        throw ArgumentTypeError("quantile: expected numbers, given bool; convert them with astype()");
    const Ordered ordered(array, axes, keepdims, stream);
    if (ordered.length() == 0) throw std::out_of_range("quantile: the array is empty along the axes");
    Lengths shape = ordered.shape();
    shape.insert(shape.begin(), static_cast<std::int64_t>(indices.size()));
    if (indices.empty()) return new_beside(array, dtype, shape, stream);
    shape[0] = 1;
    std::vector<Array> found;
    for (const double index : indices) {
        if (!(index >= 0 && index <= static_cast<double>(ordered.length() - 1)))
            throw std::out_of_range("quantile: there is no index " + std::to_string(index) + " in " +
                                    std::to_string(ordered.length()) + " elements");
        found.push_back(with_shape(between(ordered, index, dtype, stream), shape, stream));
    }
    std::vector<const Array*> all;
    for (const Array& one : found) all.push_back(&one);
    return ordered.with_nan(found.size() == 1 ? found[0] : concatenate(all, 0, stream));
}

}  // namespace pycuda::gpuarray
