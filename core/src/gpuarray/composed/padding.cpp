#include "pycuda/gpuarray/composed/padding.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/quantiles.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr std::size_t words_of_number = 3;

/// As the rule's numbers pass it, for an array of this type.
Scalar number_from(std::span<const long long> words, DType dtype) {
    const double real = std::bit_cast<double>(words[1]), imaginary = std::bit_cast<double>(words[2]);
    switch (words[0]) {
        case 0:
            return weak_scalar(dtype, words[1]);
        case 3:
            return Scalar::weak_unsigned(static_cast<std::uint64_t>(words[1]));
        default:
            return weak_scalar(dtype, {real, imaginary}, words[0] == 2);
    }
}

DType type_of_ramp(DType dtype) {
    return is_complex(dtype) ? DType::Complex128 : DType::Float64;
}

bool is_gathered(Padding mode) {
    return mode >= Padding::Edge;
}

/// The element of a list for the side before (0) or after (1) an axis.
std::size_t index_of_side(std::size_t count, std::size_t axis, int side) {
    return count == 1 ? 0 : (count == 2 ? 0 : 2 * axis) + static_cast<std::size_t>(side);
}

void require_sides(std::size_t count, int ndim, const char* what) {
    if (count != 1 && count != 2 && count != 2 * static_cast<std::size_t>(ndim))
        throw std::invalid_argument(std::string("pad: expected one ") + what + " for all sides, two for those before " +
                                    "and after every axis, or two for each of " + std::to_string(ndim) +
                                    " axes, given " + std::to_string(count));
}

/// The indices of an axis of n elements that its padded form shows.
Array indices_shown(const Array& like, Padding mode, std::int64_t n, std::int64_t before, std::int64_t after,
                    CUstream stream) {
    const Calculation calculate{stream};
    const auto whole = [](std::int64_t number) { return Scalar::weak(number); };
    const Array indices = counted(like, before + n + after, -before, stream);
    if (mode == Padding::Wrap) return calculate(Op::mod, {&indices, whole(n)});
    if (mode == Padding::Edge || n == 1) return calculate(Op::clip, {&indices, whole(0), whole(n - 1)});
    // Back and forth: the second half of each period is the first one in reverse.
    const std::int64_t last = mode == Padding::Symmetric ? 2 * n - 1 : 2 * n - 2;
    const Array forth = calculate(Op::mod, {&indices, whole(mode == Padding::Symmetric ? last + 1 : last)});
    const Array back = calculate(Op::sub, {whole(last), &forth});
    return calculate(Op::minimum, {&forth, &back});
}

/// Along an axis, from `end` at the border to the edge of the array, which is excluded.
Array ramp(const Array& middle, int axis, int side, std::int64_t width, const Scalar& end, CUstream stream) {
    const std::int64_t length = middle.layout().shape()[static_cast<std::size_t>(axis)];
    if (length == 0) throw std::invalid_argument("pad: a ramp cannot begin at the edge of an axis without elements");
    const DType work = type_of_ramp(middle.dtype());
    if (!is_complex(work) && is_complex(end.dtype()))
        throw std::invalid_argument(std::string("pad: a ramp of ") + name_of(middle.dtype()) +
                                    " cannot end at a complex number");
    const Calculation calculate{stream};
    const Array numbers = as_type(counted(middle, width, 0, stream), DType::Float64, stream);
    Array share = as_type(calculate(Op::div, {&numbers, Scalar::weak(double(width))}), work, stream);
    if (side == 1) {
        const IndexPart reversed[] = {{IndexPart::Kind::Range, false, false, 0, 0, -1}};
        share = share.view(views::index(share.layout(), reversed), work);
    }
    Lengths shape(middle.layout().shape().size(), 1);
    shape[static_cast<std::size_t>(axis)] = width;
    const Array shares = with_shape(share, shape, stream);
    const std::int64_t start = side == 0 ? 0 : length - 1;
    const Array edge = as_type(part_of(middle, axis, start, start + 1), work, stream);
    const Array span = calculate(Op::sub, {&edge, end}), way = calculate(Op::mul, {&span, &shares});
    const Array line = calculate(Op::add, {&way, end});
    if (!is_integer(middle.dtype())) return line;
    return as_type(calculate(Op::floor, {&line}), DType::Int64, stream);
}

/// The statistic of the `count` elements next to this side, or of all if there are fewer.
Array statistic(const Array& middle, Padding mode, int axis, int side, std::int64_t count, CUstream stream) {
    const std::int64_t own = middle.layout().shape()[static_cast<std::size_t>(axis)];
    count = std::min(count, own);
    if (count < 1)
        throw std::invalid_argument(
            "pad: expected a statistic of at least 1 element, and an axis with elements, given " +
            std::to_string(count));
    const Array part = part_of(middle, axis, side == 0 ? 0 : own - count, side == 0 ? count : own);
    const Calculation calculate{stream};
    const auto along = [&](Reduction op) { return calculate.reduce(op, part, 1u << axis, true); };
    const Array found = mode == Padding::Median    ? median(part, 1u << axis, true, stream)
                        : mode == Padding::Mean    ? along(Reduction::mean)
                        : mode == Padding::Maximum ? along(Reduction::max)
                                                   : along(Reduction::min);
    return is_integer(middle.dtype()) && is_floating(found.dtype()) ? calculate(Op::rint, {&found}) : found;
}

