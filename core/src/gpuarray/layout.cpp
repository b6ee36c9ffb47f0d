#include "pycuda/gpuarray/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace pycuda::gpuarray {
namespace {

[[noreturn]] void raise_too_large() {
    throw std::invalid_argument("array is too big: its size in bytes must be less than 2**63");
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result;
    if (__builtin_mul_overflow(a, b, &result)) raise_too_large();
    return result;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t result;
    if (__builtin_add_overflow(a, b, &result)) raise_too_large();
    return result;
}

int checked_ndim(std::size_t axes) {
    if (axes > max_axes)
        throw std::invalid_argument("arrays have at most " + std::to_string(max_axes) + " axes, not " +
                                    std::to_string(axes));
    return static_cast<int>(axes);
}

/// Computes packed strides for the axes of `order`, which is from the slowest to the fastest.
void pack(std::int64_t* strides, const std::int64_t* shape, const int* order, int ndim, std::int64_t itemsize) {
    std::int64_t step = itemsize;
    for (int k = ndim - 1; k >= 0; --k) {
        strides[order[k]] = step;
        step = product(step, std::max<std::int64_t>(shape[order[k]], 1));
    }
}

/// Sorts the axes of `order` by descending stride: the first operand decides, then the next. Axes that no operand
/// distinguishes, such as those with stride 0, keep their positions and do not separate others.
template <class Stride>
void sort_axes(int* order, int ndim, int operands, Stride stride) {
    // Negative: `a` is the faster axis.
    const auto compare = [&](int a, int b) {
        for (int k = 0; k < operands; ++k) {
            const std::int64_t x = std::abs(stride(k, a)), y = std::abs(stride(k, b));
            if (x != 0 && y != 0 && x != y) return x < y ? -1 : 1;
        }
        return 0;
    };
    // Insertion sort: with indistinguishable axes the order is not the strict one that std::sort requires.
    for (int i = 1; i < ndim; ++i) {
        const int axis = order[i];
        int position = i;
        for (int j = i - 1; j >= 0; --j) {
            const int which = compare(order[j], axis);
            if (which > 0) break;
            if (which < 0) position = j;
        }
        std::copy_backward(order + position, order + i, order + i + 1);
        order[position] = axis;
    }
}

}  // namespace

Layout::Layout(std::span<const std::int64_t> shape, std::int64_t itemsize, bool fortran)
    : ndim_(checked_ndim(shape.size())), itemsize_(itemsize) {
    int order[max_axes];
    for (int k = 0; k < ndim_; ++k) {
        shape_[k] = shape[static_cast<std::size_t>(k)];
        if (shape_[k] < 0)
            throw std::invalid_argument("negative dimensions are not allowed, given shape " + shape_text(shape));
        order[k] = fortran ? ndim_ - 1 - k : k;
    }
    pack(strides_, shape_, order, ndim_, itemsize);
    update_flags();
}

Layout::Layout(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::int64_t itemsize)
    : ndim_(checked_ndim(shape.size())), itemsize_(itemsize) {
    if (strides.size() != shape.size())
        throw std::invalid_argument("shape has " + std::to_string(shape.size()) + " axes, strides have " +
                                    std::to_string(strides.size()));
    for (int k = 0; k < ndim_; ++k) {
        shape_[k] = shape[static_cast<std::size_t>(k)];
        strides_[k] = strides[static_cast<std::size_t>(k)];
        if (shape_[k] < 0)
            throw std::invalid_argument("negative dimensions are not allowed, given shape " + shape_text(shape));
    }
    update_flags();
}

