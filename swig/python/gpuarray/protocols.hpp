#pragma once

#include <Python.h>

/// What NumPy's protocols need to answer calls without Python code.
namespace pycuda::python::gpuarray {

/// remember_operator(ufunc, left, right): ufunc(x, y) is x.left(y), or y.right(x) if only y is an array.
PyObject* remember_operator(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// remember_operation(ufunc, operands, code, type): ufunc(*operands), all arrays, is array_operate(code, operands,
/// type), as it is for all arrays of these dtypes.
PyObject* remember_operation(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// answer_functions(functions): from now on, the functions by which NumPy's are answered, if no argument is a list.
PyObject* answer_functions(PyObject* module, PyObject* functions);

}  // namespace pycuda::python::gpuarray
