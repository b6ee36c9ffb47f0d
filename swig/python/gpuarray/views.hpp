#pragma once

#include <Python.h>

/// Views of arrays, for pycuda.gpuarray. The syntax is read here; pycuda/gpuarray/views.hpp computes the layouts.
namespace pycuda::python::gpuarray {

/// array_reshape(array, shape, order): as in PyCUDA, elements of an array without gaps are read in memory order.
PyObject* array_reshape(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_transpose(array, axes): None reverses them.
PyObject* array_transpose(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_squeeze(array, axes): removes axes of length 1, numbered from 0; None: all of them.
PyObject* array_squeeze(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_broadcast_to(array, shape): the array itself if it has that shape.
PyObject* array_broadcast_to(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_view(array, dtype): the same bytes as another dtype.
PyObject* array_view(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_field(array, dtype, offset): a part of each element.
PyObject* array_field(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// array_strided(array, shape, strides, dtype): any view that begins at the first element.
PyObject* array_strided(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
/// packed_strides(shape, strides, itemsize): strides without gaps, with the axes in the order of `strides`.
PyObject* packed_strides(PyObject* module, PyObject* args);

}  // namespace pycuda::python::gpuarray
