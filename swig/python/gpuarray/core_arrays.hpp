#pragma once

#include <Python.h>

#include "gpuarray/array.hpp"
#include "pycuda/gpuarray/array.hpp"

/// The core's arrays over Python's, for operations that the core has of arrays as a whole: sorting, gathering,
/// products.
namespace pycuda::python::gpuarray {

/// `array` as one of the core's. It asks for the address when the operation is about to be queued, and raises if the
/// array's form has changed by then. Results take the allocator (null: the array's own). Hold the GIL as long as it
/// lives. PythonError.
pycuda::gpuarray::Array core_array(Array* array, PyObject* allocator = nullptr);

/// A GPUArray of this dtype that takes the memory of `made` over; a view where that belongs to an array of Python. A
/// new reference. PythonError.
PyObject* adopt(pycuda::gpuarray::Array made, PyObject* dtype);

}  // namespace pycuda::python::gpuarray
