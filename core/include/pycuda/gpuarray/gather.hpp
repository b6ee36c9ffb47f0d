#pragma once

#include <cuda.h>

#include <cstdint>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

// Moving elements of any type (structures too) by index, asynchronously on `stream`. All arrays are C
// contiguous, and indices are flat C indices; copy() others first. Indices are integers of any type;
// negative ones count from the end, and out-of-range indices are clamped: device code cannot
// raise, but never accesses other memory. Outputs may share memory with inputs, which are then
// copied first. Raises std::invalid_argument for layouts, shapes, item sizes and
// alignments that do not fit, ArgumentTypeError for indices that are not integers.

/// out[i] = in[indices[i]]; `out` has the size of `indices`.
void take(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, CUstream stream);
/// The same along an axis: out's shape is in's with `axis` replaced by the shape of `indices`.
void take(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
          CUstream stream);
/// The same, with indices along an axis that differ from row to row: `indices` has out's shape, which is in's except
/// along `axis`.
void take_along(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
                CUstream stream);
/// `out` = copies of `in`, one behind the other, for large arrays: each thread stores a few elements into all copies.
void copies(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, CUstream stream);
/// The elements of matrices, the last two axes, on a diagonal (0: the main one) and above or below it; zeros elsewhere.
void triangle(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, std::int64_t diagonal, bool upper,
              CUstream stream);
/// out[indices[i]] = values[i]. With duplicate indices, which value wins is unspecified.
void put(Kernels& kernels, const ArrayRef& out, const ArrayRef& indices, const ArrayRef& values, CUstream stream);
/// out[indices[i]] = op(out[indices[i]], values[order[i]]), one after another for equal indices, which are sorted.
/// Computed in the common type of both, and converted to out's after each step, whatever is lost. Indices are from 0
/// and within `out`; they and `order` are int64.
void update(Kernels& kernels, Op op, const ArrayRef& out, const ArrayRef& indices, const ArrayRef& order,
            const ArrayRef& values, CUstream stream);
/// out[to[i]] = in[from[i] + offset].
void take_put(Kernels& kernels, const ArrayRef& out, const ArrayRef& to, const ArrayRef& in, const ArrayRef& from,
              std::int64_t offset, CUstream stream);

}  // namespace pycuda::gpuarray
