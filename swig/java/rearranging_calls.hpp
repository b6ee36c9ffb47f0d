// Natives of Java's arrays that move, sort and multiply elements. Arrays are as in array_calls.hpp; `out` 0: a new
// array.
#pragma once

#ifndef SWIG
#include "array_calls.hpp"
#endif

namespace pycuda_java {

/// Along `axis`; `op` is a code of Scan.
ArrayHandle array_scanned(int op, bool exclusive, ArrayHandle in, int axis, std::uint64_t stream);
ArrayHandle array_flattened(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_taken(ArrayHandle out, ArrayHandle in, ArrayHandle indices, std::uint64_t stream);
void array_put(ArrayHandle out, ArrayHandle indices, ArrayHandle values, std::uint64_t stream);
void array_take_put(ArrayHandle out, ArrayHandle to, ArrayHandle in, ArrayHandle from, std::int64_t offset,
                    std::uint64_t stream);
ArrayHandle array_nonzero(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_selected(ArrayHandle array, ArrayHandle mask, std::uint64_t stream);
void array_assign_selected(ArrayHandle out, ArrayHandle mask, ArrayHandle values, std::uint64_t stream);
/// `places`: the indices of the sorted elements.
ArrayHandle array_sorted(ArrayHandle array, int axis, bool places, std::uint64_t stream);
ArrayHandle array_distinct(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_rolled(ArrayHandle array, const std::vector<jlong>& shifts, const std::vector<jlong>& axes,
                         std::uint64_t stream);
/// In C order.
ArrayHandle array_rolled_flat(ArrayHandle array, std::int64_t shift, std::uint64_t stream);
ArrayHandle array_tiled(ArrayHandle array, const std::vector<jlong>& repetitions, std::uint64_t stream);
ArrayHandle array_repeated(ArrayHandle array, std::int64_t times, int axis, std::uint64_t stream);
ArrayHandle array_repeated_each(ArrayHandle array, ArrayHandle counts, int axis, std::uint64_t stream);
/// `along`: at indices that differ from row to row.
ArrayHandle array_taken_at(ArrayHandle array, ArrayHandle indices, int axis, bool along, std::uint64_t stream);
ArrayHandle array_axes_moved(ArrayHandle array, const std::vector<jlong>& sources,
                             const std::vector<jlong>& destinations);
ArrayHandle array_diagonal(ArrayHandle array, std::int64_t k);
ArrayHandle array_triangle(ArrayHandle array, std::int64_t k, bool upper, std::uint64_t stream);
ArrayHandle array_differences(ArrayHandle array, std::int64_t n, int axis, std::uint64_t stream);
/// `op` is a code of Scan.
ArrayHandle array_scanned_from_start(int op, ArrayHandle array, int axis, std::uint64_t stream);
ArrayHandle array_searched(ArrayHandle sorted, ArrayHandle wanted, bool right, std::uint64_t stream);
/// Values, first places, places in the values, and counts.
NewArrays array_unique_elements(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_is_in(ArrayHandle array, ArrayHandle of, bool invert, std::uint64_t stream);
/// `axes` is empty for all; `where` may be 0.
ArrayHandle array_spread(bool is_root, ArrayHandle array, ArrayHandle where, const std::vector<jlong>& axes,
                         bool keep_axes, double correction, std::uint64_t stream);
ArrayHandle array_product(ArrayHandle out, ArrayHandle a, ArrayHandle b, std::uint64_t stream);

/// A function of calls.hpp: what it makes.
NewArrays array_call(const std::string& name, const std::vector<jlong>& arrays, const std::vector<jlong>& numbers,
                     std::uint64_t stream);
/// The bit mask of axes of an array of `ndim`.
std::int64_t axis_mask(const std::vector<jlong>& axes, int ndim);

}  // namespace pycuda_java
