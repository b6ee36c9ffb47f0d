#include "pycuda/gpuarray/composed/indexing.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::gpuarray {
namespace {

using PartKind = IndexPart::Kind;

Scalar whole(std::int64_t number) {
    return Scalar::weak(number);
}

bool is_advanced(const GatherPart& part) {
    return part.array || part.basic.kind == PartKind::At;
}

int axes_of(const GatherPart& part) {
    if (part.array) return part.is_mask ? part.array->layout().ndim() : 1;
    return part.basic.kind == PartKind::At || part.basic.kind == PartKind::Range ? 1 : 0;
}

/// The array with axes of length 1 after its own.
Array with_axes_behind(const Array& array, std::size_t count) {
    std::vector<IndexPart> parts(count + 1, {PartKind::NewAxis});
    parts[0].kind = PartKind::Rest;
    return array.view(views::index(array.layout(), parts), array.dtype());
}

void require_integers(const Array& indices) {
    const DType dtype = indices.dtype();
    if (dtype == DType::Opaque || dtype == DType::Bool || !is_integer(dtype))
        throw ArgumentTypeError(std::string("expected integers or a mask in an array of indices, given ") +
                                name_of(dtype));
}

/// 0, step, 2 step, ...
Array line_of(const Array& like, std::int64_t length, std::int64_t step, CUstream stream) {
    const std::int64_t shape[] = {length};
    const Array out = new_beside(like, DType::Int64, shape, stream);
    const Input range[] = {whole(0), whole(step)};
    if (length > 0) elementwise(*current_kernels(), Op::arange, out.ref(stream), range, stream);
    return out;
}

/// The flat indices of the elements at an index: the sum of its parts' contributions.
class FlatIndices {
public:
    FlatIndices(const Array& array, std::span<const GatherPart> parts, CUstream stream)
        : array_(array), stream_(stream), elements_(array.layout().shape(), 1) {
        read(parts);
        if (empty_axis_ >= 0 && std::ranges::find(together_, 0) == together_.end())
            throw std::out_of_range("cannot take elements from axis " + std::to_string(empty_axis_) +
                                    ", which is empty");
        const views::View view = views::index(elements_, basic_);
        start_ += view.offset;
        const auto shape = view.layout.shape(), strides = view.layout.strides();
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (is_replaced_[axis]) continue;
            lengths_.push_back(shape[axis]);
            steps_.push_back(strides[axis]);
        }
    }

    Array sum() const {
        Lengths full(lengths_);
        full.insert(full.begin() + static_cast<std::ptrdiff_t>(first_), together_.begin(), together_.end());
        const Calculation calculate{stream_};
        std::optional<Array> total;
        const auto add = [&](const Array& term, std::size_t behind) {
            const Array shaped = with_axes_behind(term, behind);
            total = total ? calculate(Op::add, {&*total, &shaped}) : shaped;
        };
        for (const Array& term : terms_) add(term, lengths_.size() - first_);
        if (!total) {
            total = new_beside(array_, DType::Int64, {}, stream_);
            fill(*total, whole(start_), stream_);
        } else if (start_ != 0) {
            total = calculate(Op::add, {&*total, whole(start_)});
        }
        for (std::size_t k = lengths_.size(); k-- > 0;) {
            if (lengths_[k] == 1 || steps_[k] == 0) continue;
            add(line_of(array_, lengths_[k], steps_[k], stream_),
                lengths_.size() - 1 - k + (k < first_ ? together_.size() : 0));
        }
        return total->view(total->layout().broadcast_to(full));
    }

private:
    /// Reads the parts: whole axes stand in for those that arrays and numbers replace.
    void read(std::span<const GatherPart> parts) {
        int taken = 0, axis = 0;
        for (const GatherPart& part : parts) taken += axes_of(part);
        if (taken > elements_.ndim())
            throw std::out_of_range("too many indices: the array has " + std::to_string(elements_.ndim()) +
                                    " axes, given " + std::to_string(taken));
        const int rest = elements_.ndim() - taken;
        bool rest_seen = false, is_apart = false, was_advanced = false;
        std::size_t kept = 0;
        for (const GatherPart& part : parts) {
            if (is_advanced(part)) {
                if (!advanced_seen_) first_ = kept;
                is_apart |= advanced_seen_ && !was_advanced;
                advanced_seen_ = true;
                add_advanced(part, axis);
            } else {
                if (part.basic.kind == PartKind::Rest && std::exchange(rest_seen, true))
                    throw std::out_of_range("an index can only have a single ellipsis ('...')");
                const int axes = part.basic.kind == PartKind::Rest ? rest : 1;
                kept += static_cast<std::size_t>(axes);
                is_replaced_.insert(is_replaced_.end(), static_cast<std::size_t>(axes), false);
                basic_.push_back(part.basic);
                axis += part.basic.kind == PartKind::NewAxis ? 0 : axes;
            }
            was_advanced = is_advanced(part);
        }
        if (is_apart) first_ = 0;
        if (!rest_seen) is_replaced_.insert(is_replaced_.end(), static_cast<std::size_t>(rest), false);
    }

