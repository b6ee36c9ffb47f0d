#pragma once

#include <Python.h>

namespace pycuda::python {

/// Adds StreamBase, EventBase, DeviceMemoryBase and FunctionBase (handle_types.hpp) to the native module. Nonzero with
/// a Python exception set on failure.
int add_base_types(PyObject* module);

}  // namespace pycuda::python
