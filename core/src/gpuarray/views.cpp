#include "pycuda/gpuarray/views.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pycuda::gpuarray::views {
namespace {

using Axes = std::vector<std::int64_t>;

/// The strides that give `layout` the shape `shape` without moving elements; empty if there are none. Axes of both
/// shapes are matched in groups of equal size; within a group the old axes must have no gaps.
std::optional<Axes> strides_without_copy(const Layout& layout, const Axes& shape, bool fortran) {
    Axes old_shape, old_strides;
    for (std::size_t axis = 0; axis < layout.shape().size(); ++axis)
        if (layout.shape()[axis] != 1) {
            old_shape.push_back(layout.shape()[axis]);
            old_strides.push_back(layout.strides()[axis]);
        }
    Axes wanted = shape;
    if (fortran) {  // from the other end
        std::reverse(old_shape.begin(), old_shape.end());
        std::reverse(old_strides.begin(), old_strides.end());
        std::reverse(wanted.begin(), wanted.end());
    }
    Axes strides(wanted.size(), layout.itemsize());
    std::size_t from = 0, to = 0;
    while (from < old_shape.size()) {
        std::size_t from_end = from + 1, to_end = to + 1;
        std::int64_t old_count = old_shape[from], new_count = to < wanted.size() ? wanted[to] : 1;
        while (old_count != new_count) {
            if (new_count < old_count)
                new_count *= wanted[to_end++];
            else
                old_count *= old_shape[from_end++];
        }
        for (std::size_t axis = from; axis + 1 < from_end; ++axis)
            if (old_strides[axis] != old_shape[axis + 1] * old_strides[axis + 1]) return std::nullopt;
        std::int64_t stride = old_strides[from_end - 1];
        for (std::size_t axis = to_end; axis-- > to;) {
            strides[axis] = stride;
            stride *= wanted[axis];
        }
        from = from_end;
        to = to_end;
    }
    if (fortran) std::reverse(strides.begin(), strides.end());
    return strides;
}

[[noreturn]] void refuse_shape(const Layout& layout, std::span<const std::int64_t> shape) {
    throw std::invalid_argument("cannot reshape an array of shape " + shape_text(layout.shape()) + " into " +
                                shape_text(shape));
}

/// `shape` with its -1, if any, replaced by the remaining length.
Axes complete_shape(const Layout& layout, std::span<const std::int64_t> shape) {
    Axes complete(shape.begin(), shape.end());
    std::int64_t known = 1;
    std::int64_t* open = nullptr;
    for (std::int64_t& length : complete) {
        if (length == -1 && !open)
            open = &length;
        else if (length < 0)
            throw std::invalid_argument("a shape may have one unknown length (-1) and no other negative one: " +
                                        shape_text(shape));
        else if (__builtin_mul_overflow(known, length, &known))
            throw std::invalid_argument("the shape " + shape_text(shape) + " is too large");
    }
    if (open && known > 0) {
        *open = layout.size() / known;
        known *= *open;
    }
    if (known != layout.size() || (open && known == 0 && *open < 0)) refuse_shape(layout, shape);
    return complete;
}

}  // namespace

int axis_number(std::int64_t axis, int ndim) {
    const std::int64_t number = axis < 0 ? axis + ndim : axis;
    if (number < 0 || number >= ndim)
        throw std::out_of_range("axis " + std::to_string(axis) + " is out of bounds for an array of " +
                                std::to_string(ndim) + (ndim == 1 ? " axis" : " axes"));
    return static_cast<int>(number);
}

std::uint32_t axis_mask(std::span<const std::int64_t> axes, int ndim) {
    std::uint32_t mask = 0;
    for (const std::int64_t axis : axes) {
        const std::uint32_t bit = 1u << axis_number(axis, ndim);
        if (mask & bit) throw std::invalid_argument("axis " + std::to_string(axis) + " is given twice");
        mask |= bit;
    }
    return mask;
}

Indexing::Indexing(const Layout& of, int taken) : of_(of), taken_(taken) {
    if (taken > of.ndim())
        throw std::out_of_range("too many indices: the array has " + std::to_string(of.ndim()) + " axes, given " +
                                std::to_string(taken));
}

