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
GraphNode _add_memcpy_htod_node(std::shared_ptr<Graph> graph, DevicePtr dest, PyObject* src, PyObject* size, const std::vector<GraphNode>& after) {
    return python::add_copy_in_node(*graph, dest, src, size, after);
}
GraphNode _add_memcpy_dtoh_node(std::shared_ptr<Graph> graph, PyObject* dest, DevicePtr src, PyObject* size, const std::vector<GraphNode>& after) {
    return python::add_copy_out_node(*graph, dest, src, size, after);
}
// Ends of a copy of one row, for an update: memory in one piece.
void _set_linear_dest(Memcpy3D& copy, DevicePtr dest) { copy.set_dst_device(dest, nullptr); }
void _set_linear_src(Memcpy3D& copy, DevicePtr src) { copy.set_src_device(src, nullptr); }
}  // namespace pycuda
%}