    void add_advanced(const GatherPart& part, int& axis) {
        const int axes = axes_of(part);
        if (!part.array)
            add_number(part.basic.start, axis);
        else
            add_term(part.is_mask ? of_mask(*part.array, axis) : of_indices(*part.array, axis));
        basic_.insert(basic_.end(), static_cast<std::size_t>(axes), IndexPart{});
        is_replaced_.insert(is_replaced_.end(), static_cast<std::size_t>(axes), true);
        axis += axes;
    }

    std::int64_t length_of(int axis) const { return elements_.shape()[static_cast<std::size_t>(axis)]; }
    std::int64_t step_of(int axis) const { return elements_.strides()[static_cast<std::size_t>(axis)]; }

    void add_number(std::int64_t index, int axis) {
        const std::int64_t length = length_of(axis);
        if (index < -length || index >= length)
            throw std::out_of_range("index " + std::to_string(index) + " is out of bounds for axis " +
                                    std::to_string(axis) + " with size " + std::to_string(length));
        start_ += (index < 0 ? index + length : index) * step_of(axis);
    }

    void add_term(Array term) {
        try {
            together_ = common_shape(together_, term.layout().shape());
        } catch (const std::invalid_argument& error) {
            throw std::out_of_range(std::string("index arrays: ") + error.what());
        }
        terms_.push_back(std::move(term));
    }

    Array of_indices(const Array& given, int axis) {
        require_integers(given);
        const std::int64_t length = length_of(axis);
        const Array indices = as_type(given, DType::Int64, stream_);
        if (indices.layout().size() == 0) return indices;
        if (length == 0) empty_axis_ = axis;
        const Calculation calculate{stream_};
        const Array clamped = calculate(Op::clip, {&indices, whole(-length), whole(length - 1)});
        const Array from_start = calculate(Op::mod, {&clamped, whole(std::max<std::int64_t>(length, 1))});
        return step_of(axis) == 1 ? from_start : calculate(Op::mul, {&from_start, whole(step_of(axis))});
    }

    /// Its axes follow one another, so flat indices within them are those of its own elements.
    Array of_mask(const Array& mask, int axis) const {
        const auto shape = mask.layout().shape();
        for (std::size_t k = 0; k < shape.size(); ++k) {
            const int at = axis + static_cast<int>(k);
            if (shape[k] != 0 && shape[k] != length_of(at))  // as in NumPy, a mask without elements fits any axis
                throw std::out_of_range("a mask of length " + std::to_string(shape[k]) + " does not match axis " +
                                        std::to_string(at) + ", of length " + std::to_string(length_of(at)));
        }
        const Array selected = flatnonzero(mask, stream_);
        const std::int64_t step = shape.empty() ? 1 : step_of(axis + static_cast<int>(shape.size()) - 1);
        return step == 1 ? selected : Calculation{stream_}(Op::mul, {&selected, whole(step)});
    }

    const Array& array_;
    const CUstream stream_;
    const Layout elements_;          ///< the array's shape; strides count elements in C order
    std::vector<IndexPart> basic_;   ///< the index without arrays and numbers
    std::vector<bool> is_replaced_;  ///< for each axis of what `basic_` selects: by arrays and numbers
    std::vector<Array> terms_;       ///< of the arrays
    Lengths together_;               ///< the shape of all of them
    Lengths lengths_, steps_;        ///< of the axes that are not replaced
    std::size_t first_ = 0;          ///< the axis of the result at which the arrays' axes begin
    std::int64_t start_ = 0;
    int empty_axis_ = -1;  ///< an axis without elements, of which some are wanted
    bool advanced_seen_ = false;
};

/// The only part, if that is a mask of all of the array's axes.
const Array* mask_of_all(const Array& array, std::span<const GatherPart> parts) {
    const bool is_mask = parts.size() == 1 && parts[0].array && parts[0].is_mask;
    return is_mask && array.layout().ndim() > 0 && parts[0].array->layout().same_shape(array.layout())
               ? &*parts[0].array
               : nullptr;
}

