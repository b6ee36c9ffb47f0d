#pragma once

#include <cuda.h>

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

// Elements moved, repeated, and taken by index along an axis. Arrays of any layout and type; results are new
// arrays in C order. Asynchronous on `stream` unless stated otherwise. Axes from -ndim to ndim - 1, else
// std::out_of_range.

/// The elements rolled by `shifts` along `axes`, one shift per axis or one for all; elements that leave at the end
/// enter at the start. Without axes: by one shift, in C order. std::invalid_argument for numbers of shifts and axes
/// that do not fit.
Array roll(Array array, std::span<const std::int64_t> shifts, std::optional<std::span<const std::int64_t>> axes,
           CUstream stream);
/// The array tiled, `repetitions` times along each axis; the shorter of both shapes is extended with
/// leading ones. std::invalid_argument for a negative number.
Array tile(Array array, std::span<const std::int64_t> repetitions, CUstream stream);
/// Each element `times` times along an axis. std::invalid_argument for a negative number.
Array repeat(Array array, std::int64_t times, int axis, CUstream stream);
/// The same with one count per index of the axis: integers, one axis. Waits for the stream. std::invalid_argument for
/// a wrong number of counts and negative ones, ArgumentTypeError for other types.
Array repeat(Array array, Array counts, int axis, CUstream stream);

/// The elements at these indices of an axis, which the axes of `indices` replace. Indices as in gather.hpp.
Array take(Array array, Array indices, int axis, CUstream stream);
/// The elements at indices of an axis that differ from row to row. Other axes broadcast. std::invalid_argument for
/// indices of another number of axes.
Array take_along_axis(Array array, Array indices, int axis, CUstream stream);

/// A view with the axes `sources` moved to `destinations`, the others in their order. std::invalid_argument unless both
/// have the same length and no duplicates.
Array moveaxis(Array array, std::span<const std::int64_t> sources, std::span<const std::int64_t> destinations);
/// A view of the k-th diagonals of the matrices in the last two axes; negative ones are below.
Array diagonal(Array array, std::int64_t k);
/// Zeros above the k-th diagonals or, for `upper`, below them. A vector is the matrix of which it is each row.
Array triangle(Array array, std::int64_t k, bool upper, CUstream stream);

/// The arrays, of at most one axis, broadcast to one grid: the k-th along axis k or, for `by_columns`, with
/// the first two axes exchanged.
std::vector<Array> meshgrid(std::span<const Array* const> arrays, bool by_columns, CUstream stream);
/// Fill `out`, of one axis, with evenly spaced numbers from `start` to `stop`, included if `endpoint`.
/// Computed in double precision.
void fill_linspace(Array out, std::complex<double> start, std::complex<double> stop, bool endpoint, CUstream stream);

/// The differences of neighbours along an axis, n times; for bool, whether they differ. std::invalid_argument for a
/// negative number.
Array diff(Array array, std::int64_t n, int axis, CUstream stream);
/// Running sums or products along an axis, preceded by the empty one: the axis is one element longer.
Array scanned_from_start(Scan op, Array array, int axis, CUstream stream);

}  // namespace pycuda::gpuarray
