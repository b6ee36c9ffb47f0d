#pragma once

#include <Python.h>

#include <memory>
#include <span>

#include "lifetime.hpp"
#include "pycuda/device_memory.hpp"

/// Device addresses as Python objects.
namespace pycuda::python {

/// The address that `object` stands for: an int or what has __index__, a DeviceAllocation, a PointerHolderBase, what
/// has `gpudata` or __cuda_array_interface__. PythonError (TypeError, OverflowError) otherwise, or what the object's
/// own code raised. What the object made on demand to stand for it (the DeviceAllocation that get_pointer() returns,
/// say) goes to `owners`: it may own the memory, so it must live as long as the address is used.
///
/// `user`: the stream of the work that the address is for, which pooled memory records. Null: any stream may use the
/// address.
DevicePtr device_pointer(PyObject* object, Owners& owners, const CUstream* user = nullptr);
/// The same for an address that is used after the call: `owner` keeps what the address needs; nothing for a number.
DevicePtr device_pointer(PyObject* object, std::shared_ptr<void>& owner);

/// The same for a call with these arguments, which uses the memory on the stream that is its last one; on the default
/// stream where that is no stream.
DevicePtr device_pointer_for_call(PyObject* object, Owners& owners, std::span<PyObject* const> args);

/// The same without integers, which as kernel arguments are not pointers. False if `object` has no address.
bool try_device_pointer(PyObject* object, DevicePtr& pointer, Owners& owners, const CUstream* user = nullptr);

/// The __cuda_array_interface__ of `object`, if that is where its address comes from; null otherwise.
Ref array_interface_of(PyObject* object);

/// An attribute that may be missing (null), without the cost of an AttributeError. PythonError for other failures.
Ref optional_attribute(PyObject* object, PyObject* name);

/// Methods and attributes of the base type of device memory: as_buffer, __cuda_array_interface__.
extern PyMethodDef memory_methods[];
extern PyGetSetDef memory_attributes[];

/// Adds PointerHolderBase. Nonzero with a Python exception set on failure.
int add_pointer_types(PyObject* module);

}  // namespace pycuda::python
