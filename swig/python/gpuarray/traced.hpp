#pragma once

#include <Python.h>

#include <optional>

#include "gpuarray/element_types.hpp"
#include "pycuda/gpuarray/array.hpp"

/// Arrays and numbers of functions that are traced: GPUArrays whose gpudata stands for elements that do not exist yet.
namespace pycuda::python::gpuarray {

struct Array;

// tracing.cpp implements these.

/// A traced array as the core's; empty for other arrays.
std::optional<pycuda::gpuarray::Array> traced_array(Array* array);
/// Whether it is one. False without a look at it if nothing is traced.
bool is_traced(Array* array) noexcept;
/// A traced array of this class. A new reference. PythonError.
PyObject* new_traced(const pycuda::gpuarray::Array& traced, PyObject* dtype, PyTypeObject* cls);
/// A view of one, with a layout and a dtype that fit together.
PyObject* view_traced(Array* array, const pycuda::gpuarray::Layout& layout, std::int64_t offset, PyObject* dtype);
/// Throws CannotFuse if the object is the gpudata of a traced array.
void refuse_traced_memory(PyObject* gpudata);

/// A number that is an argument of a traced function; empty for other objects.
std::optional<Scalar> traced_number(PyObject* object);

}  // namespace pycuda::python::gpuarray
