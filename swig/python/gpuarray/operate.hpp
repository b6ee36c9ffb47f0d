#pragma once

#include <Python.h>

#include <span>

#include "pycuda/gpuarray/plan.hpp"

/// Elementwise operations of arrays and numbers, whatever their types and layouts: what the core plans, with results of
/// Python's classes.
namespace pycuda::python::gpuarray {

/// op(operands), in a new array like the first operand of the result's shape, or in `out` (null: none). Operands are
/// GPUArrays and numbers of Python and NumPy; a new reference to NotImplemented where one is neither. PythonError,
/// OverflowError for an integer that the operation's type cannot hold among them; what launching raises.
PyObject* operate(pycuda::gpuarray::Op op, pycuda::gpuarray::ResultType type, std::span<PyObject* const> operands,
                  PyObject* out = nullptr, CUstream stream = nullptr,
                  pycuda::gpuarray::Casting casting = pycuda::gpuarray::Casting::Unsafe);

/// array_operate(code, operands, type, out, stream, converts): for functions of Python. `type` is None, a number of
/// ResultType::Rule, or a dtype.
PyObject* array_operate(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// array_write(code, out, operands, stream): out[...] = op(operands), which are broadcast to its shape.
PyObject* array_write(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::python::gpuarray
