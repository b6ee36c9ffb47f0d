#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// The edges of this many bins of equal width, from the least to the greatest element, or between these bounds: one
/// more than there are bins, of `dtype`, or else of the array's type, float64 for integers. A range of width 0 is
/// extended by 0.5 on both sides. Waits for the stream if there are no bounds and, for very many bins, if only the
/// edges themselves tell whether they differ. std::invalid_argument without bins, for bounds that descend or are not
/// finite, and if neighbouring edges would be equal or their distance infinite.
Array bin_edges(Array array, std::int64_t bins, std::optional<std::pair<double, double>> bounds,
                std::optional<DType> dtype, CUstream stream);
/// std::invalid_argument unless these are edges of bins: one axis, at least one, none less than the one before it.
/// Waits for the stream.
void require_bin_edges(Array edges, CUstream stream);

/// How many elements are in each bin (int64) or, with `weights` of the array's shape, the sums of theirs, in their
/// type. A bin includes its left edge, the last one also its right edge. For `density`, divided by the bins' widths and
/// by the sum of all. Edges are not checked but for their axis. std::invalid_argument for weights of another shape.
Array histogram(Array array, Array edges, std::optional<Array> weights, bool density, CUstream stream);

/// How often each integer from 0 to the greatest one occurs (int64) or, with `weights` of the array's shape, the sums
/// of theirs (float64); at least `min_bins` of them. Waits for the stream. std::invalid_argument for negative
/// integers and weights of another shape, ArgumentTypeError for elements other than integers and bool, and for complex
/// weights.
Array bincount(Array array, std::optional<Array> weights, std::int64_t min_bins, CUstream stream);

}  // namespace pycuda::gpuarray
