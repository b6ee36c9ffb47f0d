#include "graphs/graph_types.hpp"

#include <structmember.h>

#include <cstddef>

#include "exceptions.hpp"
#include "graphs/graph_calls.hpp"
#include "handle_types.hpp"
#include "host_functions.hpp"
#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "pycuda/graphs/executable_graph.hpp"
#include "slot.hpp"

namespace pycuda::python {
namespace {

PyTypeObject* executable_graph_base;
PyObject *name_stream, *name_args;

/// Names in calls are interned, except for names that a program computes.
bool is_same_name(PyObject* given, PyObject* name) {
    return given == name || PyUnicode_Compare(given, name) == 0;
}

constexpr char launch_doc[] =
    "launch($self, stream=None)\n--\n\n"
    "Queue the whole graph.\n\n"
    "Launches of one executable graph run one after another, also on different streams.\n\n"
    "Parameters\n----------\n"
    "stream : Stream, optional\n    The stream to run on; None is the default stream.\n\n"
    "Raises\n------\n"
    "LogicError\n    The driver refused the launch.\n\n"
    "Notes\n-----\n"
    "Driver call: cuGraphLaunch.";

/// The only argument of launch, which may be passed by name; null: none.
PyObject* stream_argument(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (count + named > 1) {
        PyErr_Format(PyExc_TypeError, "launch() takes one argument, stream, given %zd", count + named);
        throw PythonError{};
    }
    if (named == 1 && !is_same_name(PyTuple_GET_ITEM(names, 0), name_stream)) {
        PyErr_Format(PyExc_TypeError, "launch() got an unexpected keyword argument '%U'", PyTuple_GET_ITEM(names, 0));
        throw PythonError{};
    }
    return count + named == 1 ? args[0] : nullptr;
}

PyObject* launch(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        auto& graph = *static_cast<ExecutableGraph*>(checked_pointer(self));
        const GivenStream stream(stream_argument(args, count, names));
        call_that_may_wait([&] { graph.launch(stream.get()); });
        Py_RETURN_NONE;
    });
}

// ---- nodes

/// One node of an executable graph, which it keeps alive. The kernel is looked up at the first update; concurrent
/// look-ups find the same one.
struct ExecutableNodeObject {
    PyObject_HEAD PyObject* node;
    SharedField<PyObject*> run;  ///< set once, after the node
    SharedField<ExecutableGraph::KernelNode*> kernel;
};

constexpr char update_doc[] =
    "update($self, args=None, **options)\n--\n\n"
    "Give the node other parameters; launches that are under way are not changed.\n\n"
    "Parameters\n----------\n"
    "args : sequence, optional\n    The arguments of a kernel.\n"
    "**options\n"
    "    Of a kernel `block`, `grid` and `shared`; of a fill `dest`, `value`, `count` and `width`; of a copy `dest`, "
    "`src`\n"
    "    and `size`. Others stay as they are in the executable graph. Of a copy also `copy`, a `Memcpy2D` or "
    "`Memcpy3D` of "
    "one row, which sets all. Of a call of the host `host_function`, of a child graph `graph`, which has the same "
    "nodes "
    "and edges.\n\n"
    "Raises\n------\n"
    "LogicError\n    The node is of another kind, or belongs to another graph.\n"
    "TypeError\n    An argument does not fit the kernel.\n\n"
    "Notes\n-----\n"
    "Driver call: cuGraphExecKernelNodeSetParams, cuGraphExecMemsetNodeSetParams, cuGraphExecMemcpyNodeSetParams, "
    "cuGraphExecHostNodeSetParams, cuGraphExecChildGraphNodeSetParams.";

/// Memory whose address is read meanwhile is kept for the node.
struct UpdatedArguments {
    UpdatedArguments() { begin_updated_arguments(); }
    ~UpdatedArguments() { end_node_arguments(); }
    UpdatedArguments(const UpdatedArguments&) = delete;
    UpdatedArguments& operator=(const UpdatedArguments&) = delete;
};

ExecutableNodeObject& node_object(PyObject* self) {
    auto& object = *reinterpret_cast<ExecutableNodeObject*>(self);
    if (object.run) return object;
    PyErr_SetString(PyExc_TypeError, "the node has no executable graph: its __init__ was not called");
    throw PythonError{};
}

ExecutableGraph::KernelNode& kernel_of(ExecutableNodeObject& object, ExecutableGraph& run) {
    if (!object.kernel) {
        const Ref swig_this(PyObject_GetAttrString(object.node, "this"));
        const auto* const node = swig_this ? static_cast<GraphNode*>(address_in(swig_this.get())) : nullptr;
        if (!node) throw PythonError{};
        object.kernel = &run.kernel_node(*node);
    }
    return *object.kernel;
}

