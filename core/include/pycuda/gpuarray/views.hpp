#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pycuda/gpuarray/layout.hpp"

/// The algebra of views: from a layout and a request, another layout over the same memory. Independent of
/// arrays, memory and languages: every array type uses it.
namespace pycuda::gpuarray {

/// One part of a basic index: an index, a range, everything that is left ("..."), or a new axis of length 1.
struct IndexPart {
    enum class Kind : std::int64_t { At, Range, Rest, NewAxis } kind = Kind::Range;
    bool has_start = false, has_stop = false;
    std::int64_t start = 0;  ///< of a range, or the index; negative numbers count from the end
    std::int64_t stop = 0;
    std::int64_t step = 1;
};

namespace views {

struct View {
    Layout layout;
    std::int64_t offset = 0;  ///< in bytes, from the viewed address; 0 if nothing is selected
};

/// `axis` counted from 0; -1 is the last of `ndim`. std::out_of_range if there is no such axis.
int axis_number(std::int64_t axis, int ndim);
/// The bit mask of several axes. std::out_of_range as above, std::invalid_argument for a duplicate axis.
std::uint32_t axis_mask(std::span<const std::int64_t> axes, int ndim);

/// A basic index, built part by part.
class Indexing {
public:
    /// An index of `of`, which must outlive this, with `taken` indices and ranges. std::out_of_range if there are fewer
    /// axes.
    Indexing(const Layout& of, int taken);
    /// std::out_of_range if the index is outside the axis.
    void at(std::int64_t index);
    /// Python's range, clamped to the axis. Without `start` or `stop`: from or to the end. std::invalid_argument for
    /// step 0.
    void range(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::int64_t step);
    /// All axes that no other part takes. std::invalid_argument the second time.
    void rest();
    void new_axis() { add(1, 0); }
    /// The view, once all parts are added; further axes stay.
    View view();

private:
    void add(std::int64_t length, std::int64_t stride);
    void keep(int axes);

    const Layout& of_;
    const int taken_;
    int axis_ = 0, ndim_ = 0;
    bool rest_seen_ = false, is_empty_ = false;
    std::int64_t offset_ = 0;
    std::int64_t shape_[max_axes], strides_[max_axes];
};

/// The same for a complete index.
View index(const Layout& layout, std::span<const IndexPart> parts);

/// How reshape() reads the elements.
enum class ReadingOrder {
    C,        ///< the last index runs fastest
    Fortran,  ///< the first index runs fastest
    /// PyCUDA's: the elements in the order of memory if the array has no gaps; else as C or Fortran.
    MemoryC,
    MemoryFortran,
};
/// The same elements with another shape, of which one length may be -1 and is computed. Empty if elements would have
/// to be copied. std::invalid_argument for a shape of another size.
std::optional<Layout> reshape(const Layout& layout, std::span<const std::int64_t> shape,
                              ReadingOrder order = ReadingOrder::C);

/// `axes[i]` becomes axis i; each exactly once, else std::invalid_argument, or std::out_of_range.
Layout transpose(const Layout& layout, std::span<const std::int64_t> axes);
/// The last two axes, of at least two, exchanged.
Layout matrix_transpose(const Layout& layout);
/// The axes reversed.
Layout transpose(const Layout& layout);

/// Without the axes in this bit mask, which must have length 1: std::invalid_argument.
Layout squeeze(const Layout& layout, std::uint32_t axes);
/// The bit mask of all axes of length 1.
std::uint32_t single_axes(const Layout& layout);

/// The same bytes as elements of `itemsize` bytes. Another size changes the length of the last axis.
/// std::invalid_argument if that is not contiguous, or its bytes do not divide.
Layout view_as(const Layout& layout, std::int64_t itemsize);
/// The part of `itemsize` bytes, `offset` bytes from the start, of each element. std::invalid_argument if it
/// exceeds the element.
View field(const Layout& layout, std::int64_t offset, std::int64_t itemsize);

}  // namespace views
}  // namespace pycuda::gpuarray
