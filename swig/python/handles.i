// Handles: frequently used proxies have hand-written base types; driver handles are integers.
%{
#include "launching/argument_handlers.hpp"
#include "launching/arguments.hpp"
#include "launching/base_types.hpp"
#include "calls/hot_calls.hpp"
#include "describe.hpp"
#include "dlpack/dlpack.hpp"
#include "launching/function_call.hpp"
#include "launching/handler_type.hpp"
#include "launching/tensor_maps.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/fused_functions.hpp"
#include "gpuarray/tracing.hpp"
#include "graphs/graph_calls.hpp"
#include "graphs/graph_types.hpp"
#include "graphs/stream_use.hpp"
#include "handle_types.hpp"
#include "host_functions.hpp"
#include "memory_types.hpp"
#include "modules/module_loading.hpp"
#include "numpy_scalars.hpp"

namespace pycuda::python {
void* address_in(PyObject* swig_this) {
    if (SwigPyObject_Check(swig_this)) return reinterpret_cast<SwigPyObject*>(swig_this)->ptr;
    PyErr_SetString(PyExc_TypeError, "'this' must be a SWIG pointer object");
    return nullptr;
}
PyObject* swig_object_of(DeviceAllocation* allocation) {
    return SWIG_NewPointerObj(allocation, SWIGTYPE_p_pycuda__DeviceAllocation, SWIG_POINTER_OWN | SWIG_POINTER_NOSHADOW);
}
}  // namespace pycuda::python
%}

%init %{
    if (pycuda::python::add_base_types(m) < 0 || pycuda::python::add_pointer_types(m) < 0 ||
        pycuda::python::add_memory_types(m) < 0 || pycuda::python::add_graph_types(m) < 0 || pycuda::python::add_tensor_map_type(m) < 0 || pycuda::python::add_handler_type(m) < 0 || pycuda::python::load_function_call() < 0 ||
        pycuda::python::load_numpy_scalars() < 0 || pycuda::python::gpuarray::add_arrays(m) < 0 ||
        pycuda::python::gpuarray::add_tracing(m) < 0 || pycuda::python::gpuarray::add_fused_functions(m) < 0 ||
        pycuda::python::dlpack::add_dlpack(m) < 0)
        return NULL;
    static PyMethodDef functions[] = {
        {"enum_tables", pycuda::python::enum_tables_as_list, METH_NOARGS, NULL},
        {"module_constants", pycuda::python::module_constants_as_dict, METH_NOARGS, NULL},
        {"register_enum_classes", pycuda::python::register_enum_classes, METH_O, NULL},
        {"register_argument_handlers", pycuda::python::register_argument_handlers, METH_O, NULL},
        {"is_any_capture_open", pycuda::python::is_any_capture_open, METH_NOARGS, NULL},
        {"begin_stream_use", pycuda::python::begin_stream_use, METH_O, NULL},
        {"follow_stream_in_use", pycuda::python::follow_stream_in_use, METH_O, NULL},
        {"end_stream_use", pycuda::python::end_stream_use, METH_O, NULL},
        {"stream_of_operation", pycuda::python::stream_of_operation_object, METH_O, NULL},
        {"replace_hot_calls", pycuda::python::replace_hot_calls, METH_O, NULL},
        {"enable_vectorcall", pycuda::python::enable_vectorcall, METH_O, NULL},
        {NULL, NULL, 0, NULL}};
    if (PyModule_AddFunctions(m, functions) < 0) return NULL;
%}

