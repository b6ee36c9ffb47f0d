#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>

#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {

// The functions of gather.hpp, scan.hpp, sort.hpp and matmul.hpp for Arrays of any layout: operands with gaps are
// packed first, and operands that share memory with the output are copied first. Asynchronous on `stream` unless a
// result's size must be known. Operands are taken by value: an allocator may close them. Axes from -ndim to ndim - 1,
// else std::out_of_range. Raise as the functions there do.

/// A new array of the shape of `indices`: the elements of `array` at these indices, in C order.
Array take(Array array, Array indices, CUstream stream);
/// The same into `out`, of the same size.
void take_into(Array out, Array array, Array indices, CUstream stream);
/// out[indices[i]] = values[i], with indices in C order.
void put_into(Array out, Array indices, Array values, CUstream stream);
/// out[indices[i]] = op(out[indices[i]], values[i]), in C order of the indices, for flat indices from 0; values
/// broadcast to their shape. Elements without an index keep their bytes.
void update_at(Op op, Array out, Array indices, Array values, CUstream stream);
/// out[to[i]] = array[from[i] + offset].
void take_put_into(Array out, Array to, Array array, Array from, std::int64_t offset, CUstream stream);

/// The number of nonzero elements. Waits for the stream.
std::int64_t count_nonzero(Array array, CUstream stream);
/// The flat indices of the nonzero elements, in C order: one axis, int64. Waits for the stream.
Array flatnonzero(Array array, CUstream stream);
/// The elements at which `mask`, of the shape of `array`, is not zero: one axis. Waits for the stream.
Array selected(Array array, Array mask, CUstream stream);
/// Assign element k of `values`, or its only element, at the k-th index at which `mask` is not zero.
/// `values` has the type of `out`. Waits for the stream, unless `values` has one element.
void assign_selected(Array out, Array mask, Array values, CUstream stream);

/// All elements along one axis, in C order: a view if possible, else a copy.
Array ravel(Array array, CUstream stream);
/// The same, always a copy.
Array flatten(Array array, CUstream stream);

/// Running sums, products or extrema along an axis, in a new array.
Array scanned(Scan op, ScanKind kind, Array array, int axis, CUstream stream);
/// The same into `out`, of the same shape and any type.
void scan_into(Array out, Scan op, ScanKind kind, Array array, int axis, CUstream stream);
/// A copy sorted along an axis: ascending, stable, NaN last. Complex numbers are sorted by real part, then imaginary
/// part.
Array sorted(Array array, int axis, CUstream stream);
/// The indices along the axis of the elements of sorted(): int64.
Array argsort(Array array, int axis, CUstream stream);

/// The product of two matrices, of a matrix and a vector on either side, or of stacks of matrices (matmul.hpp), in the
/// common type.
Array matmul(Array a, Array b, CUstream stream);
/// The same into `out`, which has the product's shape and type.
void matmul_into(Array out, Array a, Array b, CUstream stream);
/// The sums of products along pairs of axes. The result has the other axes of `a`, then those of `b`.
Array tensordot(Array a, Array b, std::span<const std::int64_t> axes_of_a, std::span<const std::int64_t> axes_of_b,
                CUstream stream);

}  // namespace pycuda::gpuarray
