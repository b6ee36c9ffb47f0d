#pragma once

#include <Python.h>

#include <span>

#include "pycuda/gpuarray/plan.hpp"

/// Elementwise operations on arrays and numbers of any type and layout: the core plans them, and the results are Python
/// objects.
namespace pycuda::python::gpuarray {

/// op(operands), in a new array like the first operand with the result's shape, or in `out` (null: none). Operands are
/// GPUArrays and numbers of Python and NumPy; if one is neither, a new reference to NotImplemented. PythonError,
/// including OverflowError for an integer that the operation's type cannot hold; what launching raises.
PyObject* operate(pycuda::gpuarray::Op op, pycuda::gpuarray::ResultType type, std::span<PyObject* const> operands,
                  PyObject* out = nullptr, CUstream stream = nullptr,
                  pycuda::gpuarray::Casting casting = pycuda::gpuarray::Casting::Unsafe);

/// What the codes and types of these calls mean. PythonError, std::invalid_argument.
pycuda::gpuarray::Op operation_of_code(PyObject* code);
pycuda::gpuarray::ResultType result_type(PyObject* type);

/// array_operate(code, operands, type, out, stream, converts): for functions in Python. `type` is None, a number of
/// ResultType::Rule, or a dtype.
PyObject* array_operate(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// array_write(code, out, operands, stream): out[...] = op(operands); operands are broadcast to its shape.
PyObject* array_write(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::python::gpuarray
