#pragma once

#include <cuda.h>

#include <vector>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

// Moving elements of any type (structures too) by mask, asynchronously on `stream`. All arrays are C contiguous; copy()
// others first. Raises std::invalid_argument for layouts, shapes, item sizes and alignments that do not fit,
// ArgumentTypeError for masks of structures.

/// The flat indices at which `mask` (any numeric type) is not zero, in order: `out` is int64 and large enough
/// (Reduction::count_nonzero). One pass.
void nonzero(Kernels& kernels, const ArrayRef& out, const ArrayRef& mask, CUstream stream);
/// out = in[mask]: the elements at which `mask`, of in's size, is not zero, in order.
void compress(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& mask, CUstream stream);
/// out[mask] = values: the k-th element at which `mask`, of out's size, is not zero becomes values[k]; others stay.
void expand(Kernels& kernels, const ArrayRef& out, const ArrayRef& mask, const ArrayRef& values, CUstream stream);

/// The kernels that count `mask`, and those of nonzero() (without a layout of `in`) or of compress().
std::vector<Kernels::Wanted> wanted_selection(const ArrayRef& in, const ArrayRef& mask);
/// Compile them in parallel.
void prepare_selection(Kernels& kernels, const ArrayRef& in, const ArrayRef& mask);

}  // namespace pycuda::gpuarray
