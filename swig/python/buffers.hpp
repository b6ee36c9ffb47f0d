#pragma once

#include <Python.h>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace pycuda::python {

/// Takes the memory of `object`, C- or Fortran-contiguous. False with a Python exception set: TypeError for an object
/// without a buffer, ValueError for strided memory and for a read-only destination. Release with PyBuffer_Release.
bool take_source(PyObject* object, Py_buffer& view);
bool take_destination(PyObject* object, Py_buffer& view);
/// The memory of a value that is passed to a kernel as raw bytes. TypeError also if its byte order is not the device's.
bool take_value(PyObject* object, Py_buffer& view);

/// An unsigned or signed C++ integer from an object with __index__. False with TypeError or OverflowError set.
bool read_signed(PyObject* object, long long minimum, long long maximum, long long& value);
bool read_unsigned(PyObject* object, unsigned long long maximum, unsigned long long& value);

template <class T>
bool integer_from_python(PyObject* object, T& result) {
    if constexpr (std::is_signed_v<T>) {
        long long value;
        if (!read_signed(object, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), value)) return false;
        result = static_cast<T>(value);
    } else {
        unsigned long long value;
        if (!read_unsigned(object, std::numeric_limits<T>::max(), value)) return false;
        result = static_cast<T>(value);
    }
    return true;
}

}  // namespace pycuda::python
