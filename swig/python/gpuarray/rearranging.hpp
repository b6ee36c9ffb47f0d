#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// array_call(name, arrays, numbers, stream): gathering, scattering, scanning, sorting, multiplying arrays of any
/// layout, by the core's names. What it writes to comes first, and None is returned then; else a new GPUArray, or
/// several in a tuple.
PyObject* array_call(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_reduced(name, arrays, axes, keepdims, dtype, allocator, stream): a new GPUArray; axes is a bit mask.
PyObject* array_reduced(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_concatenated(arrays, axis, allocator): a new GPUArray, of the common dtype.
PyObject* array_concatenated(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_spread(arrays, is_root, axes, keepdims, correction, dtype): the variance of the first array, or its root;
/// where the second one is true, if there is one. axes is a bit mask.
PyObject* array_spread(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// scan_source(type, itemsize, expression, neutral, preamble, parameters, input, output, segment_start, name,
/// find_last): (text, kernel's name, threads, elements a block, bytes of scratch memory at all and for each block) of a
/// scan by a program's expressions, or of the scan that finds the last item for it.
PyObject* scan_source(PyObject* module, PyObject* args);

}  // namespace pycuda::python::gpuarray
