#pragma once

#include <Python.h>

namespace pycuda::python {

/// Adds the base types of ExecutableGraph and its nodes, which are launched and updated often. Nonzero with a Python
/// exception set on failure.
int add_graph_types(PyObject* module);

/// True for a GraphNode, which has the address of the memory that it allocates.
bool is_graph_node(PyObject* object);

}  // namespace pycuda::python
