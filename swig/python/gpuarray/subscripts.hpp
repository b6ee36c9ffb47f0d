#pragma once

#include <Python.h>

#include <span>

/// a[index] and a[index] = value: native for integers, slices, Ellipsis and None, and for numbers as values; the class
/// of methods has the rest.
namespace pycuda::python::gpuarray {

/// GPUArray's slots for subscripts.
std::span<const PyType_Slot> subscript_slots() noexcept;

/// Fetches __getitem__ and __setitem__ of the class of methods. Nonzero with a Python exception set on failure.
int load_subscripts(PyObject* methods);

}  // namespace pycuda::python::gpuarray
