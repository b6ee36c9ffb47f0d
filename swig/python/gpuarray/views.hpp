#pragma once

#include <Python.h>

/// Views of arrays, for pycuda.gpuarray: syntax is read here, what becomes of the layout is in
/// pycuda/gpuarray/views.hpp.
namespace pycuda::python::gpuarray {

/// array_reshape(array, shape, order): in PyCUDA's way, by which an array without gaps is the memory that it fills.
PyObject* array_reshape(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_transpose(array, axes): None reverses them.
PyObject* array_transpose(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_squeeze(array, axes): of length 1, from 0 on; None takes all of length 1.
PyObject* array_squeeze(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_broadcast_to(array, shape): the array itself if it has it.
PyObject* array_broadcast_to(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_view(array, dtype): the same bytes as another dtype.
PyObject* array_view(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_field(array, dtype, offset): a part of each element.
PyObject* array_field(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_strided(array, shape, strides, dtype): any view from the first element on.
PyObject* array_strided(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// packed_strides(shape, strides, itemsize): without gaps, the axes in the order of `strides`.
PyObject* packed_strides(PyObject* module, PyObject* args);

}  // namespace pycuda::python::gpuarray
