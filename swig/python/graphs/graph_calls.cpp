#include "graphs/graph_calls.hpp"

#include "buffers.hpp"
#include "device_arrays.hpp"
#include "exceptions.hpp"
#include "host_functions.hpp"
#include "launching/argument_handlers.hpp"
#include "launching/arguments.hpp"
#include "launching/call_options.hpp"
#include "pointers.hpp"

namespace pycuda::python {
namespace {

/// The arguments of a node in the block of its kernel's parameters.
class NodeBlock {
public:
    NodeBlock(const ParameterLayout& layout, PyObject* args) {
        ArgumentPacker packer(block_.data(), layout);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
            PyObject* const argument = PyTuple_GET_ITEM(args, i);
            if (is_argument_handler(argument)) {
                PyErr_Format(
                    PyExc_TypeError,
                    "argument %zd of '%s', counted from 0: given %s: a node of a graph takes device memory; copy with "
                    "nodes of their own, or capture the call with page-locked memory",
                    i, layout.kernel.c_str(), Py_TYPE(argument)->tp_name);
                throw PythonError{};
            }
            append_argument(packer, layout, argument, block_.owners(), nullptr);
        }
        nbytes_ = packer.finish();
    }
    const void* data() const noexcept { return block_.data(); }
    std::size_t nbytes() const noexcept { return nbytes_; }

private:
    ArgumentBlock block_;
    std::size_t nbytes_ = 0;
};

/// Calls use(config, block) with the launch that the arguments and options of a node describe.
template <class Use>
auto with_launch(const Function& function, PyObject* args, PyObject* options, Use use) {
    const CallOptions given = options_of_dict(options);
    OptionalAttributes attributes;
    const LaunchConfig config = read_config(given, attributes);
    return use(config, NodeBlock(function.layout(), args));
}

}  // namespace

GraphNode add_kernel_node(Graph& graph, const Function& function, PyObject* args, PyObject* options,
                          const std::vector<GraphNode>& after) {
    return with_launch(function, args, options, [&](const LaunchConfig& config, const NodeBlock& block) {
        return graph.add_kernel(function, config, block.data(), block.nbytes(), after);
    });
}

void replace_kernel(GraphNode& node, const Function& function, PyObject* args, PyObject* options) {
    with_launch(function, args, options, [&](const LaunchConfig& config, const NodeBlock& block) {
        node.update_kernel(function, config, block.data(), block.nbytes());
    });
}

void update_kernel_node(ExecutableGraph& run, ExecutableGraph::KernelNode& node, PyObject* args,
                        const CallOptions* options) {
    OptionalAttributes attributes;
    LaunchConfig config;
    if (options) config = read_config(*options, attributes, run.config_of(node));
    const LaunchConfig* const geometry = options ? &config : nullptr;
    if (!args) return static_cast<void>(run.update_kernel(node, geometry, nullptr));
    for (bool done = false; !done;) {
        const ParameterLayout& layout = node.layout();
        const NodeBlock block(layout, args);
        const ExecutableGraph::PackedArguments packed{&layout, block.data(), block.nbytes()};
        done = run.update_kernel(node, geometry, &packed);
    }
}

void update_fill_node(ExecutableGraph& run, const GraphNode& node, PyObject* dest, PyObject* value, PyObject* count,
                      PyObject* width) {
    Owners owners;
    ExecutableGraph::FillChanges changes;
    if (dest != Py_None) {
        check_device_array(dest, Access::Write);
        changes.dest = device_pointer(dest, owners);
    }
    const auto read = [](PyObject* given, auto& change) {
        if (given != Py_None && !integer_from_python(given, change.emplace())) throw PythonError{};
    };
    read(value, changes.value);
    read(count, changes.count);
    read(width, changes.width);
    run.update_memset(node, changes);
}

GraphNode add_host_function_node(Graph& graph, PyObject* function, const std::vector<GraphNode>& after) {
    return graph.add_host_function(host_function(function, "host_function"), after);
}

}  // namespace pycuda::python
