#pragma once

#include <Python.h>

#include <vector>

#include "launching/call_options.hpp"
#include "pycuda/graphs/executable_graph.hpp"

/// Nodes with Python arguments. All functions throw exceptions that translate_exception handles.
namespace pycuda::python {

/// `args`: a tuple, without ArgumentHandlers (TypeError), which would have to run at each launch. `options`: a dict
/// with the keyword arguments of a call.
GraphNode add_kernel_node(Graph& graph, const Function& function, PyObject* args, PyObject* options,
                          const std::vector<GraphNode>& after);
/// Sets other arguments, a tuple, for a kernel node; null: they stay, like the parts of the geometry that `options`
/// does not have.
void update_kernel_node(ExecutableGraph& run, ExecutableGraph::KernelNode& node, PyObject* args,
                        const CallOptions* options);
/// Makes a kernel node of a graph another launch.
void replace_kernel(GraphNode& node, const Function& function, PyObject* args, PyObject* options);
/// Changes a fill; what is None stays.
void update_fill_node(ExecutableGraph& run, const GraphNode& node, PyObject* dest, PyObject* value, PyObject* count,
                      PyObject* width);
GraphNode add_host_function_node(Graph& graph, PyObject* function, const std::vector<GraphNode>& after);

}  // namespace pycuda::python
