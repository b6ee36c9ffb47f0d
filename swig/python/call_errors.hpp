#pragma once

#include <Python.h>

/// SWIG's messages for wrong arguments name C++ types; these functions name Python's instead.
namespace pycuda::python {

/// Sets a TypeError for a call that no overload takes. `text` is SWIG's, with the C++ prototypes; `args` are the
/// `count` arguments given, the object of a method among them.
void set_no_overload(const char* text, PyObject* const* args, Py_ssize_t count);

/// Sets `error` with SWIG's `text`; where that is about the C++ type of one argument, with the Python type instead.
/// `given`: the call's arguments, null where they are not known. The object of a method is among them.
void set_call_error(PyObject* error, const char* text, PyObject* const* given = nullptr);

/// Sets a TypeError: an object of the class `wanted` was expected, and `given` is none.
void refuse_argument(const char* wanted, PyObject* given);

}  // namespace pycuda::python
