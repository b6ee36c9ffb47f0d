#pragma once

#include "exceptions.hpp"
#include "gpuarray/array.hpp"

namespace pycuda::python::gpuarray {

/// The fast path of op(x[, y]), for kernels that are loaded already: `x` is a dense array of numbers; `y` is null, a
/// dense array of x's shape and order, or a number; `out` is `x`, or null for a new array. Returns a new reference, or
/// null without an exception if the slow path is needed. Raises what launching raises.
PyObject* try_fast_operation(pycuda::gpuarray::Op op, pycuda::gpuarray::ResultType type, Array* x, PyObject* y,
                             Array* out);

/// The same, else the result of `slow()`. Null with a Python exception set on failure.
template <class Slow>
PyObject* fast_operation_else(pycuda::gpuarray::Op op, pycuda::gpuarray::ResultType type, Array* x, PyObject* y,
                              Array* out, const Slow& slow) noexcept {
    try {
        if (PyObject* const result = try_fast_operation(op, type, x, y, out)) return result;
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    return slow();
}

}  // namespace pycuda::python::gpuarray
