#pragma once

#include <Python.h>

#include <memory>
#include <optional>

#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"

/// Base types of frequently used proxies. A proxy keeps SWIG's pointer object in its attribute `this`; these types keep
/// it, and the C++ address behind it, in C fields, which are read without an attribute look-up.
namespace pycuda::python {

struct HandleObject {
    PyObject_HEAD PyObject* swig_this;  ///< owns the C++ object; null until __init__ has run
    void* pointer;                      ///< the C++ object
};

struct PreparedCall;

struct FunctionObject {
    HandleObject handle;
    vectorcallfunc vectorcall;
    PreparedCall* prepared;  ///< null until prepare is called
};

extern PyTypeObject* device_memory_base;
extern PyTypeObject* stream_base;
extern PyTypeObject* event_base;
extern PyTypeObject* function_base;

/// The C++ object of a proxy of one of these types. PythonError (TypeError) if its __init__ was not called.
void* checked_pointer(PyObject* proxy);

/// "__cuda_stream__"
extern PyObject* name_cuda_stream;

/// Every kind of device memory has DeviceMemory as its only base, at its start.
inline DeviceMemory& memory_of(PyObject* proxy) {
    return *static_cast<DeviceMemory*>(checked_pointer(proxy));
}
inline Stream& stream_of(PyObject* proxy) {
    return *static_cast<Stream*>(checked_pointer(proxy));
}
inline Function& function_of(PyObject* proxy) {
    return *static_cast<Function*>(checked_pointer(proxy));
}

/// The handle of another library's stream, whose `__cuda_stream__` returns (0, handle). PythonError if there is none
/// (TypeError), or if it returns something else (TypeError, ValueError).
CUstream foreign_stream_handle(PyObject* object);

/// The driver's handle of a stream argument: None, or no argument, is the default stream, null.
inline CUstream stream_handle_of(PyObject* argument) {
    if (!argument || argument == Py_None) return nullptr;
    return PyObject_TypeCheck(argument, stream_base) ? stream_of(argument).handle() : foreign_stream_handle(argument);
}

/// The same as a Stream, while this object lives; for another library's stream, a Stream in the current context.
class GivenStream {
public:
    GivenStream() = default;
    explicit GivenStream(PyObject* argument) { read(argument); }
    void read(PyObject* argument);
    /// Null: the default stream.
    const Stream* get() const noexcept { return stream_; }

private:
    const Stream* stream_ = nullptr;
    std::optional<Stream> foreign_;
};

/// The parts that types in other files share with these: the attribute `this`, and the end of an object.
extern PyGetSetDef this_attribute[];
PyObject* get_this(PyObject* self, void*);
int set_this(PyObject* self, PyObject* value, void*);
void dealloc_handle(PyObject* self);

/// A DeviceAllocation (a Python object) that owns the memory. SWIG's pointer object is created when `this` is
/// requested.
PyObject* new_allocation(std::unique_ptr<DeviceAllocation> allocation);
/// `allocation`: the class DeviceAllocation.
void set_allocation_class(PyObject* allocation) noexcept;

/// SWIG's pointer object of an allocation, which it owns. Defined in the generated wrapper.
PyObject* swig_object_of(DeviceAllocation* allocation);

/// True for a GraphNode, which has the address of the memory that it allocates. Defined in the generated wrapper.
bool is_graph_node(PyObject* object);

/// The address inside SWIG's pointer object. Defined in the generated wrapper, which alone knows that type.
void* address_in(PyObject* swig_this);

}  // namespace pycuda::python