/// The value of a call's `args`; null: none. `named_at`: its index among the names, or -1.
PyObject* arguments_of(PyObject* const* args, Py_ssize_t count, PyObject* names, Py_ssize_t& named_at) {
    named_at = -1;
    if (count > 1) {
        PyErr_Format(PyExc_TypeError, "update() takes one argument, args, and keywords, given %zd", count);
        throw PythonError{};
    }
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
        if (is_same_name(PyTuple_GET_ITEM(names, i), name_args)) named_at = i;
    if (count == 1 && named_at >= 0) {
        PyErr_SetString(PyExc_TypeError, "update() got multiple values for argument 'args'");
        throw PythonError{};
    }
    PyObject* const given = count == 1 ? args[0] : named_at >= 0 ? args[named_at] : Py_None;
    return given == Py_None ? nullptr : given;
}

/// The keywords of a call except `args`.
Ref options_but(PyObject* const* values, PyObject* names, Py_ssize_t named_at) {
    Ref options(PyDict_New());
    for (Py_ssize_t i = 0; options && names && i < PyTuple_GET_SIZE(names); ++i)
        if (i != named_at && PyDict_SetItem(options.get(), PyTuple_GET_ITEM(names, i), values[i]) < 0) options.reset();
    if (!options) throw PythonError{};
    return options;
}

PyObject* update(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return guarded([&]() -> PyObject* {
        ExecutableNodeObject& object = node_object(self);
        const UpdatedArguments reading;
        Py_ssize_t named_at;
        PyObject* const given = arguments_of(args, count, names, named_at);
        const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
        const Ref options = named > (named_at >= 0) ? options_but(args + count, names, named_at) : Ref();
        if (!given) {
            const Ref method(PyObject_GetAttrString(self, "_update_other"));
            const Ref none(PyTuple_New(0));
            return method && none ? PyObject_Call(method.get(), none.get(), options.get()) : nullptr;
        }
        auto& run = *static_cast<ExecutableGraph*>(checked_pointer(object.run));
        const Ref arguments = PyTuple_CheckExact(given) ? borrow(given) : Ref(PySequence_Tuple(given));
        if (!arguments) return nullptr;
        const CallOptions read = options ? options_of_dict(options.get()) : CallOptions();
        update_kernel_node(run, kernel_of(object, run), arguments.get(), options ? &read : nullptr);
        Py_RETURN_NONE;
    });
}

/// _bind(run, node)
PyObject* bind(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    auto& object = *reinterpret_cast<ExecutableNodeObject*>(self);
    const ObjectLock lock(self);
    if (count != 2 || object.run || !PyObject_TypeCheck(args[0], executable_graph_base)) {
        PyErr_SetString(PyExc_TypeError, "expected an ExecutableGraph and a GraphNode, once");
        return nullptr;
    }
    object.node = Py_NewRef(args[1]);
    object.run = Py_NewRef(args[0]);
    Py_RETURN_NONE;
}

int traverse_node(PyObject* self, visitproc visit, void* arg) {
    const auto& object = *reinterpret_cast<ExecutableNodeObject*>(self);
    Py_VISIT(static_cast<PyObject*>(object.run));
    Py_VISIT(object.node);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

int clear_node(PyObject* self) {
    auto& object = *reinterpret_cast<ExecutableNodeObject*>(self);
    const Ref run(object.run);
    object.run = nullptr;
    Py_CLEAR(object.node);
    return 0;
}

void dealloc_node(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_node(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef node_members[] = {{"_run", T_OBJECT_EX, offsetof(ExecutableNodeObject, run), READONLY, nullptr},
                              {"_node", T_OBJECT_EX, offsetof(ExecutableNodeObject, node), READONLY, nullptr},
                              {}};
PyMethodDef node_methods[] = {{"update", method(update), METH_FASTCALL | METH_KEYWORDS, update_doc},
                              {"_bind", method(bind), METH_FASTCALL, nullptr},
                              {}};
PyType_Slot node_slots[] = {{Py_tp_dealloc, slot(dealloc_node)}, {Py_tp_traverse, slot(traverse_node)},
                            {Py_tp_clear, slot(clear_node)},     {Py_tp_members, node_members},
                            {Py_tp_methods, node_methods},       {}};
PyType_Spec node_spec{"pycuda._native.ExecutableNodeBase", sizeof(ExecutableNodeObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, node_slots};

PyMethodDef methods[] = {{"launch", method(launch), METH_FASTCALL | METH_KEYWORDS, launch_doc}, {}};
PyType_Slot slots[] = {
    {Py_tp_dealloc, slot(dealloc_handle)}, {Py_tp_getset, this_attribute}, {Py_tp_methods, methods}, {}};
PyType_Spec spec{"pycuda._native.ExecutableGraphBase", sizeof(HandleObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

int add_graph_types(PyObject* module) {
    name_stream = PyUnicode_InternFromString("stream");
    name_args = PyUnicode_InternFromString("args");
    if (!name_stream || !name_args) return -1;
    executable_graph_base = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    const Ref node(PyType_FromSpec(&node_spec));
    if (!executable_graph_base || !node) return -1;
    return PyModule_AddObjectRef(module, "ExecutableNodeBase", node.get()) < 0
               ? -1
               : PyModule_AddObjectRef(module, "ExecutableGraphBase",
                                       reinterpret_cast<PyObject*>(executable_graph_base));
}

}  // namespace pycuda::python
