#pragma once

#include <cuda.h>

#include <optional>
#include <span>
#include <string_view>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// NumPy's einsum: "ij,jk->ik" is the product of two matrices. The arrays are multiplied in their order, pairs of them
/// as stacks of matrices, after axes that no other array has are summed. Computed in `dtype`, or their common type.
/// The result is a view if nothing has to be computed, unless `copies`. Asynchronous on `stream`.
/// std::invalid_argument for subscripts that cannot be read, or do not fit the arrays.
Array einsum(std::string_view subscripts, std::span<const Array> arrays, std::optional<DType> dtype, bool copies,
             CUstream stream);

}  // namespace pycuda::gpuarray
