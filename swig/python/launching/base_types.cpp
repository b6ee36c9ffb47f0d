#include "launching/base_types.hpp"

#include <structmember.h>

#include <cstddef>

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "launching/function_call.hpp"
#include "pointers.hpp"
#include "slot.hpp"

namespace pycuda::python {
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

int add_base_types(PyObject* module) {
    if (!(name_cuda_stream = PyUnicode_InternFromString("__cuda_stream__"))) return -1;
    if (add_type(module, "StreamBase", stream_spec, stream_base) < 0) return -1;
    if (add_type(module, "EventBase", event_spec, event_base) < 0) return -1;
    if (add_type(module, "DeviceMemoryBase", memory_spec, device_memory_base) < 0) return -1;
    return add_type(module, "FunctionBase", function_spec, function_base);
}

}  // namespace pycuda::python
