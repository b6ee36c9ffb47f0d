#pragma once

#include <Python.h>

#include <optional>

#include "pycuda/gpuarray/dtype.hpp"

/// Conversion of NumPy's dtypes and numbers to the engine's.
namespace pycuda::python::gpuarray {

using pycuda::gpuarray::DType;
using pycuda::gpuarray::Scalar;

/// The engine's type for a numpy.dtype; Opaque for structures and all other types that it cannot compute with (text,
/// dates, foreign byte order).
DType dtype_code(PyObject* dtype);

/// The numpy.dtype of a numeric type. Borrowed; PythonError if there is none (bfloat16 without ml_dtypes).
PyObject* dtype_object(DType type);

/// numpy.dtype(what), as an owned reference. PythonError if it is not a dtype.
PyObject* to_dtype(PyObject* what);

/// A Python number, which is weak, or a NumPy number, which has a type. Empty for all other objects, and for integers
/// beyond 64 bits.
std::optional<Scalar> read_scalar(PyObject* object);

/// Reads the dtypes from numpy. Nonzero with a Python exception set on failure.
int load_element_types();

}  // namespace pycuda::python::gpuarray
