#pragma once

#include <Python.h>

#include "lifetime.hpp"

/// The base type of pycuda.driver.ArgumentHandler: most programs make such objects for each launch and drop them, so
/// their two attributes are C fields, and their __init__ is C.
namespace pycuda::python {

struct HandlerFields {
    Ref array;   ///< the host array; null until __init__ ran
    Ref memory;  ///< `dev_alloc`: device memory, or None
};

/// What an instance holds now.
HandlerFields fields_of_handler(PyObject* handler) noexcept;
/// Sets `dev_alloc`.
void set_memory_of_handler(PyObject* handler, PyObject* memory) noexcept;

/// Adds ArgumentHandlerBase to the native module. Nonzero with a Python exception set on failure.
int add_handler_type(PyObject* module);

}  // namespace pycuda::python
