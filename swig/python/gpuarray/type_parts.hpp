#pragma once

#include <Python.h>

#include <span>

/// What GPUArray is made of beside its fields. Sources that need arrays define it, so array.cpp knows none of them.
namespace pycuda::python::gpuarray {

/// Its slots for operators and comparisons (operators.cpp).
std::span<const PyType_Slot> operator_slots() noexcept;

/// a[index] and a[index] = value: native for basic indices, and for numbers as values. The class of methods handles
/// arrays as indices, names of fields, and other values (subscripts.cpp).
std::span<const PyType_Slot> subscript_slots() noexcept;
/// Fetches __getitem__ and __setitem__ of the class of methods. Nonzero with a Python exception set on failure.
int load_subscripts(PyObject* methods);

/// NumPy's protocols (protocols.cpp). Calls like those that the class of methods has answered before need no Python
/// code.
extern PyMethodDef protocol_methods[];
/// Fetches the protocols of the class of methods. Nonzero with a Python exception set on failure.
int load_protocols(PyObject* methods);

/// Functions for pycuda's own modules, such as array_type, array_operate and splay (functions.cpp).
extern PyMethodDef array_functions[];

}  // namespace pycuda::python::gpuarray
