#pragma once

#include <Python.h>

#include <cstddef>

/// The memory of NumPy's arrays, read from their fields, because each buffer export would copy shape and strides.
namespace pycuda::python {

struct ArrayMemory {
    void* data;
    std::size_t nbytes;
    bool is_page_locked;  ///< memory that this package has allocated so
};

/// The memory of an array of numbers without gaps. False for everything else, and for a read-only array that would be
/// written: the buffer protocol then provides the error message. Runs no Python code, and sets no exception.
bool read_array_memory(PyObject* object, bool is_written, ArrayMemory& memory) noexcept;

/// `page_locked`: the class of objects over page-locked memory, which copies use without waiting.
void set_page_locked_class(PyObject* page_locked) noexcept;

/// Checks the fields on arrays whose memory is known. If they differ from what we expect, no fields are ever read.
/// Nonzero with a Python exception set on failure.
int load_numpy_arrays();

}  // namespace pycuda::python
