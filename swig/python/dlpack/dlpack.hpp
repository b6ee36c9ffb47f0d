#pragma once

#include <Python.h>

/// DLPack's capsules. pycuda._dlpack decides about their contents.
namespace pycuda::python::dlpack {

/// dlpack_export(address, shape, strides, (code, bits), (device_type, device_id), owner, versioned, flags): a capsule
/// with memory that `owner` keeps. Strides are in elements.
PyObject* export_capsule(PyObject* module, PyObject* args);

/// dlpack_import(capsule): (address, shape, strides or None, (code, bits, lanes), (device_type, device_id), flags,
/// holder). The capsule cannot be used again; the memory lives as long as the holder.
PyObject* import_capsule(PyObject* module, PyObject* capsule);

/// pointer_info(address, memory): (on_host, managed, device, context, device_pointer) in the context of `memory`, or in
/// the current context if `memory` is not ours; None for unknown memory.
PyObject* describe_pointer(PyObject* module, PyObject* args);

/// hand_over(memory or None, stream or None): pycuda::hand_over; the stream is a handle.
PyObject* hand_over_memory(PyObject* module, PyObject* args);

/// Adds these to the native module. Nonzero with a Python exception set on failure.
int add_dlpack(PyObject* module);

}  // namespace pycuda::python::dlpack
