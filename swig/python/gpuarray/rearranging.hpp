#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// array_call(name, arrays, numbers, stream, allocator): gathers, scatters, scans, sorts, reduces or multiplies arrays
/// of any layout, by the core's names. Functions that write to an array have it as the first one, and return None;
/// others return a new GPUArray, or a tuple of several. Among the numbers, a dtype is replaced by its code, None means
/// no dtype.
PyObject* array_call(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::python::gpuarray
