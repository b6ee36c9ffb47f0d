#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// The edges of this many bins of equal width, from the least to the greatest element, or between these bounds: one
/// more than there are bins, of `dtype`, or else of the array's type, float64 for integers. A range of width 0 is
/// extended by 0.5 on both sides. Waits for the stream if there are no bounds. std::invalid_argument without bins, and
/// for bounds that descend or are not finite.
Array bin_edges(Array array, std::int64_t bins, std::optional<std::pair<double, double>> bounds,
                std::optional<DType> dtype, CUstream stream);
/// std::invalid_argument unless these are edges of bins: one axis, at least one, none less than the one before it.
/// Waits for the stream.
void require_bin_edges(Array edges, CUstream stream);

/// How many elements are in each bin (int64) or, with `weights` of the array's shape, the sums of theirs, in their
/// type. A bin includes its left edge, the last one also its right edge. For `density`, divided by the bins' widths and
/// by the sum of all. Edges are not checked but for their axis. std::invalid_argument for weights of another shape.
Array histogram(Array array, Array edges, std::optional<Array> weights, bool density, CUstream stream);

}  // namespace pycuda::gpuarray
