#pragma once

#include <Python.h>

#include <stdexcept>
#include <type_traits>

namespace pycuda::python {

/// A Python exception is set already; unwinds to the edge of the module, where translate_exception leaves it as it is.
struct PythonError {};

/// Sets the Python exception for the C++ one in flight: the error family by its classes in pycuda._errors,
/// Interrupted as what a signal handler has set, ArgumentTypeError as TypeError, std::invalid_argument as ValueError,
/// std::out_of_range as IndexError, std::bad_alloc as the built-in MemoryError, everything else as the built-in
/// RuntimeError. Call from a catch (...) block. The unwinding of a thread that is ended flies on.
void translate_exception();

/// Return the result of `compute`; with a Python exception set, null or -1.
template <class Compute>
auto guarded(const Compute& compute) -> decltype(compute()) {
    try {
        return compute();
    } catch (...) {
        translate_exception();
    }
    if constexpr (std::is_pointer_v<decltype(compute())>)
        return nullptr;
    else
        return -1;
}

/// Fetches the classes. Nonzero with a Python exception set on failure.
int load_exceptions();

}  // namespace pycuda::python
