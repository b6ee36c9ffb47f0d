#pragma once

#include "gpuarray/array.hpp"

namespace pycuda::python::gpuarray {

/// op(x[, y]) where its kernel is there and nothing needs looking into: `x` a dense array of numbers, `y` null, a dense
/// array of x's shape and order, or a number. Into `out`, which is `x` or null: a new array. A new reference; null
/// without an exception where it is not plain: then the slow way is taken. What launching raises.
PyObject* try_fast_operation(pycuda::gpuarray::Op op, pycuda::gpuarray::ResultType type, Array* x, PyObject* y,
                             Array* out);

}  // namespace pycuda::python::gpuarray
