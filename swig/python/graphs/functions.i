// Functions for pycuda._graphs: nodes with Python arguments.
%inline %{
namespace pycuda {
GraphNode _add_kernel_node(std::shared_ptr<Graph> graph, const Function& function, PyObject* args, PyObject* options,
                           const std::vector<GraphNode>& after) {
    return python::add_kernel_node(*graph, function, args, options, after);
}
GraphNode _add_host_function_node(std::shared_ptr<Graph> graph, PyObject* function, const std::vector<GraphNode>& after) {
    return python::add_host_function_node(*graph, function, after);
}
void _replace_kernel(GraphNode& node, const Function& function, PyObject* args, PyObject* options) {
    python::replace_kernel(node, function, args, options);
}
void _update_host_function(GraphNode& node, PyObject* function) { node.update_host_function(python::host_function(function, "update")); }
void _update_executable_host_function(ExecutableGraph& run, const GraphNode& node, PyObject* function) {
    run.update_host_function(node, python::host_function(function, "update"));
}
PyObject* _node_attribute(const GraphNode& node, PyObject* attribute) {
    const LaunchAttributeInfo& info = python::launch_attribute_of(attribute);
    return python::launch_fields_to_python(info, node.attribute(info.id));
}
void _set_node_attribute(GraphNode& node, PyObject* attribute, PyObject* value) {
    const python::GivenAttribute given(attribute, value);
    node.set_attribute(given.id(), given.value());
}
// `options`: a dict with geometry.
void _update_kernel_geometry(ExecutableGraph& run, const GraphNode& node, PyObject* options) {
    const python::CallOptions given = python::options_of_dict(options);
    python::update_kernel_node(run, run.kernel_node(node), nullptr, &given);
}
void _update_fill_node(ExecutableGraph& run, const GraphNode& node, PyObject* dest, PyObject* value, PyObject* count, PyObject* width) {
    python::update_fill_node(run, node, dest, value, count, width);
}
// Ends of a copy of one row: contiguous memory.
void _set_linear_dest(Memcpy3D& copy, DevicePtr dest) { copy.set_dst_device(dest, nullptr); }
void _set_linear_src(Memcpy3D& copy, DevicePtr src) { copy.set_src_device(src, nullptr); }
}  // namespace pycuda
%}
