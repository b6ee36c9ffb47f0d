#pragma once

#include <Python.h>

namespace pycuda::python {

/// take_hot_calls(dict): the calls that programs make most, in the module with this dict, become C functions.
PyObject* take_hot_calls(PyObject*, PyObject* space);

}  // namespace pycuda::python
