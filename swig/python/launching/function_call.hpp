#pragma once

#include <Python.h>

namespace pycuda::python {

struct PreparedCall;

/// Function.__call__(*args, block, grid=(1, 1), stream=None, shared=0, texrefs=[], time_kernel=False).
PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* kwnames);

/// Methods of Function's base type: prepare, prepared_call, prepared_async_call, and those behind the deprecated calls.
extern PyMethodDef function_methods[];

/// _native.enable_vectorcall(cls): lets instances of a Python class over the base type be called without building a
/// tuple. Python 3.12 and newer inherit that; older ones need this call. The class must not define __call__.
PyObject* enable_vectorcall(PyObject* module, PyObject* cls);

/// Drops a reference to the result of prepare; null is allowed.
void drop_prepared(PreparedCall* prepared) noexcept;

/// Nonzero with a Python exception set on failure.
int load_function_call();

}  // namespace pycuda::python
