#pragma once

#include <Python.h>

#include "pycuda/memory/device_memory.hpp"
#include "pycuda/pools/memory_pool.hpp"

/// Types of memory that C code creates or reads often: pooled device memory, and memory with a buffer for the host.
namespace pycuda::python {

/// A new PooledDeviceAllocation (a Python object), which then owns the block. PythonError if there is no memory for it;
/// the caller then still owns the block. `was_of_array`: as in PooledDeviceAllocation.
PyObject* pooled_allocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block, bool was_of_array);

/// Takes `bytes` bytes from `pool`, and returns them as a Python object.
PyObject* new_pooled(const std::shared_ptr<MemoryPool>& pool, std::size_t bytes, CUstream stream);

/// True if `array`, a numpy.ndarray, or the array that it is a view of, is in managed memory; then also its address.
bool managed_array_pointer(PyObject* array, DevicePtr& pointer, const CUstream* user = nullptr);

/// Adds HostPointer, ManagedAllocationBase, PooledDeviceAllocation and DeviceMemoryPoolBase. After add_base_types.
/// Nonzero with a Python exception set on failure.
int add_memory_types(PyObject* module);

}  // namespace pycuda::python
