#pragma once

#include <Python.h>

#include <vector>

#include "launching/call_options.hpp"
#include "pycuda/graphs/executable_graph.hpp"

/// Nodes whose arguments are Python's. All raise what translate_exception knows.
namespace pycuda::python {

/// `args`: a tuple, without ArgumentHandlers (TypeError): each launch would need them anew. `options`: a dict with the
/// keyword arguments of a call.
GraphNode add_kernel_node(Graph& graph, const Function& function, PyObject* args, PyObject* options,
                          const std::vector<GraphNode>& after);
/// Other arguments for a kernel node, a tuple; of the geometry stays what is not given, and all without `options`.
void update_kernel_node(ExecutableGraph& run, ExecutableGraph::KernelNode& node, PyObject* args,
                        const CallOptions* options);
GraphNode add_host_function_node(Graph& graph, PyObject* function, const std::vector<GraphNode>& after);

}  // namespace pycuda::python
