#pragma once

#include <Python.h>

namespace pycuda::python {

/// Adds the base type of ExecutableGraph, whose launch is called often. Nonzero with a Python exception set on failure.
int add_graph_types(PyObject* module);

}  // namespace pycuda::python
