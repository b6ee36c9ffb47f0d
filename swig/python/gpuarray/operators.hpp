#pragma once

#include <Python.h>

#include <span>

/// Operators on arrays.
namespace pycuda::python::gpuarray {

/// GPUArray's slots for operators and comparisons.
std::span<const PyType_Slot> operator_slots() noexcept;

}  // namespace pycuda::python::gpuarray
