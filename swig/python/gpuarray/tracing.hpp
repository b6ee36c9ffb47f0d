#pragma once

#include <Python.h>

#include <vector>

#include "gpuarray/array.hpp"
#include "gpuarray/traced.hpp"
#include "pycuda/gpuarray/fusing/trace.hpp"

/// Arrays and numbers of functions that are traced: GPUArrays whose gpudata stands for elements that do not exist yet.
namespace pycuda::python::gpuarray {

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
