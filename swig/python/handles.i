// Handles: the hot proxies over hand-written base types, driver handles as integers, proxies made without SWIG's detour.
%{
#include "arguments.hpp"
#include "function_call.hpp"
#include "handle_types.hpp"
#include "module_loading.hpp"
#include "numpy_scalars.hpp"

namespace pycuda::python {
void* address_in(PyObject* swig_this) {
    if (SwigPyObject_Check(swig_this)) return reinterpret_cast<SwigPyObject*>(swig_this)->ptr;
    PyErr_SetString(PyExc_TypeError, "'this' must be a SWIG pointer object");
    return nullptr;
}

namespace {
// What SWIG does, without marking the class as modified for every object made: that would throw away Python's method caches, and
// from 3.13 on for good after a thousand times.
PyObject* new_pointer_object(void* pointer, swig_type_info* type, int flags) {
    if (!pointer) return SWIG_Py_Void();
    const int own = (flags & SWIG_POINTER_OWN) ? SWIG_POINTER_OWN : 0;
    PyObject* const swig_this = SwigPyObject_New(pointer, type, own);
    auto* const data = type ? static_cast<SwigPyClientData*>(type->clientdata) : nullptr;
    if (!swig_this || !data || !data->newargs || (flags & SWIG_POINTER_NOSHADOW)) return swig_this;
    const Ref holder(swig_this), no_arguments(PyTuple_New(0));
    auto* const proxy_class = reinterpret_cast<PyTypeObject*>(data->newargs);
    if (!no_arguments) return nullptr;
    Ref proxy(proxy_class->tp_new(proxy_class, no_arguments.get(), nullptr));
    if (!proxy || PyObject_SetAttr(proxy.get(), SWIG_This(), swig_this) < 0) return nullptr;
    return proxy.release();
}
}  // namespace
}  // namespace pycuda::python
#undef SWIG_NewPointerObj
#define SWIG_NewPointerObj(pointer, type, flags) pycuda::python::new_pointer_object(const_cast<void*>(static_cast<const void*>(pointer)), type, flags)
%}

%init %{
    if (pycuda::python::add_handle_types(m) < 0 || pycuda::python::add_pointer_types(m) < 0 ||
        pycuda::python::load_function_call() < 0 || pycuda::python::load_numpy_scalars() < 0)
        return NULL;
    static PyMethodDef functions[] = {
        {"enum_tables", pycuda::python::enum_tables_as_list, METH_NOARGS, NULL},
        {"module_constants", pycuda::python::module_constants_as_dict, METH_NOARGS, NULL},
        {"register_enum_classes", pycuda::python::register_enum_classes, METH_O, NULL},
        {"register_argument_handler", pycuda::python::register_argument_handler, METH_O, NULL},
        {"enable_vectorcall", pycuda::python::enable_vectorcall, METH_O, NULL},
        {NULL, NULL, 0, NULL}};
    if (PyModule_AddFunctions(m, functions) < 0) return NULL;
%}

%feature("python:abc") pycuda::Function "_native.FunctionBase, _FunctionMixin"
%feature("python:abc") pycuda::DeviceAllocation "_native.DeviceAllocationBase"
%feature("python:abc") pycuda::Stream "_native.StreamBase"
%feature("python:abc") pycuda::Event "_native.EventBase"
%feature("python:abc") pycuda::Device "_DeviceMixin"

%typemap(out) CUcontext, CUstream, CUevent, CUmodule, CUfunction {
    $result = PyLong_FromVoidPtr($1);
}
%typemap(out) CUdevice {
    $result = PyLong_FromLong($1);
}

// A stream to order on; None is the default one.
%typemap(in) const pycuda::Stream* {
    try {
        $1 = pycuda::python::optional_stream($input);
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const pycuda::Stream* "$1 = 1;"
