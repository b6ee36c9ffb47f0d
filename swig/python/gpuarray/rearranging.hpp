#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// array_call(name, arrays, numbers, stream, allocator): gathering, scattering, scanning, sorting, reducing,
/// multiplying arrays of any layout, by the core's names. What it writes to comes first, and None is returned then;
/// else a new GPUArray, or several in a tuple. Among the numbers, a dtype stands for its code, None for no dtype.
PyObject* array_call(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::python::gpuarray
