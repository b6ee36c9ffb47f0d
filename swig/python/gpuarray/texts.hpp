#pragma once

#include <Python.h>

namespace pycuda::python::gpuarray {

// Source texts of kernels from user expressions, and their properties. Parameters are C text.

/// elementwise_source(parameters, operation, name, preamble, loop_prep, after_loop, use_range, bounds): the kernel's
/// text.
PyObject* elementwise_source(PyObject* module, PyObject* args);
/// vector_use(parameters, code, preamble): (whether each is a vector used at every index, whether the code uses n).
PyObject* vector_use(PyObject* module, PyObject* args);
/// reduction_source(stage, parameters, out_type, block_size, neutral, reduce_expr, map_expr, name, preamble): its text.
PyObject* reduction_source(PyObject* module, PyObject* args);
/// reduction_geometry(n): (blocks, elements a thread).
PyObject* reduction_geometry(PyObject* module, PyObject* n);
/// random_source(kind): (text, names of the kernels that fill, C type of a state) of generators; `kind` as RandomKind.
PyObject* random_source(PyObject* module, PyObject* kind);
/// random_fill_kernel(kind, distribution, char): which of them fills elements of NumPy's type code; "" when there is
/// none.
PyObject* random_fill_kernel(PyObject* module, PyObject* args);

// cuRAND's host library.

/// curand_version(): as the library gives it.
PyObject* curand_version(PyObject* module, PyObject* none);
/// direction_vectors(bits, count, scrambled), scramble_constants(bits, count): the numbers, as bytes.
PyObject* direction_vectors(PyObject* module, PyObject* args);
PyObject* scramble_constants(PyObject* module, PyObject* args);

}  // namespace pycuda::python::gpuarray
