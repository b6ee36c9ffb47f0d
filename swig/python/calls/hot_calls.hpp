#pragma once

#include <Python.h>

namespace pycuda::python {

/// replace_hot_calls(dict): replaces the most frequent calls, in the module with this dict, by C functions.
PyObject* replace_hot_calls(PyObject*, PyObject* space);

}  // namespace pycuda::python
