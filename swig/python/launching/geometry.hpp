#pragma once

#include <Python.h>

#include "pycuda/kernels/function.hpp"

namespace pycuda::python {

/// Reads up to three extents ("grid" or "block") from a sequence of integers; those not given are 1. LogicError for
/// more than three, std::invalid_argument for a negative or huge one.
void read_extents(PyObject* sequence, const char* what, unsigned (&extents)[3]);

/// A number of bytes of dynamic shared memory.
unsigned read_shared_bytes(PyObject* value);

}  // namespace pycuda::python
