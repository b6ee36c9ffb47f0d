#include "exceptions.hpp"

#include <string>

#include "lifetime.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/threads/interruption.hpp"
#include "translation.hpp"

namespace pycuda::python {
namespace {

// Indexed by ErrorClass. Kept for the life of the process.
constexpr const char* class_names[] = {"Error",        "LogicError",       "MemoryError", "LaunchError",
                                       "RuntimeError", "GraphUpdateError", "CompileError"};
PyObject* classes[std::size(class_names)];

Ref text(const std::string& s) {
    return Ref(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}

Ref list_of_texts(const std::vector<std::string>& strings) {
    Ref list(PyList_New(0));
    for (const std::string& s : strings)
        if (Ref item = text(s); !list || !item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
    return list;
}

void set(PyObject* cls, const Ref& instance) {
    if (instance) PyErr_SetObject(cls, instance.get());
}

void set_compile_error(const CompileError& e) {
    PyObject* const cls = classes[static_cast<int>(ErrorClass::CompileError)];
    const Ref msg = text(e.msg()), out = text(e.stdout_text()), err = text(e.stderr_text());
    const Ref command = list_of_texts(e.command_line());
    if (!msg || !out || !err || !command) return;
    set(cls, Ref(PyObject_CallFunctionObjArgs(cls, msg.get(), command.get(), out.get(), err.get(), nullptr)));
}

void set_error(const Error& e) {
    PyObject* const cls = classes[static_cast<int>(e.error_class())];
    const Ref message = text(e.what()), routine = text(e.routine()), code(PyLong_FromLong(e.code()));
    if (!message || !routine || !code) return;
    const Ref instance(PyObject_CallFunctionObjArgs(cls, message.get(), nullptr));
    if (!instance || PyObject_SetAttrString(instance.get(), "routine", routine.get()) < 0 ||
        PyObject_SetAttrString(instance.get(), "code", code.get()) < 0)
        return;
    set(cls, instance);
}

/// numpy.linalg.LinAlgError, a ValueError.
void set_linear_algebra_error(const char* message) {
    const Ref module(PyImport_ImportModule("numpy.linalg"));
    const Ref cls(module ? PyObject_GetAttrString(module.get(), "LinAlgError") : nullptr);
    if (cls) PyErr_SetString(cls.get(), message);
}

struct Python {
    static void compile_error(const CompileError& e) { set_compile_error(e); }
    static void error(const Error& e) { set_error(e); }
    static void linear_algebra(const char* text) { set_linear_algebra_error(text); }
    static void wrong_type(const char* text) { PyErr_SetString(PyExc_TypeError, text); }
    static void wrong_value(const char* text) { PyErr_SetString(PyExc_ValueError, text); }
    static void out_of_range(const char* text) { PyErr_SetString(PyExc_IndexError, text); }
    static void no_memory() { PyErr_NoMemory(); }
    static void other(const char* text) { PyErr_SetString(PyExc_RuntimeError, text); }
};

}  // namespace

void translate_exception() {
    try {
        throw;
    } catch (const PythonError&) {
    } catch (const Interrupted&) {
    } catch (const pycuda::gpuarray::OutOfBounds& error) {
        PyErr_SetString(PyExc_OverflowError, error.what());
    } catch (...) {
        bindings::translate_current_exception(Python());
    }
}

int load_exceptions() {
    const Ref module(PyImport_ImportModule("pycuda._errors"));
    if (!module) return -1;
    for (std::size_t i = 0; i < std::size(class_names); ++i)
        if (!(classes[i] = PyObject_GetAttrString(module.get(), class_names[i]))) return -1;
    return 0;
}

}  // namespace pycuda::python
