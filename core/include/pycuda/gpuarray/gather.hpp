#pragma once

#include <cuda.h>

#include <cstdint>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

// Moving elements of any type (structures too) by index and by mask, asynchronously on `stream`. All arrays are C
// contiguous, and places are flat C indices; copy() others first. Indices are integers of any type; negative ones count
// from the end, and what is beyond an end is taken for the last element there is: device code can raise nothing, but
// memory of others is never touched. What is written may share memory with what is read, which is copied first then
// (not for nonzero and compress). Raises std::invalid_argument for layouts, shapes, item sizes and alignments that
// do not fit, ArgumentTypeError for indices that are no integers.

/// out[i] = in[indices[i]]; `out` has as many elements as `indices`.
void take(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, CUstream stream);
/// The same along an axis: out's shape is in's with `axis` replaced by the shape of `indices`.
void take(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
          CUstream stream);
/// The same with places of an axis that differ from row to row: `indices` has out's shape, which is in's but for
/// `axis`.
void take_along(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
                CUstream stream);
/// out[indices[i]] = values[i]. Where an index comes more than once, any of its values stays.
void put(Kernels& kernels, const ArrayRef& out, const ArrayRef& indices, const ArrayRef& values, CUstream stream);
/// out[to[i]] = in[from[i] + offset].
void take_put(Kernels& kernels, const ArrayRef& out, const ArrayRef& to, const ArrayRef& in, const ArrayRef& from,
              std::int64_t offset, CUstream stream);

/// The flat places where `mask` (any numeric type) is not zero, in order: `out` is int64 and has room for all of them
/// (Reduction::count_nonzero). One pass.
void nonzero(Kernels& kernels, const ArrayRef& out, const ArrayRef& mask, CUstream stream);
/// out = in[mask]: the elements where `mask`, of in's size, is not zero, in order.
void compress(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& mask, CUstream stream);
/// Compile, side by side, what counting `mask` takes and then nonzero() (no layout: without `in`), or compress() of
/// `in` by it.
void prepare_selection(Kernels& kernels, const ArrayRef& in, const ArrayRef& mask);
/// out[mask] = values: the k-th place where `mask`, of out's size, is not zero gets values[k]; others stay.
void expand(Kernels& kernels, const ArrayRef& out, const ArrayRef& mask, const ArrayRef& values, CUstream stream);

}  // namespace pycuda::gpuarray