/// One padding of one array.
class Pad {
public:
    Pad(Array array, const PaddingRule& rule, CUstream stream)
        : array_(std::move(array)), rule_(rule), stream_(stream), shape_(shape_of(array_)), whole_(shape_) {
        const int ndim = array_.layout().ndim();
        require_sides(rule.widths.size(), ndim, "width");
        if (!rule.counts.empty()) require_sides(rule.counts.size(), ndim, "number of elements");
        const bool has_numbers = rule.mode == Padding::Constant || rule.mode == Padding::LinearRamp;
        if (has_numbers) require_sides(rule.values.empty() ? rule.numbers.size() : rule.values.size(), ndim, "number");
        for (const std::int64_t width : rule.widths)
            if (width < 0)
                throw std::invalid_argument("pad: expected widths that are not negative, given " +
                                            std::to_string(width));
        for (std::size_t axis = 0; axis < shape_.size(); ++axis)
            for (const int side : {0, 1}) {
                const std::int64_t more = width(axis, side);
                if (more > std::numeric_limits<std::int64_t>::max() - whole_[axis])
                    throw std::invalid_argument("pad: a width of " + std::to_string(more) + " is too large");
                whole_[axis] += more;
            }
    }

    /// The elements are copies of others, by index.
    Array gathered() const {
        Array result = array_;
        for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
            if (whole_[axis] == shape_[axis]) continue;
            if (shape_[axis] == 0)
                throw std::invalid_argument("pad: an axis without elements cannot be extended by copies of them");
            const Array indices =
                indices_shown(array_, rule_.mode, shape_[axis], width(axis, 0), width(axis, 1), stream_);
            result = take(result, indices, static_cast<int>(axis), stream_);
        }
        return whole_ == shape_ ? converted(array_, array_.dtype(), Order::C, stream_) : result;
    }

    /// Each axis is filled over the whole length of earlier ones.
    Array framed() const {
        const Array result = new_beside(array_, array_.dtype(), whole_, stream_);
        Array own = result;
        for (std::size_t axis = 0; axis < shape_.size(); ++axis) own = own_part(own, axis);
        if (own.layout().size() != 0) assign(own, array_, stream_);
        for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
            Array whole = result;
            for (std::size_t later = axis + 1; later < shape_.size(); ++later) whole = own_part(whole, later);
            const std::int64_t starts[] = {0, width(axis, 0) + shape_[axis]};
            for (const int side : {0, 1}) {
                const Array frame =
                    part_of(whole, static_cast<int>(axis), starts[side], starts[side] + width(axis, side));
                if (frame.layout().size() != 0) fill_side(frame, own_part(whole, axis), axis, side);
            }
        }
        return result;
    }

private:
    std::int64_t width(std::size_t axis, int side) const {
        return rule_.widths[index_of_side(rule_.widths.size(), axis, side)];
    }
    Array own_part(const Array& of, std::size_t axis) const {
        return part_of(of, static_cast<int>(axis), width(axis, 0), width(axis, 0) + shape_[axis]);
    }

    void fill_side(const Array& frame, const Array& middle, std::size_t axis, int side) const {
        const auto number = [&] { return rule_.numbers[index_of_side(rule_.numbers.size(), axis, side)]; };
        const int along = static_cast<int>(axis);
        if (rule_.mode == Padding::Empty) return;
        if (rule_.mode == Padding::LinearRamp)
            return assign(frame, ramp(middle, along, side, width(axis, side), number(), stream_), stream_);
        if (rule_.mode != Padding::Constant) {
            const std::int64_t count = rule_.counts.empty()
                                           ? std::numeric_limits<std::int64_t>::max()
                                           : rule_.counts[index_of_side(rule_.counts.size(), axis, side)];
            return assign(frame, statistic(middle, rule_.mode, along, side, count, stream_), stream_);
        }
        if (rule_.values.empty()) return fill(frame, number(), stream_);
        assign(frame, rule_.values[index_of_side(rule_.values.size(), axis, side)], stream_);
    }

    const Array array_;
    const PaddingRule& rule_;
    const CUstream stream_;
    const Lengths shape_;
    Lengths whole_;  ///< the lengths of the result
};

}  // namespace

PaddingRule::PaddingRule(std::span<const long long> given, std::span<const Array> constants, DType dtype)
    : mode(static_cast<Padding>(given[0])), values(constants.begin(), constants.end()) {
    const auto count = static_cast<std::size_t>(given[1]);
    const auto rest = given.subspan(2 + count);
    widths.assign(given.begin() + 2, given.begin() + 2 + given[1]);
    if (mode == Padding::Constant || mode == Padding::LinearRamp) {
        if (mode == Padding::LinearRamp) dtype = type_of_ramp(dtype);
        for (std::size_t k = 0; k + words_of_number <= rest.size(); k += words_of_number)
            numbers.push_back(number_from(rest.subspan(k, words_of_number), dtype));
    } else {
        counts.assign(rest.begin(), rest.end());
    }
}

Array pad(Array array, const PaddingRule& rule, CUstream stream) {
    const Pad pad(std::move(array), rule, stream);
    return is_gathered(rule.mode) ? pad.gathered() : pad.framed();
}

}  // namespace pycuda::gpuarray
