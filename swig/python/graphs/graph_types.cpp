#include "graphs/graph_types.hpp"

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "host_functions.hpp"
#include "pycuda/graphs/executable_graph.hpp"
#include "slot.hpp"

namespace pycuda::python {
namespace {

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

/// The one argument of launch, which may be given by name; null: none.
PyObject* stream_argument(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (count + named > 1) {
        PyErr_Format(PyExc_TypeError, "launch() takes one argument, stream, given %zd", count + named);
        throw PythonError{};
    }
    if (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "stream") != 0) {
        PyErr_Format(PyExc_TypeError, "launch() got an unexpected keyword argument '%U'", PyTuple_GET_ITEM(names, 0));
        throw PythonError{};
    }
    return count + named == 1 ? args[0] : nullptr;
}

PyObject* launch(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    try {
        auto& graph = *static_cast<ExecutableGraph*>(checked_pointer(self));
        const GivenStream stream(stream_argument(args, count, names));
        call_that_may_wait([&] { graph.launch(stream.get()); });
        Py_RETURN_NONE;
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyMethodDef methods[] = {{"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)),
                          METH_FASTCALL | METH_KEYWORDS, launch_doc},
                         {}};
PyType_Slot slots[] = {
    {Py_tp_dealloc, slot(dealloc_handle)}, {Py_tp_getset, this_attribute}, {Py_tp_methods, methods}, {}};
PyType_Spec spec{"pycuda._native.ExecutableGraphBase", sizeof(HandleObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

int add_graph_types(PyObject* module) {
    const Ref type(PyType_FromSpec(&spec));
    if (!type) return -1;
    return PyModule_AddObjectRef(module, "ExecutableGraphBase", type.get());
}

}  // namespace pycuda::python
