#pragma once

#include <Python.h>

#include <memory>
#include <span>

#include "lifetime.hpp"
#include "pycuda/memory/device_memory.hpp"

/// Device addresses as Python objects.
namespace pycuda::python {

/// The address of `object`: an int or an object with __index__, a DeviceAllocation, a PointerHolderBase, or an object
/// with `gpudata` or __cuda_array_interface__. PythonError (TypeError, OverflowError) otherwise, or the exception of
/// the object's own code. An object that `object` creates on demand, such as the DeviceAllocation that get_pointer()
/// returns, is added to `owners`: it may own the memory, so it must live as long as the address is used.
///
/// `user`: the stream of the work that the address is for, which pooled memory records. Null: any stream may use the
/// address.
DevicePtr device_pointer(PyObject* object, Owners& owners, const CUstream* user = nullptr);
/// The same for an address that is used after the call: `owner` keeps the memory alive; empty for a number.
DevicePtr device_pointer(PyObject* object, std::shared_ptr<void>& owner);

/// The same for a call with these arguments, which uses the memory on the stream that is its last argument, or on the
/// default stream if that is not a stream.
DevicePtr device_pointer_for_call(PyObject* object, Owners& owners, std::span<PyObject* const> args);

/// The same without integers, which are not pointers as kernel arguments. False if `object` has no address.
bool try_device_pointer(PyObject* object, DevicePtr& pointer, Owners& owners, const CUstream* user = nullptr);

/// `object` owns memory that this library does not free: if work on `user` becomes part of a graph, or a node's
/// arguments are being read, the graph keeps the object.
void note_owner(PyObject* object, const CUstream* user);

/// The __cuda_array_interface__ of `object`, if its address comes from there; null otherwise.
Ref array_interface_of(PyObject* object);

/// Methods and attributes of the base type of device memory: as_buffer, __cuda_array_interface__.
extern PyMethodDef memory_methods[];
extern PyGetSetDef memory_attributes[];

/// Adds PointerHolderBase. Nonzero with a Python exception set on failure.
int add_pointer_types(PyObject* module);

}  // namespace pycuda::python
