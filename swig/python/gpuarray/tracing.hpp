#pragma once

#include <Python.h>

#include <optional>
#include <vector>

#include "gpuarray/array.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/fusing/trace.hpp"

/// Arrays and numbers of functions that are traced: GPUArrays whose gpudata stands for elements that do not exist yet.
namespace pycuda::python::gpuarray {

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

/// Adds the types to the native module. Nonzero with a Python exception set on failure.
int add_tracing(PyObject* module);

// Of the native module's type Trace, which fuse() in Python uses:

/// A trace, and the Python objects that it began with.
struct TraceObject {
    PyObject_HEAD pycuda::gpuarray::Trace* trace;  ///< owned
    PyObject* arguments;                           ///< tuple
    std::vector<Scalar>* numbers;                  ///< by the number of the argument; owned
};
extern PyTypeObject* trace_type;

}  // namespace pycuda::python::gpuarray
