#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// array_call(name, arrays, numbers, stream): gather, scatter, scans and sorts of the engine by their names. Array
/// `None`: not given.
PyObject* array_call(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// scan_source(type, itemsize, expression, neutral, preamble, parameters, input, output, segment_start, name,
/// find_last): (text, kernel's name, threads, entries a block, bytes of scratch memory at all and for each block) of a
/// scan by a program's expressions, or of the scan that finds the last item for it.
PyObject* scan_source(PyObject* module, PyObject* args);

}  // namespace pycuda::python::gpuarray
