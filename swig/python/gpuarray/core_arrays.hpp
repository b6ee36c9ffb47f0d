#pragma once

#include <Python.h>

#include "gpuarray/array.hpp"
#include "pycuda/gpuarray/array.hpp"

/// Python's arrays as arrays of the core, for the core's operations on whole arrays: sorting, gathering, products.
namespace pycuda::python::gpuarray {

/// `array` as an array of the core. Its address is read when the operation is about to be queued; if the array's form
/// has changed by then, that raises. Results use the allocator (null: the array's own). Hold the GIL as long as it
/// lives. PythonError.
pycuda::gpuarray::Array core_array(Array* array, PyObject* allocator = nullptr);

/// A GPUArray of this dtype that takes over the memory of `made`, or is a view if that belongs to a Python array. A new
/// reference. PythonError.
PyObject* adopt(pycuda::gpuarray::Array made, PyObject* dtype);

}  // namespace pycuda::python::gpuarray
