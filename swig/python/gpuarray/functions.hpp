#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// Functions for pycuda's own modules, such as array_type, array_operate and splay.
extern PyMethodDef array_functions[];

}  // namespace pycuda::python::gpuarray