void Indexing::add(std::int64_t length, std::int64_t stride) {
    if (ndim_ == max_axes) throw std::invalid_argument("arrays have at most " + std::to_string(max_axes) + " axes");
    shape_[ndim_] = length;
    strides_[ndim_++] = stride;
    is_empty_ |= length == 0;
}

void Indexing::keep(int axes) {
    for (; axes > 0; --axes, ++axis_)
        add(of_.shape()[static_cast<std::size_t>(axis_)], of_.strides()[static_cast<std::size_t>(axis_)]);
}

void Indexing::at(std::int64_t index) {
    const std::int64_t length = of_.shape()[static_cast<std::size_t>(axis_)];
    if (index < -length || index >= length)
        throw std::out_of_range("index " + std::to_string(index) + " is out of bounds for axis " +
                                std::to_string(axis_) + " with size " + std::to_string(length));
    offset_ += of_.strides()[static_cast<std::size_t>(axis_++)] * (index < 0 ? index + length : index);
}

void Indexing::range(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::int64_t step) {
    if (step == 0) throw std::invalid_argument("slice step cannot be zero");
    const std::int64_t length = of_.shape()[static_cast<std::size_t>(axis_)];
    const std::int64_t stride = of_.strides()[static_cast<std::size_t>(axis_++)];
    const bool back = step < 0;
    const std::int64_t min = back ? -1 : 0, max = back ? length - 1 : length;
    const auto bound = [&](std::int64_t index) { return std::clamp(index < 0 ? index + length : index, min, max); };
    const std::int64_t first = start ? bound(*start) : (back ? max : min);
    const std::int64_t end = stop ? bound(*stop) : (back ? min : max);
    const std::int64_t way = back ? first - end : end - first;
    // Neither the sum nor the negation can overflow: a step longer than the axis selects one element.
    const std::int64_t size = step < -length ? length + 1 : back ? -step : step;
    const std::int64_t count = way <= 0 ? 0 : (way - 1) / size + 1;
    if (count > 0) offset_ += first * stride;
    // With fewer than two elements, the step is not used.
    std::int64_t between = stride;
    if (__builtin_mul_overflow(stride, step, &between)) between = stride;
    add(count, between);
}

void Indexing::rest() {
    if (rest_seen_) throw std::invalid_argument("an index can only have a single ellipsis ('...')");
    rest_seen_ = true;
    keep(of_.ndim() - taken_);
}

View Indexing::view() {
    keep(of_.ndim() - axis_);
    const auto count = static_cast<std::size_t>(ndim_);
    return {Layout({shape_, count}, {strides_, count}, of_.itemsize()), is_empty_ ? 0 : offset_};
}

View index(const Layout& layout, std::span<const IndexPart> parts) {
    using Kind = IndexPart::Kind;
    int taken = 0;
    for (const IndexPart& part : parts) taken += part.kind == Kind::At || part.kind == Kind::Range;
    Indexing indexing(layout, taken);
    const auto given = [](bool has, std::int64_t number) { return has ? std::optional(number) : std::nullopt; };
    for (const IndexPart& part : parts) {
        switch (part.kind) {
            case Kind::At:
                indexing.at(part.start);
                break;
            case Kind::Range:
                indexing.range(given(part.has_start, part.start), given(part.has_stop, part.stop), part.step);
                break;
            case Kind::Rest:
                indexing.rest();
                break;
            case Kind::NewAxis:
                indexing.new_axis();
                break;
        }
    }
    return indexing.view();
}

std::optional<Layout> reshape(const Layout& layout, std::span<const std::int64_t> shape, ReadingOrder order) {
    const bool fortran = order == ReadingOrder::Fortran || order == ReadingOrder::MemoryFortran;
    const bool by_memory = order == ReadingOrder::MemoryC || order == ReadingOrder::MemoryFortran;
    const Axes complete = complete_shape(layout, shape);
    const bool is_packed = fortran ? layout.is_f_contiguous() : layout.is_c_contiguous();
    const bool is_memory = by_memory && (layout.is_c_contiguous() || layout.is_f_contiguous());
    if (layout.size() <= 1 || is_packed || is_memory) return Layout(complete, layout.itemsize(), fortran);
    const auto strides = strides_without_copy(layout, complete, fortran);
    if (!strides) return std::nullopt;
    return Layout(complete, *strides, layout.itemsize());
}

