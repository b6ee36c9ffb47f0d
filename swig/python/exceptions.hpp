#pragma once

#include <Python.h>

#include <stdexcept>
#include <type_traits>

namespace pycuda::python {

/// A Python exception is already set. Unwinds to the module's edge, where translate_exception leaves it unchanged.
struct PythonError {};

/// Sets the Python exception for the C++ one in flight: the error family by its classes in pycuda._errors,
/// Interrupted as the exception that a signal handler has set, ArgumentTypeError as TypeError, gpuarray::OutOfBounds as
/// OverflowError, std::invalid_argument as ValueError, std::out_of_range as IndexError, std::bad_alloc as the built-in
/// MemoryError, everything else as the built-in RuntimeError. Call it in a catch (...) block. The forced unwinding of a
/// thread propagates.
void translate_exception();

/// Return the result of `compute`; on failure null or -1, with a Python exception set.
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
