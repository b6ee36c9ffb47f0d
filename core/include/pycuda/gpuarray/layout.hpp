#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pycuda::gpuarray {

/// NumPy's own limit is 64; PyCUDA's arrays never had more than these.
inline constexpr int max_axes = 32;

/// Shape and strides of an array, and properties derived from them; a value without ownership or type. Strides are
/// in bytes and may be zero or negative; the address for a layout is that of element (0, 0, ...).
class Layout {
public:
    /// 0-d: one element.
    Layout() noexcept {}
    /// With the packed strides of C order, or of Fortran order when `fortran`.
    /// std::invalid_argument for more than max_axes axes, a negative length, or a size in bytes beyond 2^63.
    Layout(std::span<const std::int64_t> shape, std::int64_t itemsize, bool fortran = false);
    /// std::invalid_argument as above, and if the numbers of lengths and of strides differ, or an address overflows.
    Layout(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::int64_t itemsize);

    int ndim() const noexcept { return ndim_; }
    std::span<const std::int64_t> shape() const noexcept { return {shape_, static_cast<std::size_t>(ndim_)}; }
    std::span<const std::int64_t> strides() const noexcept { return {strides_, static_cast<std::size_t>(ndim_)}; }
    std::int64_t itemsize() const noexcept { return itemsize_; }
    std::int64_t size() const noexcept { return size_; }                ///< elements
    std::int64_t nbytes() const noexcept { return size_ * itemsize_; }  ///< of the elements, without gaps
    bool is_c_contiguous() const noexcept { return c_contiguous_; }     ///< axes of length 1 do not matter
    bool is_f_contiguous() const noexcept { return f_contiguous_; }
    /// The elements fill one stretch of memory without gaps or overlaps, in C order of some permutation of the axes,
    /// with no negative stride. True for both orders above and for empty arrays.
    bool is_dense() const noexcept { return dense_; }
    /// First byte, and one past the last byte, of all elements relative to the address. Both 0 when empty.
    std::int64_t lowest() const noexcept { return lowest_; }
    std::int64_t highest() const noexcept { return highest_; }

    bool same_shape(const Layout& other) const noexcept;
    /// Both can be traversed as one axis: dense, with equal shape and order.
    bool same_dense(const Layout& other) const noexcept;
    bool operator==(const Layout& other) const noexcept;  ///< shape, strides and item size

    /// This layout broadcast to `shape`: broadcast axes have stride 0. std::invalid_argument if it does not broadcast
    /// to it.
    Layout broadcast_to(std::span<const std::int64_t> shape) const;
    /// The packed layout for results that follows this one's order of axes (NumPy's order "K"), for items of
    /// `itemsize` bytes.
    Layout packed_like(std::int64_t itemsize) const;

private:
    void update_flags();

    int ndim_ = 0;
    bool c_contiguous_ = true, f_contiguous_ = true, dense_ = true;
    std::int64_t itemsize_ = 1, size_ = 1, lowest_ = 0, highest_ = 1;
    std::int64_t shape_[max_axes];
    std::int64_t strides_[max_axes];
};

/// The packed layout of the result of an elementwise operation on operands of these layouts, all broadcast to one
/// shape: the order of axes of the operands that are not broadcast, if they agree; else C order. A single operand
/// of 0 axes gives 0 axes. std::invalid_argument "operands could not be broadcast together with shapes (2,3) (4,)".
Layout broadcast(std::span<const Layout* const> operands, std::int64_t itemsize);

/// "(2,3)", as NumPy writes shapes in messages.
std::string shape_text(std::span<const std::int64_t> shape);

/// std::invalid_argument for a broadcast layout, in which several elements share memory.
void require_writable(const Layout& layout);

/// The traversal of several layouts of one shape with as few axes as possible: axes of length 1 dropped, axes that all
/// operands step through without a gap joined, axes ordered so that the last one has the smallest strides (the first
/// operand's, the result's, first), and reversed if all strides are negative or zero.
template <int count>
struct CollapsedOperands {
    static constexpr int max_operands = count;
    int ndim = 0;  ///< 0: one element each
    int operands = 0;
    std::int64_t size = 1;
    std::int64_t shape[max_axes];
    std::int64_t strides[max_operands][max_axes];  ///< bytes
    std::int64_t offset[max_operands];             ///< bytes to add to each operand's address

    /// True if operand `k` is one element, broadcast everywhere.
    bool is_single(int k) const noexcept {
        return std::all_of(strides[k], strides[k] + ndim, [](std::int64_t stride) { return stride == 0; });
    }
    /// True if no operand has a step, or an element from its first one, farther than this many bytes.
    bool reaches_at_most(std::int64_t max) const noexcept {
        for (int k = 0; k < operands; ++k) {
            std::int64_t reach = 0;
            for (int axis = 0; axis < ndim; ++axis) {
                const std::int64_t step = std::abs(strides[k][axis]);
                if (step > max) return false;
                reach += step * (shape[axis] - 1);
            }
            if (reach > max) return false;
        }
        return true;
    }
};
/// Of an operation.
using CollapsedLayouts = CollapsedOperands<6>;
/// Of several operations in one kernel.
using FusedLayouts = CollapsedOperands<24>;

/// All `layouts` have the first one's shape, or are null: a scalar, with strides 0 and without
/// influence. std::invalid_argument for more than Collapsed::max_operands. `keep_order`: axes are joined but neither
/// moved nor reversed, so that flat indices stay those of C order.
template <class Collapsed = CollapsedLayouts>
Collapsed collapse(std::span<const Layout* const> layouts, bool keep_order = false);

/// Whether writing through `out` at `out_address` could change elements of `in` before they are read by the same
/// elementwise operation: their memory overlaps and they are not the same view. If so, copy `in` first.
bool overlaps_destructively(const Layout& out, std::uint64_t out_address, const Layout& in,
                            std::uint64_t in_address) noexcept;

}  // namespace pycuda::gpuarray