/// An array of indices along one axis; all other axes are taken whole.
struct AlongAxis {
    const Array& indices;
    int axis;
};

std::optional<AlongAxis> along_one_axis(const Array& array, std::span<const GatherPart> parts) {
    const auto is_whole = [](const GatherPart& part) {
        const PartKind kind = part.array ? PartKind::At : part.basic.kind;
        const IndexPart& range = part.basic;
        return kind == PartKind::Rest ||
               (kind == PartKind::Range && !range.has_start && !range.has_stop && range.step == 1);
    };
    const auto found = std::ranges::find_if(parts, [](const GatherPart& part) { return part.array && !part.is_mask; });
    if (found == parts.end() || array.layout().size() == 0 || array.layout().itemsize() == 0) return std::nullopt;
    int axis = 0, taken = 0, rests = 0;
    for (const GatherPart& part : parts) {
        if (&part != &*found && !is_whole(part)) return std::nullopt;
        taken += axes_of(part);
        rests += !part.array && part.basic.kind == PartKind::Rest;
    }
    const int rest = array.layout().ndim() - taken;
    if (rest < 0 || rests > 1) return std::nullopt;
    for (auto part = parts.begin(); part != found; ++part) axis += part->basic.kind == PartKind::Rest ? rest : 1;
    require_integers(*found->array);
    return AlongAxis{*found->array, axis};
}

/// `values` in that shape, to which they are broadcast after leading axes of length 1 are dropped.
Array broadcast_over(std::span<const std::int64_t> shape, const Array& values) {
    auto own = values.layout().shape();
    while (own.size() > shape.size() && own[0] == 1) own = own.subspan(1);
    bool fits = own.size() <= shape.size();
    for (std::size_t k = 1; fits && k <= own.size(); ++k)
        fits = own[own.size() - k] == 1 || own[own.size() - k] == shape[shape.size() - k];
    if (!fits)
        throw std::invalid_argument("could not broadcast input array from shape " + shape_text(own) + " into shape " +
                                    shape_text(shape));
    const std::vector<IndexPart> leading(values.layout().shape().size() - own.size(), {PartKind::At});
    const Array dropped = values.view(views::index(values.layout(), leading), values.dtype());
    return dropped.view(dropped.layout().broadcast_to(shape));
}

}  // namespace

std::vector<GatherPart> gather_parts(std::span<const long long> numbers, std::span<const Array> arrays) {
    constexpr std::size_t fields = 5;
    constexpr long long indices = 4, mask = 5;
    std::vector<GatherPart> parts;
    std::size_t array = 0;
    for (std::size_t k = 0; k + fields <= numbers.size(); k += fields) {
        const auto part = numbers.subspan(k, fields);
        if (part[0] >= indices)
            parts.push_back({{}, arrays[array++], part[0] == mask});
        else
            parts.push_back(
                {{static_cast<PartKind>(part[0]), (part[1] & 1) != 0, (part[1] & 2) != 0, part[2], part[3], part[4]},
                 std::nullopt});
    }
    return parts;
}

Array flat_indices(Array array, std::span<const GatherPart> parts, CUstream stream) {
    return FlatIndices(array, parts, stream).sum();
}

Array elements_at(Array array, std::span<const GatherPart> parts, CUstream stream) {
    if (const Array* const mask = mask_of_all(array, parts)) return selected(array, *mask, stream);
    if (const auto along = along_one_axis(array, parts)) return take(array, along->indices, along->axis, stream);
    const Array indices = flat_indices(array, parts, stream);
    Array out = new_beside(array, array.dtype(), indices.layout().shape(), stream);
    if (out.layout().size() != 0) take_into(out, array, indices, stream);
    return out;
}

void put_at(Array out, std::span<const GatherPart> parts, Array values, CUstream stream) {
    const Array given = as_type(values, out.dtype(), stream);
    if (const Array* const mask = mask_of_all(out, parts)) return assign_selected(out, *mask, given, stream);
    const auto along = along_one_axis(out, parts);
    const Array indices = along && out.layout().ndim() == 1 ? along->indices : flat_indices(out, parts, stream);
    const Array broadcast = broadcast_over(indices.layout().shape(), given);
    if (indices.layout().size() != 0) put_into(out, indices, broadcast, stream);
}

}  // namespace pycuda::gpuarray
