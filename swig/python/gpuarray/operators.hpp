#pragma once

#include <Python.h>

#include <span>

/// Arrays in expressions: native for what is plain, pycuda._arrays.operators for all else.
namespace pycuda::python::gpuarray {

/// GPUArray's slots for operators and comparisons.
std::span<const PyType_Slot> operator_slots() noexcept;

/// Fetches the functions of pycuda._arrays.operators that operators end in. Nonzero with a Python exception set on
/// failure.
int load_operators();

}  // namespace pycuda::python::gpuarray
