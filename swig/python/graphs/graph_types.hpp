#pragma once

#include <Python.h>

namespace pycuda::python {

/// Adds the base types of ExecutableGraph and its nodes, which are launched and updated often. Nonzero with a Python
/// exception set on failure.
int add_graph_types(PyObject* module);

}  // namespace pycuda::python
