#pragma once

#include <Python.h>

namespace pycuda::python {

/// Sets TypeError: an object of the class `wanted`, such as "Array", was expected, and `given` is something else.
void refuse_argument(const char* wanted, PyObject* given);

/// Says for people what SWIG says of an argument: "in method 'memcpy_htoa', argument 1 of type 'pycuda::Array const
/// &'". `given` are the function's arguments. False for a text of another form; nothing is set then.
bool explain_argument_error(const char* text, PyObject* const* given);

}  // namespace pycuda::python
