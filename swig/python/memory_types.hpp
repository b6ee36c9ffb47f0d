#pragma once

#include <Python.h>

#include "pycuda/device_memory.hpp"
#include "pycuda/memory_pool.hpp"

/// Types of memory that C code makes or reads often: pooled device memory, and memory that the host sees as a buffer.
namespace pycuda::python {

/// A new PooledDeviceAllocation (a Python object) that owns the block from now on; it stays the caller's when there is
/// no memory for that: PythonError.
PyObject* pooled_allocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block);

/// Both: `bytes` bytes of `pool` as a Python object.
PyObject* new_pooled(const std::shared_ptr<MemoryPool>& pool, std::size_t bytes, CUstream stream);

/// True when `array`, a numpy.ndarray, or what it is a view of, lies in managed memory: then where its data is.
bool managed_array_pointer(PyObject* array, DevicePtr& pointer);

/// Adds HostPointer, ManagedAllocationBase, PooledDeviceAllocation and DeviceMemoryPoolBase. After add_handle_types.
/// Nonzero with a Python exception set on failure.
int add_memory_types(PyObject* module);

}  // namespace pycuda::python
