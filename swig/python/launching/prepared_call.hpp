#pragma once

#include <Python.h>

/// Prepared kernel calls, whose argument types are examined only once.
namespace pycuda::python {

struct FunctionObject;

PyObject* prepare(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames);
PyObject* prepared_call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames);
PyObject* prepared_async_call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames);

}  // namespace pycuda::python
