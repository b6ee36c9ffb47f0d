#pragma once

#include <Python.h>

#include <span>

/// a[index] and a[index] = value: native for basic indices, and for numbers as values. The class of methods handles
/// arrays as indices, names of fields, and other values.
namespace pycuda::python::gpuarray {

/// GPUArray's slots for subscripts.
std::span<const PyType_Slot> subscript_slots() noexcept;

/// array_index(array, index): the view at a basic index, for the class of methods.
PyObject* array_index(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

/// Fetches __getitem__ and __setitem__ of the class of methods. Nonzero with a Python exception set on failure.
int load_subscripts(PyObject* methods);

}  // namespace pycuda::python::gpuarray
