#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "pycuda/error.hpp"
#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {
namespace {

using Axes = std::vector<std::int64_t>;

/// What indexing makes: axis by axis, with the distance of its first element.
struct NewAxes {
    Axes shape, strides;
    std::int64_t offset = 0;

    void add(std::int64_t length, std::int64_t stride) {
        shape.push_back(length);
        strides.push_back(stride);
    }
};

std::int64_t inside(std::int64_t index, std::int64_t length, int axis) {
    const std::int64_t from_start = index < 0 ? index + length : index;
    if (from_start < 0 || from_start >= length)
        throw std::out_of_range("index " + std::to_string(index) + " is outside axis " + std::to_string(axis) +
                                ", which has " + std::to_string(length) + (length == 1 ? " element" : " elements"));
    return from_start;
}

/// A range of Python's: start, stop and step of one axis, cut to its length.
void add_range(NewAxes& axes, const IndexPart& part, std::int64_t length, std::int64_t stride) {
    if (part.step == 0) throw std::invalid_argument("slice step cannot be zero");
    const bool back = part.step < 0;
    const std::int64_t least = back ? -1 : 0, most = back ? length - 1 : length;
    const auto bound = [&](std::int64_t index) { return std::clamp(index < 0 ? index + length : index, least, most); };
    const std::int64_t start = part.has_start ? bound(part.start) : (back ? most : least);
    const std::int64_t stop = part.has_stop ? bound(part.stop) : (back ? least : most);
    const std::int64_t way = back ? start - stop : stop - start;
    // Neither sum nor negation overflows: a step beyond the axis takes one element.
    const std::int64_t size = part.step < -length ? length + 1 : back ? -part.step : part.step;
    const std::int64_t count = way <= 0 ? 0 : (way - 1) / size + 1;
    if (count > 0) axes.offset += start * stride;
    axes.add(count, count > 1 ? stride * part.step : stride);
}

int axes_taken(std::span<const IndexPart> parts) {
    int taken = 0;
    for (const IndexPart& part : parts)
        taken += part.kind == IndexPart::Kind::At || part.kind == IndexPart::Kind::Range;
    return taken;
}

/// The strides that give `layout` the shape `shape` without moving an element. Empty when there are none.
/// Axes of both shapes are matched in groups of equal size; within a group the old axes must have no gaps.
std::vector<std::int64_t> strides_without_copy(const Layout& layout, const Axes& shape, bool fortran) {
    Axes old_shape, old_strides;
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (layout.shape()[axis] != 1) {
            old_shape.push_back(layout.shape()[axis]);
            old_strides.push_back(layout.strides()[axis]);
        }
    Axes wanted = shape;
    if (fortran) {  // the same from the other end
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
            if (old_strides[axis] != old_shape[axis + 1] * old_strides[axis + 1]) return {};
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

/// `shape` with its -1, if it has one, replaced by what is left.
Axes complete_shape(std::span<const std::int64_t> shape, const Layout& layout) {
    Axes complete(shape.begin(), shape.end());
    std::int64_t known = 1;
    std::ptrdiff_t open = -1;
    for (std::size_t axis = 0; axis < complete.size(); ++axis) {
        if (complete[axis] == -1 && open < 0) {
            open = static_cast<std::ptrdiff_t>(axis);
        } else if (complete[axis] < 0) {
            throw std::invalid_argument("a shape may have one unknown length (-1) and no other negative one: " +
                                        shape_text(shape));
        } else if (__builtin_mul_overflow(known, complete[axis], &known)) {
            throw std::invalid_argument("the shape " + shape_text(shape) + " is too large");
        }
    }
    if (open >= 0 && known > 0) {
        complete[static_cast<std::size_t>(open)] = layout.size() / known;
        known *= layout.size() / known;
    }
    if (known != layout.size() || (open >= 0 && known == 0 && layout.size() != 0))
        throw std::invalid_argument("cannot reshape an array of shape " + shape_text(layout.shape()) + " into " +
                                    shape_text(shape));
    return complete;
}

}  // namespace

Array Array::indexed(std::span<const IndexPart> parts) const {
    const int taken = axes_taken(parts);
    if (taken > layout_->ndim())
        throw std::out_of_range("too many indices: the array has " + std::to_string(layout_->ndim()) + " axes, given " +
                                std::to_string(taken));
    NewAxes axes;
    int axis = 0;
    bool rest_seen = false;
    const auto take_rest = [&](int until) {
        for (; axis < until; ++axis) axes.add(layout_->shape()[axis], layout_->strides()[axis]);
    };
    for (const IndexPart& part : parts) {
        const std::int64_t length = axis < layout_->ndim() ? layout_->shape()[axis] : 0;
        const std::int64_t stride = axis < layout_->ndim() ? layout_->strides()[axis] : 0;
        switch (part.kind) {
            case IndexPart::Kind::At:
                axes.offset += inside(part.start, length, axis) * stride;
                ++axis;
                break;
            case IndexPart::Kind::Range:
                add_range(axes, part, length, stride);
                ++axis;
                break;
            case IndexPart::Kind::Rest: {
                if (rest_seen) throw std::invalid_argument("an index may have one REST only");
                rest_seen = true;
                take_rest(axis + layout_->ndim() - taken);
                break;
            }
            case IndexPart::Kind::NewAxis:
                axes.add(1, 0);
                break;
        }
    }
    take_rest(layout_->ndim());
    return view(axes.offset, dtype_, Layout(axes.shape, axes.strides, layout_->itemsize()));
}

Array Array::reshaped(std::span<const std::int64_t> shape, bool fortran) const {
    const Axes complete = complete_shape(shape, *layout_);
    if (layout_->size() <= 1 || (fortran ? layout_->is_f_contiguous() : layout_->is_c_contiguous()))
        return view(0, dtype_, Layout(complete, layout_->itemsize(), fortran));
    const Axes strides = strides_without_copy(*layout_, complete, fortran);
    if (strides.size() != complete.size() || complete.empty())
        throw LogicError("reshape", 0,
                         "an array of shape " + shape_text(layout_->shape()) +
                             ", which is not contiguous, cannot be viewed with shape " + shape_text(complete) +
                             "; copy it first");
    return view(0, dtype_, Layout(complete, strides, layout_->itemsize()));
}

Array Array::transposed(std::span<const std::int64_t> axes) const {
    const int ndim = layout_->ndim();
    if (!axes.empty() && static_cast<int>(axes.size()) != ndim)
        throw std::invalid_argument("transpose expects one number for each of the " + std::to_string(ndim) + " axes");
    Axes shape, strides;
    std::vector<bool> seen(static_cast<std::size_t>(ndim));
    for (int i = 0; i < ndim; ++i) {
        const auto axis = static_cast<std::size_t>(axes.empty() ? ndim - 1 - i : inside(axes[i], ndim, i));
        if (seen[axis]) throw std::invalid_argument("repeated axis in transpose");
        seen[axis] = true;
        shape.push_back(layout_->shape()[axis]);
        strides.push_back(layout_->strides()[axis]);
    }
    return view(0, dtype_, Layout(shape, strides, layout_->itemsize()));
}

Array Array::squeezed() const {
    NewAxes axes;
    for (int axis = 0; axis < layout_->ndim(); ++axis)
        if (layout_->shape()[axis] != 1) axes.add(layout_->shape()[axis], layout_->strides()[axis]);
    return view(0, dtype_, Layout(axes.shape, axes.strides, layout_->itemsize()));
}

Array Array::viewed_as(DType dtype, std::int64_t itemsize) const {
    const std::int64_t old_size = layout_->itemsize();
    Axes shape(layout_->shape().begin(), layout_->shape().end());
    Axes strides(layout_->strides().begin(), layout_->strides().end());
    if (itemsize != old_size) {
        if (shape.empty() || (strides.back() != old_size && shape.back() > 1))
            throw std::invalid_argument("to view elements of another size, the last axis must be contiguous");
        if (shape.back() * old_size % itemsize != 0)
            throw std::invalid_argument("the last axis has " + std::to_string(shape.back() * old_size) +
                                        " bytes, which is not a multiple of the " + std::to_string(itemsize) +
                                        " of the new type");
        shape.back() = shape.back() * old_size / itemsize;
        strides.back() = itemsize;
    }
    return view(0, dtype, Layout(shape, strides, itemsize));
}

}  // namespace pycuda::gpuarray