void Layout::update_flags() {
    size_ = 1;
    for (int k = 0; k < ndim_; ++k)
        if (shape_[k] == 0) size_ = 0;
    for (int k = 0; k < ndim_ && size_; ++k) size_ = product(size_, shape_[k]);
    static_cast<void>(product(size_, itemsize_));
    lowest_ = highest_ = 0;
    c_contiguous_ = f_contiguous_ = dense_ = true;
    if (size_ == 0) return;
    std::int64_t step = itemsize_;
    for (int k = ndim_ - 1; k >= 0; --k) {
        if (shape_[k] == 1) continue;
        c_contiguous_ &= strides_[k] == step;
        step *= shape_[k];
    }
    step = itemsize_;
    for (int k = 0; k < ndim_; ++k) {
        if (shape_[k] == 1) continue;
        f_contiguous_ &= strides_[k] == step;
        step *= shape_[k];
    }
    for (int k = 0; k < ndim_; ++k) {
        const std::int64_t reach = product(strides_[k], shape_[k] - 1);
        (reach < 0 ? lowest_ : highest_) = sum(reach < 0 ? lowest_ : highest_, reach);
    }
    highest_ = sum(highest_, itemsize_);
    dense_ = c_contiguous_ || f_contiguous_;
    if (dense_) return;
    int order[max_axes];
    for (int k = 0; k < ndim_; ++k) order[k] = k;
    sort_axes(order, ndim_, 1, [&](int, int axis) { return strides_[axis]; });
    step = itemsize_;
    dense_ = true;
    for (int k = ndim_ - 1; k >= 0; --k) {
        if (shape_[order[k]] == 1) continue;
        dense_ &= strides_[order[k]] == step;
        step *= shape_[order[k]];
    }
}

bool Layout::same_dense(const Layout& other) const noexcept {
    if (this == &other) return is_dense();
    return same_shape(other) && ((c_contiguous_ && other.c_contiguous_) || (f_contiguous_ && other.f_contiguous_));
}

bool Layout::same_shape(const Layout& other) const noexcept {
    if (ndim_ != other.ndim_) return false;
    for (int axis = 0; axis < ndim_; ++axis)  // few elements, for which memcmp would take longer
        if (shape_[axis] != other.shape_[axis]) return false;
    return true;
}

bool Layout::operator==(const Layout& other) const noexcept {
    return itemsize_ == other.itemsize_ && same_shape(other) && std::equal(strides_, strides_ + ndim_, other.strides_);
}

Layout Layout::broadcast_to(std::span<const std::int64_t> target) const {
    const int ndim = checked_ndim(target.size());
    std::int64_t strides[max_axes] = {};
    bool fits = ndim >= ndim_;
    for (int k = 0; k < ndim_ && fits; ++k) {
        const int at = ndim - ndim_ + k;
        if (shape_[k] == target[static_cast<std::size_t>(at)])
            strides[at] = strides_[k];
        else
            fits = shape_[k] == 1;
    }
    if (!fits)
        throw std::invalid_argument("could not broadcast an array of shape " + shape_text(shape()) + " into shape " +
                                    shape_text(target));
    return Layout(target, std::span<const std::int64_t>(strides, target.size()), itemsize_);
}

Layout Layout::packed_like(std::int64_t itemsize) const {
    const Layout* self = this;
    return broadcast({&self, 1}, itemsize);
}

Layout broadcast(std::span<const Layout* const> operands, std::int64_t itemsize) {
    int ndim = 0;
    for (const Layout* operand : operands) ndim = std::max(ndim, operand->ndim());
    std::int64_t shape[max_axes];
    std::fill(shape, shape + ndim, 1);
    bool fits = true;
    for (const Layout* operand : operands)
        for (int k = 0; k < operand->ndim(); ++k) {
            std::int64_t& length = shape[ndim - operand->ndim() + k];
            const std::int64_t mine = operand->shape()[static_cast<std::size_t>(k)];
            if (length == 1)
                length = mine;
            else
                fits &= mine == 1 || mine == length;
        }
    if (!fits) {
        std::string text = "operands could not be broadcast together with shapes";
        for (const Layout* operand : operands) text += " " + shape_text(operand->shape());
        throw std::invalid_argument(text);
    }
    int order[max_axes];
    for (int k = 0; k < ndim; ++k) order[k] = k;
    sort_axes(order, ndim, static_cast<int>(operands.size()), [&](int operand, int axis) -> std::int64_t {
        const Layout& layout = *operands[static_cast<std::size_t>(operand)];
        const int at = axis - (ndim - layout.ndim());
        if (at < 0 || layout.shape()[static_cast<std::size_t>(at)] == 1) return 0;
        return layout.strides()[static_cast<std::size_t>(at)];
    });
    const auto axes = static_cast<std::size_t>(ndim);
    std::int64_t strides[max_axes];
    pack(strides, shape, order, ndim, itemsize);
    return Layout(std::span<const std::int64_t>(shape, axes), std::span<const std::int64_t>(strides, axes), itemsize);
}

