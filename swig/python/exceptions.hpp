#pragma once

#include <Python.h>

#include <stdexcept>

namespace pycuda::python {

/// A Python exception is set already; unwinds to the edge of the module, where translate_exception leaves it as it is.
struct PythonError {};

/// Sets the Python exception for the C++ one in flight: the error family by its classes in pycuda._errors,
/// ArgumentTypeError as TypeError, std::invalid_argument as ValueError, std::out_of_range as IndexError, std::bad_alloc
/// as the built-in MemoryError, everything else as the built-in RuntimeError. Call from a catch (...) block. The
/// unwinding of a thread that is ended flies on.
void translate_exception();

/// Fetches the classes. Nonzero with a Python exception set on failure.
int load_exceptions();

}  // namespace pycuda::python
