#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

/// What pycuda's own modules call: array_type, array_apply, array_fill_bytes, splay.
extern PyMethodDef array_functions[];

}  // namespace pycuda::python::gpuarray
