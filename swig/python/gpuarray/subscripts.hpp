#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// array_index(array, index): the view at a basic index, for the class of methods.
PyObject* array_index(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::python::gpuarray
