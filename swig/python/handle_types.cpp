#include "handle_types.hpp"

#include <utility>

#include "exceptions.hpp"
#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "optional_attribute.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda::python {

PyTypeObject* device_memory_base;
PyTypeObject* stream_base;
PyTypeObject* event_base;
PyTypeObject* function_base;

PyObject* name_cuda_stream;

namespace {

PyTypeObject* allocation_class;

/// If an allocation has no pointer object of SWIG, it owns its memory itself.
DeviceAllocation* owned_allocation(PyObject* self) noexcept {
    const auto* const handle = reinterpret_cast<HandleObject*>(self);
    const bool is_owned =
        !handle->swig_this && handle->pointer && allocation_class && PyObject_TypeCheck(self, allocation_class);
    return is_owned ? static_cast<DeviceAllocation*>(handle->pointer) : nullptr;
}

/// Creates the pointer object that SWIG's functions take. Under the object's lock, so that it is created once.
PyObject* swig_this_of(PyObject* self) {
    auto* const handle = reinterpret_cast<HandleObject*>(self);
    if (DeviceAllocation* const allocation = owned_allocation(self)) handle->swig_this = swig_object_of(allocation);
    return handle->swig_this;
}

}  // namespace

void set_allocation_class(PyObject* allocation) noexcept {
    allocation_class = reinterpret_cast<PyTypeObject*>(allocation);
}

PyObject* new_allocation(std::unique_ptr<DeviceAllocation> allocation) {
    PyObject* const self = allocation_class->tp_alloc(allocation_class, 0);
    if (self) reinterpret_cast<HandleObject*>(self)->pointer = allocation.release();
    return self;
}

PyObject* get_this(PyObject* self, void*) {
    const ObjectLock lock(self);
    PyObject* const value = swig_this_of(self);
    if (!value) {
        if (PyErr_Occurred()) return nullptr;
        PyErr_SetString(PyExc_AttributeError, "this");
        return nullptr;
    }
    Py_INCREF(value);
    return value;
}

int set_this(PyObject* self, PyObject* value, void*) {
    auto* const handle = reinterpret_cast<HandleObject*>(self);
    void* const address = value ? address_in(value) : nullptr;
    if (value && !address) return -1;
    Ref old;  // dropped when the object is unlocked
    const ObjectLock lock(self);
    if (!swig_this_of(self) && PyErr_Occurred()) return -1;
    handle->pointer = address;
    old.reset(std::exchange(handle->swig_this, Py_XNewRef(value)));
    return 0;
}

PyGetSetDef this_attribute[] = {{"this", get_this, set_this, nullptr, nullptr}, {}};

void dealloc_handle(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    if (!is_forked_child()) delete owned_allocation(self);
    Py_XDECREF(reinterpret_cast<HandleObject*>(self)->swig_this);
    type->tp_free(self);
    Py_DECREF(type);
}

void* checked_pointer(PyObject* proxy) {
    void* const pointer = reinterpret_cast<HandleObject*>(proxy)->pointer;
    if (!pointer) [[unlikely]] {
        PyErr_Format(PyExc_TypeError, "%s object is not initialised: its class does not call super().__init__()",
                     Py_TYPE(proxy)->tp_name);
        throw PythonError{};
    }
    return pointer;
}

CUstream foreign_stream_handle(PyObject* object) {
    const Ref protocol = optional_attribute(object, name_cuda_stream);
    if (!protocol) {
        PyErr_Format(PyExc_TypeError, "stream must be a Stream, an object with __cuda_stream__, or None, not %s",
                     Py_TYPE(object)->tp_name);
        throw PythonError{};
    }
    Ref given = PyCallable_Check(protocol.get()) ? Ref(PyObject_CallNoArgs(protocol.get())) : borrow(protocol.get());
    if (!given) throw PythonError{};
    if (!PyTuple_Check(given.get()) || PyTuple_GET_SIZE(given.get()) != 2 ||
        !PyLong_Check(PyTuple_GET_ITEM(given.get(), 0)) || !PyLong_Check(PyTuple_GET_ITEM(given.get(), 1))) {
        PyErr_Format(PyExc_TypeError, "__cuda_stream__ of %s must give (0, handle), a tuple of two ints, not %R",
                     Py_TYPE(object)->tp_name, given.get());
        throw PythonError{};
    }
    if (const long version = PyLong_AsLong(PyTuple_GET_ITEM(given.get(), 0)); version != 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "__cuda_stream__ of %s has version %R; version 0 is supported",
                     Py_TYPE(object)->tp_name, PyTuple_GET_ITEM(given.get(), 0));
        throw PythonError{};
    }
    void* const handle = PyLong_AsVoidPtr(PyTuple_GET_ITEM(given.get(), 1));
    if (!handle && PyErr_Occurred()) throw PythonError{};
    return static_cast<CUstream>(handle);
}

void GivenStream::read(PyObject* argument) {
    if (!argument || argument == Py_None) return;
    if (PyObject_TypeCheck(argument, stream_base))
        stream_ = &stream_of(argument);
    else
        stream_ = &foreign_.emplace(Stream::from_handle(foreign_stream_handle(argument)));
}

}  // namespace pycuda::python