// Members that every class of a kind has in Python (declare.i). close() is not among them: dropping the object does the same.
%define PYCUDA_LANGUAGE_VALUE(CLASS)
%ignore pycuda::CLASS::close;
%extend pycuda::CLASS {
    std::string __repr__() const { return "<pycuda.driver.CLASS" + pycuda::bindings::describe(*$self) + ">"; }
}
%enddef
#define PYCUDA_LANGUAGE_HANDLE(CLASS) PYCUDA_LANGUAGE_VALUE(CLASS)
%define PYCUDA_LANGUAGE_MEMORY(CLASS)
PYCUDA_LANGUAGE_VALUE(CLASS)
%feature("python:abc") pycuda::CLASS "_native.DeviceMemoryBase"
// int() reads the address.
%ignore pycuda::CLASS::pointer;
%ignore pycuda::CLASS::size;
%threadallow pycuda::CLASS::free;  // before the call is declared
%extend pycuda::CLASS {
    /// Free the memory now. LogicError if it is free already.
    void free() { $self->free(); }
}
%enddef
%define PYCUDA_LANGUAGE_HOST_READABLE(CLASS)
%feature("python:abc") pycuda::CLASS "_native.ManagedAllocationBase"
%enddef
%define PYCUDA_LANGUAGE_HOST_MEMORY(CLASS)
PYCUDA_LANGUAGE_VALUE(CLASS)
%feature("python:abc") pycuda::CLASS "_native.HostPointer"
// A function creates it, and the array over it. It is a buffer.
%ignore pycuda::CLASS::CLASS;
%ignore pycuda::CLASS::data;
%ignore pycuda::CLASS::size;
%threadallow pycuda::CLASS::free;  // before the call is declared
%extend pycuda::CLASS {
    /// Free the memory now. LogicError if it is free already.
    void free() { $self->free(); }
}
%enddef
%define PYCUDA_LANGUAGE_POOL(CLASS)
PYCUDA_LANGUAGE_VALUE(CLASS)
%threadallow pycuda::CLASS::free_held;
%threadallow pycuda::CLASS::stop_holding;
%enddef
#define PYCUDA_LANGUAGE_STRUCT(CLASS) PYCUDA_LANGUAGE_VALUE(CLASS)
#define PYCUDA_LANGUAGE_BASE(CLASS, BASE)
#define PYCUDA_LANGUAGE_DERIVED(CLASS, BASE) PYCUDA_LANGUAGE_VALUE(CLASS)
%define PYCUDA_LANGUAGE_SHARED_HANDLE(CLASS)
PYCUDA_LANGUAGE_VALUE(CLASS)
%feature("python:abc") pycuda::CLASS "_SharedMixin"
%typemap(check) std::shared_ptr<pycuda::CLASS> {
    if (!$1) {
        pycuda::python::refuse_argument("CLASS", Py_None);
        SWIG_fail;
    }
}
%extend pycuda::CLASS {
    std::size_t _identity() const { return reinterpret_cast<std::size_t>($self); }
}
%enddef
%define PYCUDA_LANGUAGE_RETURNS_SELF(CLASS, CALL)
%feature("pythonappend") pycuda::CLASS::CALL %{ val = self %}
%enddef

// Proxies that are passed to calls and launches; their base types keep the C++ address in a C field.
%feature("python:abc") pycuda::Function "_native.FunctionBase, _FunctionMixin"
%feature("python:abc") pycuda::Kernel "_KernelMixin"
%feature("python:abc") pycuda::DeviceMemoryPool "_native.DeviceMemoryPoolBase"
%feature("python:abc") pycuda::Stream "_native.StreamBase, _StreamMixin"
%feature("python:abc") pycuda::Event "_native.EventBase, _EventMixin"
%feature("python:abc") pycuda::Device "_DeviceMixin"
%feature("python:abc") pycuda::CoreDumps "_CoreDumpsMixin"
%feature("python:abc") pycuda::DriverCallback "_DriverCallbackMixin"
%feature("python:abc") pycuda::TensorMap "_native.TensorMapBase, _TensorMapMixin"
%feature("python:abc") pycuda::GraphNode "_NodeBuilder, _GraphNodeMixin"
%feature("python:abc") pycuda::ExecutableGraph "_native.ExecutableGraphBase, _ExecutableGraphMixin"
%define PYCUDA_LANGUAGE_DECLARED
%feature("python:abc") pycuda::Library "_SharedMixin, _LibraryMixin"
%feature("python:abc") pycuda::Graph "_SharedMixin, _NodeBuilder, _GraphMixin"
// PooledDeviceAllocation is registered as a subclass: programs test an array's gpudata for DeviceAllocation. A real subclass would have the
// fields of a Python class in each object, and pools' objects are created too often for that.
%feature("python:abc") pycuda::DeviceAllocation "_native.DeviceMemoryBase, metaclass=_ABCMeta"
%enddef

%typemap(out) CUcontext, CUstream, CUevent, CUmodule, CUfunction, CUlibrary, CUkernel, CUarray, CUmipmappedArray, CUgraphicsResource, CUgraph, CUgraphNode,
    CUgraphExec, CUmemoryPool, CUgreenCtx, CUexternalMemory, CUexternalSemaphore {
    $result = PyLong_FromVoidPtr($1);
}
%typemap(in) CUstream {
    if (!PyIndex_Check($input)) {
        PyErr_Format(PyExc_TypeError, "expected a stream's handle, an int, not %s", Py_TYPE($input)->tp_name);
        SWIG_fail;
    }
    std::size_t handle;
    if (!pycuda::python::integer_from_python($input, handle)) SWIG_fail;
    $1 = reinterpret_cast<CUstream>(handle);
}
%typemap(out) CUdevice {
    $result = PyLong_FromLong($1);
}

// A stream for ordering; None is the default stream.
%typemap(in) const pycuda::Stream* (pycuda::python::GivenStream stream) {
    try {
        stream.read($input);
        $1 = const_cast<pycuda::Stream*>(stream.get());
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
}
%typemap(in) const pycuda::Stream& (pycuda::python::GivenStream stream) {
    try {
        stream.read($input);
        $1 = const_cast<pycuda::Stream*>(stream.get());
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
    if (!$1) SWIG_exception_fail(SWIG_TypeError, "expected a Stream, not None");
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const pycuda::Stream*, const pycuda::Stream& "$1 = 1;"
