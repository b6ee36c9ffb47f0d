#pragma once

#include <Python.h>

/// SWIG's messages for wrong arguments name C++ types; these functions name Python's instead.
namespace pycuda::python {

/// Sets a TypeError for a call that matches no overload. `text` is SWIG's, with the C++ prototypes; `args` are the
/// `count` arguments, including the object of a method.
void set_no_overload(const char* text, PyObject* const* args, Py_ssize_t count);

/// Sets `error` with SWIG's `text`; if that names the C++ type of an argument, with the Python type instead. `given`:
/// the call's arguments, including the object of a method; null if they are unknown.
void set_call_error(PyObject* error, const char* text, PyObject* const* given = nullptr);

/// Sets a TypeError: an object of the class `wanted` was expected, but `given` is of another class.
void refuse_argument(const char* wanted, PyObject* given);

}  // namespace pycuda::python