std::string shape_text(std::span<const std::int64_t> shape) {
    std::string text = "(";
    for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? "," : "") + std::to_string(shape[k]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

void require_writable(const Layout& layout) {
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (layout.strides()[axis] == 0 && layout.shape()[axis] > 1) [[unlikely]]
            throw std::invalid_argument("cannot write into a broadcast array: its elements share memory");
}

template <class Collapsed>
Collapsed collapse(std::span<const Layout* const> layouts, bool keep_order) {
    Collapsed walk;
    walk.operands = static_cast<int>(layouts.size());
    if (layouts.size() > Collapsed::max_operands) throw std::invalid_argument("too many operands");
    std::fill(walk.offset, walk.offset + Collapsed::max_operands, 0);
    const Layout& first = *layouts[0];
    walk.size = first.size();
    if (walk.size == 0) return walk;
    const auto stride = [&](int k, int axis) -> std::int64_t {
        const Layout* layout = layouts[static_cast<std::size_t>(k)];
        return layout ? layout->strides()[static_cast<std::size_t>(axis)] : 0;
    };
    int order[max_axes], axes = 0;
    for (int k = 0; k < first.ndim(); ++k)
        if (first.shape()[static_cast<std::size_t>(k)] != 1) order[axes++] = k;
    if (!keep_order) sort_axes(order, axes, walk.operands, stride);
    for (int k = 0; k < axes; ++k) {
        const std::int64_t length = first.shape()[static_cast<std::size_t>(order[k])];
        bool falls = false, rises = false, joins = walk.ndim > 0;
        for (int operand = 0; operand < walk.operands; ++operand) {
            falls |= stride(operand, order[k]) < 0;
            rises |= stride(operand, order[k]) > 0;
        }
        const std::int64_t sign = falls && !rises && !keep_order ? -1 : 1;
        for (int operand = 0; operand < walk.operands; ++operand) {
            const std::int64_t step = stride(operand, order[k]);
            if (sign < 0) walk.offset[operand] += step * (length - 1);
            joins = joins && walk.strides[operand][walk.ndim - 1] == sign * step * length;
            walk.strides[operand][walk.ndim] = sign * step;
        }
        walk.shape[walk.ndim] = length;
        if (!joins) {
            ++walk.ndim;
            continue;
        }
        walk.shape[walk.ndim - 1] *= length;
        for (int operand = 0; operand < walk.operands; ++operand)
            walk.strides[operand][walk.ndim - 1] = walk.strides[operand][walk.ndim];
    }
    return walk;
}

template CollapsedLayouts collapse(std::span<const Layout* const>, bool);
template FusedLayouts collapse(std::span<const Layout* const>, bool);

bool overlaps_destructively(const Layout& out, std::uint64_t out_address, const Layout& in,
                            std::uint64_t in_address) noexcept {
    if (&out == &in && out_address == in_address) return false;
    if (out.size() == 0 || in.size() == 0) return false;
    const auto at = [](std::uint64_t address, std::int64_t offset) {
        return address + static_cast<std::uint64_t>(offset);
    };
    if (at(out_address, out.highest()) <= at(in_address, in.lowest()) ||
        at(in_address, in.highest()) <= at(out_address, out.lowest()))
        return false;
    if (out_address != in_address || out.itemsize() != in.itemsize() || !out.same_shape(in)) return true;
    for (std::size_t k = 0; k < out.shape().size(); ++k)
        if (out.shape()[k] != 1 && out.strides()[k] != in.strides()[k]) return true;
    return false;
}

}  // namespace pycuda::gpuarray
