// Graphs: lists of nodes and of graphs, and names that the mixins of pycuda._graphs wrap.
%typemap(in) const std::vector<pycuda::GraphNode>& (std::vector<pycuda::GraphNode> nodes) {
    const pycuda::python::Ref items(PySequence_Tuple($input));
    if (!items) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Format(PyExc_TypeError, "expected a list of GraphNode, not %s", Py_TYPE($input)->tp_name);
        SWIG_fail;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(items.get()); ++k) {
        void* node = nullptr;
        PyObject* const item = PyTuple_GET_ITEM(items.get(), k);
        if (!SWIG_IsOK(SWIG_ConvertPtr(item, &node, $descriptor(pycuda::GraphNode*), 0)) || !node) {
            PyErr_Format(PyExc_TypeError, "expected a GraphNode to wait for, not %s", Py_TYPE(item)->tp_name);
            SWIG_fail;
        }
        nodes.push_back(*static_cast<pycuda::GraphNode*>(node));
    }
    $1 = &nodes;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const std::vector<pycuda::GraphNode>& "$1 = 1;"
%typemap(out) std::vector<pycuda::GraphNode> {
    $result = PyList_New(0);
    for (const pycuda::GraphNode& node : static_cast<const std::vector<pycuda::GraphNode>&>($1)) {
        const pycuda::python::Ref item(
            SWIG_NewPointerObj(new pycuda::GraphNode(node), $descriptor(pycuda::GraphNode*), SWIG_POINTER_OWN));
        if (!$result || !item || PyList_Append($result, item.get()) < 0) SWIG_fail;
    }
}
%typemap(out) std::vector<std::shared_ptr<pycuda::Graph>> {
    $result = PyList_New(0);
    for (const auto& graph : static_cast<const std::vector<std::shared_ptr<pycuda::Graph>>&>($1)) {
        const pycuda::python::Ref item(SWIG_NewPointerObj(new std::shared_ptr<pycuda::Graph>(graph),
                                                          $descriptor(std::shared_ptr<pycuda::Graph>*), SWIG_POINTER_OWN));
        if (!$result || !item || PyList_Append($result, item.get()) < 0) SWIG_fail;
    }
}

// Defined here, where SWIG's types are known.
%{
#include "handle_types.hpp"
namespace pycuda::python {
bool is_graph_node(PyObject* object) {
    void* node = nullptr;
    return SWIG_IsOK(SWIG_ConvertPtr(object, &node, SWIGTYPE_p_pycuda__GraphNode, 0));
}
}  // namespace pycuda::python
%}

%ignore pycuda::GraphNode::GraphNode;
%rename(_parameter_texts) pycuda::GraphNode::parameter_texts;
%rename(_allocated) pycuda::GraphNode::allocated;
%rename(_bodies) pycuda::GraphNode::bodies;
%rename(_update_memcpy) pycuda::GraphNode::update_memcpy;
%rename(_kind) pycuda::GraphNode::kind;
%rename(_graph) pycuda::GraphNode::graph;
%rename(_nodes) pycuda::Graph::nodes;
%rename(_edge_ends) pycuda::Graph::edge_ends;
%rename(_add_empty) pycuda::Graph::add_empty;
%rename(_add_memset) pycuda::Graph::add_memset;
%rename(_add_memcpy) pycuda::Graph::add_memcpy;
%rename(_add_mem_alloc) pycuda::Graph::add_mem_alloc;
%rename(_add_mem_free) pycuda::Graph::add_mem_free;
%rename(_add_event_record) pycuda::Graph::add_event_record;
%rename(_add_event_wait) pycuda::Graph::add_event_wait;
%rename(_add_child_graph) pycuda::Graph::add_child_graph;
%rename(_add_if) pycuda::Graph::add_if;
%rename(_add_if_else) pycuda::Graph::add_if_else;
%rename(_add_switch) pycuda::Graph::add_switch;
%rename(_add_while) pycuda::Graph::add_while;
%rename(_update_event) pycuda::GraphNode::update_event;
%rename(_update_memset) pycuda::GraphNode::update_memset;
%ignore pycuda::GraphNode::update_host_function;
%rename(_update_memory_operations) pycuda::GraphNode::update_memory_operations;
%rename(_dependencies) pycuda::GraphNode::dependencies;
%rename(_dependents) pycuda::GraphNode::dependents;
%rename(_roots) pycuda::Graph::roots;
%rename(_add_semaphore_signals) pycuda::Graph::add_semaphore_signals;
%rename(_add_semaphore_waits) pycuda::Graph::add_semaphore_waits;
%rename(_update_semaphores) pycuda::GraphNode::update_semaphores;
%rename(_update_semaphores) pycuda::ExecutableGraph::update_semaphores;
%rename(_add_memory_operations) pycuda::Graph::add_memory_operations;
%rename(_update_event) pycuda::ExecutableGraph::update_event;
%ignore pycuda::ExecutableGraph::update_host_function;
%rename(_update_child_graph) pycuda::ExecutableGraph::update_child_graph;
%rename(_update_memory_operations) pycuda::ExecutableGraph::update_memory_operations;
%rename(_set_enabled) pycuda::ExecutableGraph::set_enabled;
%rename(_is_enabled) pycuda::ExecutableGraph::is_enabled;
%ignore pycuda::ExecutableGraph::update_memset;
%rename(_parameter_texts) pycuda::ExecutableGraph::parameter_texts;
%rename(_update_memcpy) pycuda::ExecutableGraph::update_memcpy;
%rename(_begin_node_arguments) pycuda::begin_node_arguments;
%rename(_begin_updated_arguments) pycuda::begin_updated_arguments;
%rename(_begin_replaced_arguments) pycuda::begin_replaced_arguments;
%rename(_end_node_arguments) pycuda::end_node_arguments;
%rename(_read_end_of_copy) pycuda::read_end_of_copy;
%rename(_begin_capture) pycuda::Stream::begin_capture;
%rename(_begin_capture_to) pycuda::Stream::begin_capture_to;
// graph_types.cpp defines it.
%ignore pycuda::ExecutableGraph::launch;
