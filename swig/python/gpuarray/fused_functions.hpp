#pragma once

#include <Python.h>

/// Functions that fuse() made: for arguments of types and layouts that they were traced with, a call queues their
/// kernels without running Python code.
namespace pycuda::python::gpuarray {

/// Adds the type FusedFunction to the native module. Nonzero with a Python exception set on failure.
int add_fused_functions(PyObject* module);

}  // namespace pycuda::python::gpuarray
