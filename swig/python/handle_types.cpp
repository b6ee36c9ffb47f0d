#include "handle_types.hpp"

#include <structmember.h>

#include <cstddef>
#include <utility>

#include "exceptions.hpp"
#include "interpreter/free_threading.hpp"
#include "launching/function_call.hpp"
#include "lifetime.hpp"
#include "pointers.hpp"
#include "pycuda/threads/waiting.hpp"
#include "slot.hpp"

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

namespace {

// Functions: the vectorcall slot.

PyObject* new_function(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* const self = type->tp_alloc(type, 0);
    if (self) reinterpret_cast<FunctionObject*>(self)->vectorcall = call_function;
    return self;
}

void dealloc_function(PyObject* self) {
    drop_prepared(reinterpret_cast<FunctionObject*>(self)->prepared);
    dealloc_handle(self);
}

PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr}, {}};

// Device memory: conversion to an address.

PyObject* memory_as_int(PyObject* self) {
    return guarded([&]() -> PyObject* { return PyLong_FromUnsignedLongLong(memory_of(self).pointer()); });
}

PyType_Slot handle_slots[] = {{Py_tp_dealloc, slot(dealloc_handle)}, {Py_tp_getset, this_attribute}, {}};
PyType_Slot memory_slots[] = {{Py_tp_dealloc, slot(dealloc_handle)}, {Py_tp_getset, memory_attributes},
                              {Py_tp_methods, memory_methods},       {Py_nb_int, slot(memory_as_int)},
                              {Py_nb_index, slot(memory_as_int)},    {}};
PyType_Slot function_slots[] = {{Py_tp_dealloc, slot(dealloc_function)},
                                {Py_tp_getset, this_attribute},
                                {Py_tp_new, slot(new_function)},
                                {Py_tp_call, slot(PyVectorcall_Call)},
                                {Py_tp_members, function_members},
                                {Py_tp_methods, function_methods},
                                {}};

constexpr unsigned base_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
PyType_Spec stream_spec{"pycuda._native.StreamBase", sizeof(HandleObject), 0, base_flags, handle_slots};
PyType_Spec event_spec{"pycuda._native.EventBase", sizeof(HandleObject), 0, base_flags, handle_slots};
PyType_Spec memory_spec{"pycuda._native.DeviceMemoryBase", sizeof(HandleObject), 0, base_flags, memory_slots};
PyType_Spec function_spec{"pycuda._native.FunctionBase", sizeof(FunctionObject), 0,
                          base_flags | Py_TPFLAGS_HAVE_VECTORCALL, function_slots};

int add_type(PyObject* module, const char* name, PyType_Spec& spec, PyTypeObject*& type) {
    type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (!type) return -1;
    return PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type));
}

}  // namespace

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

int add_handle_types(PyObject* module) {
    if (!(name_cuda_stream = PyUnicode_InternFromString("__cuda_stream__"))) return -1;
    if (add_type(module, "StreamBase", stream_spec, stream_base) < 0) return -1;
    if (add_type(module, "EventBase", event_spec, event_base) < 0) return -1;
    if (add_type(module, "DeviceMemoryBase", memory_spec, device_memory_base) < 0) return -1;
    return add_type(module, "FunctionBase", function_spec, function_base);
}

}  // namespace pycuda::python
