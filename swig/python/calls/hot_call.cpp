#include "calls/hot_call.hpp"

#include <algorithm>
#include <string_view>

namespace pycuda::python {
namespace {

/// "dest, src, stream=None" as names, and how many of them have no default.
bool read_parameters(HotCall& call) {
    std::string_view rest = call.parameters;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(rest.size(), one.size() + 2));
        const std::string name(one.substr(one.starts_with('$'), one.find('=') - one.starts_with('$')));
        if (!(call.names[call.count] = PyUnicode_InternFromString(name.c_str()))) return false;
        call.required += one.find('=') == std::string_view::npos;
        ++call.count;
    }
    return true;
}

/// The function with SWIG's text, and a signature that inspect reads.
int fill_in(HotCall& call, const char* name) {
    const Ref text(PyObject_GetAttrString(call.swig, "__doc__"));
    if (!text || !read_parameters(call)) return -1;
    const char* const doc = PyUnicode_Check(text.get()) ? PyUnicode_AsUTF8(text.get()) : "";  // None with python -OO
    if (!doc) return -1;
    call.doc = std::string(name) + "(" + call.parameters + ")\n--\n\n" + doc;
    call.definition = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call.function)),
                       METH_FASTCALL | METH_KEYWORDS, call.doc.c_str()};
    return 0;
}

int install_method(HotCall& call, PyObject* space, const std::string& class_name) {
    PyObject* const owner = PyDict_GetItemString(space, class_name.c_str());
    const char* const name = call.name + class_name.size() + 1;
    if (!owner || !(call.swig = PyObject_GetAttrString(owner, name)) || fill_in(call, name) < 0) return -1;
    const Ref method(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(owner), &call.definition));
    return method ? PyObject_SetAttrString(owner, name, method.get()) : -1;
}

int install_function(HotCall& call, PyObject* space) {
    call.swig = PyDict_GetItemString(space, call.name);
    PyObject* const module = PyDict_GetItemString(space, "__name__");
    Py_XINCREF(call.swig);
    if (!call.swig || !module || fill_in(call, call.name) < 0) return -1;
    const Ref function(PyCFunction_NewEx(&call.definition, nullptr, module));
    return function ? PyDict_SetItemString(space, call.name, function.get()) : -1;
}

}  // namespace

bool bind(const HotCall& call, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames,
          PyObject* (&values)[HotCall::max]) noexcept {
    int next = 0;
    if (self) values[next++] = self;
    if (next + count > call.count) return false;
    for (Py_ssize_t i = 0; i < count; ++i) values[next++] = args[i];
    const Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        int at = next;
        while (at < call.count && call.names[at] != PyTuple_GET_ITEM(kwnames, i)) ++at;
        if (at == call.count) return false;
        values[at] = args[count + i];
    }
    for (int at = next; at < call.required; ++at)
        if (!values[at]) return false;
    return true;
}

PyObject* call_swig(const HotCall& call, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    const auto number = static_cast<std::size_t>(count);
    if (!self) return PyObject_Vectorcall(call.swig, args, number, kwnames);
    const Ref method(PyMethod_New(call.swig, self));
    return method ? PyObject_Vectorcall(method.get(), args, number, kwnames) : nullptr;
}

int install(HotCall& call, PyObject* space) {
    const std::string name = call.name;
    const std::size_t dot = name.find('.');
    const int result =
        dot == std::string::npos ? install_function(call, space) : install_method(call, space, name.substr(0, dot));
    if (result < 0 && !PyErr_Occurred())
        PyErr_Format(PyExc_RuntimeError, "hot call %s: there is no such function", call.name);
    return result;
}

}  // namespace pycuda::python