Layout transpose(const Layout& layout, std::span<const std::int64_t> axes) {
    const int ndim = layout.ndim();
    if (static_cast<int>(axes.size()) != ndim)
        throw std::invalid_argument("transpose expects one axis number for each of the " + std::to_string(ndim) +
                                    " axes, given " + std::to_string(axes.size()));
    axis_mask(axes, ndim);
    std::int64_t shape[max_axes], strides[max_axes];
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axis_number(axes[i], ndim));
        shape[i] = layout.shape()[axis];
        strides[i] = layout.strides()[axis];
    }
    return Layout({shape, axes.size()}, {strides, axes.size()}, layout.itemsize());
}

Layout transpose(const Layout& layout) {
    std::int64_t axes[max_axes];
    for (int i = 0; i < layout.ndim(); ++i) axes[i] = layout.ndim() - 1 - i;
    return transpose(layout, {axes, layout.shape().size()});
}

Layout matrix_transpose(const Layout& layout) {
    const auto ndim = layout.shape().size();
    std::int64_t axes[max_axes];
    for (std::size_t i = 0; i < ndim; ++i) axes[i] = static_cast<std::int64_t>(i);
    std::swap(axes[ndim - 1], axes[ndim - 2]);
    return transpose(layout, {axes, ndim});
}

Layout squeeze(const Layout& layout, std::uint32_t axes) {
    std::int64_t shape[max_axes], strides[max_axes];
    std::size_t count = 0;
    for (std::size_t axis = 0; axis < layout.shape().size(); ++axis) {
        if (!(axes >> axis & 1)) {
            shape[count] = layout.shape()[axis];
            strides[count++] = layout.strides()[axis];
        } else if (layout.shape()[axis] != 1) {
            throw std::invalid_argument("only axes of length 1 can be dropped, not axis " + std::to_string(axis) +
                                        " of the shape " + shape_text(layout.shape()));
        }
    }
    return Layout({shape, count}, {strides, count}, layout.itemsize());
}

std::uint32_t single_axes(const Layout& layout) {
    std::uint32_t mask = 0;
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (layout.shape()[static_cast<std::size_t>(axis)] == 1) mask |= 1u << axis;
    return mask;
}

Layout view_as(const Layout& layout, std::int64_t itemsize) {
    const std::int64_t old_size = layout.itemsize();
    Axes shape(layout.shape().begin(), layout.shape().end());
    Axes strides(layout.strides().begin(), layout.strides().end());
    if (itemsize != old_size) {
        if (shape.empty() || (strides.back() != old_size && shape.back() != 1 && layout.size() != 0))
            throw std::invalid_argument("a view with elements of another size needs a contiguous last axis");
        std::int64_t& length = shape.back();
        if (itemsize == 0 || length * old_size % itemsize != 0)
            throw std::invalid_argument("the last axis has " + std::to_string(length * old_size) +
                                        " bytes, which is not a multiple of the " + std::to_string(itemsize) +
                                        " of the new type");
        length = length * old_size / itemsize;
        strides.back() = itemsize;
    }
    return Layout(shape, strides, itemsize);
}

View field(const Layout& layout, std::int64_t offset, std::int64_t itemsize) {
    if (offset < 0 || itemsize < 0 || offset > layout.itemsize() - itemsize)
        throw std::invalid_argument("a field of " + std::to_string(itemsize) + " bytes at byte " +
                                    std::to_string(offset) + " reaches beyond elements of " +
                                    std::to_string(layout.itemsize()) + " bytes");
    return {Layout(layout.shape(), layout.strides(), itemsize), layout.size() == 0 ? 0 : offset};
}

}  // namespace pycuda::gpuarray::views
