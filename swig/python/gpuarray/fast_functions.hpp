#pragma once

#include <Python.h>

/// Operations on plain arrays that run no Python code. Each returns None if something is not plain: then the slow path
/// is taken.
namespace pycuda::python::gpuarray {

/// operation_table(): (name, arity, python, ufunc, java, sentence) of each operation, from operations.def.
PyObject* operation_table(PyObject* module, PyObject* none);

/// operation_code(name), reduction_code(name): codes for the calls below.
PyObject* operation_code(PyObject* module, PyObject* name);
PyObject* reduction_code(PyObject* module, PyObject* name);

/// fast_function(name, doc, slow, module): a built-in function of this module and name. It runs the operation of that
/// name on one plain array as a positional argument; any other call goes to the function `slow`. For module functions,
/// called once for each.
PyObject* fast_function(PyObject* module, PyObject* args);

/// reduce_all(code, x): the reduction of all elements, in a new 0-d array of x's dtype.
PyObject* reduce_all(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::python::gpuarray
