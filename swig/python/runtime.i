// Repairs to SWIG's own run-time code (4.3.1).
%begin %{
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstring>

// SWIG's types have no module. Python warns of that at import and, for a type that is created at exit, crashes if warnings
// are errors.
static PyObject* type_with_module(PyType_Spec* spec) {
    if (std::strchr(spec->name, '.')) return PyType_FromSpec(spec);
    PyType_Spec named = *spec;
    char* const name = static_cast<char*>(std::malloc(std::strlen(spec->name) + sizeof "pycuda._native."));  // the type keeps it
    if (!name) return PyErr_NoMemory();
    std::strcat(std::strcpy(name, "pycuda._native."), spec->name);
    named.name = name;
    return PyType_FromSpec(&named);
}
#define PyType_FromSpec type_with_module
%}

%{
#include "lifetime.hpp"

namespace {
// Like SWIG's version, but without marking the class as modified for every new object: that would clear Python's method
// caches, and since 3.13 disable them after a thousand times.
PyObject* new_pointer_object(void* pointer, swig_type_info* type, int flags) {
    if (!pointer) return SWIG_Py_Void();
    const int own = (flags & SWIG_POINTER_OWN) ? SWIG_POINTER_OWN : 0;
    PyObject* const swig_this = SwigPyObject_New(pointer, type, own);
    auto* const data = type ? static_cast<SwigPyClientData*>(type->clientdata) : nullptr;
    if (!swig_this || !data || !data->newargs || (flags & SWIG_POINTER_NOSHADOW)) return swig_this;
    const pycuda::python::Ref holder(swig_this), no_arguments(PyTuple_New(0));
    auto* const proxy_class = reinterpret_cast<PyTypeObject*>(data->newargs);
    if (!no_arguments) return nullptr;
    pycuda::python::Ref proxy(proxy_class->tp_new(proxy_class, no_arguments.get(), nullptr));
    if (!proxy || PyObject_SetAttr(proxy.get(), SWIG_This(), swig_this) < 0) return nullptr;
    return proxy.release();
}
}  // namespace
#undef SWIG_NewPointerObj
#define SWIG_NewPointerObj(pointer, type, flags) \
    new_pointer_object(const_cast<void*>(static_cast<const void*>(pointer)), type, flags)
%}

// Messages for wrong arguments.
%{
#include "call_errors.hpp"
// A function's arguments are in its swig_obj; functions without arguments use this one.
static PyObject* const* const swig_obj = nullptr;
#undef SWIG_Error
#define SWIG_Error(code, text) pycuda::python::set_call_error(SWIG_ErrorType(code), text)
#undef SWIG_exception_fail
#define SWIG_exception_fail(code, text) \
    do { \
        pycuda::python::set_call_error(SWIG_ErrorType(code), text, swig_obj); \
        SWIG_fail; \
    } while (0)
#define SWIG_Python_RaiseOrModifyTypeError(text) pycuda::python::set_no_overload(text, argv, argc)
%}
