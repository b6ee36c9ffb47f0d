#include "buffers.hpp"

#include <cstring>

#include "handle_types.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"

namespace pycuda::python {
namespace {

// The buffer protocol's own messages mention flags; these say what the caller can do.
bool explain(PyObject* object, bool writable) {
    const char* const type = Py_TYPE(object)->tp_name;
    if (!PyObject_CheckBuffer(object)) {
        const bool on_device = PyObject_TypeCheck(object, device_memory_base);
        PyErr_Format(
            PyExc_TypeError, "expected an object with the buffer interface (a NumPy array, bytes, ...), not %s%s", type,
            on_device ? ", which is device memory (the destination of a copy comes first, then its source)" : "");
        return false;
    }
    PyErr_Clear();
    Py_buffer view;
    if (writable && PyObject_GetBuffer(object, &view, PyBUF_ANY_CONTIGUOUS) == 0) {
        PyBuffer_Release(&view);
        PyErr_Format(PyExc_ValueError, "the destination (%s) is read-only", type);
        return false;
    }
    PyErr_Clear();
    if (PyObject_GetBuffer(object, &view, PyBUF_STRIDED_RO) == 0) {
        PyBuffer_Release(&view);
        PyErr_Format(PyExc_ValueError,
                     "the memory of this %s is strided; only C- and Fortran-contiguous memory can be copied "
                     "(numpy.ascontiguousarray makes a contiguous copy)",
                     type);
        return false;
    }
    PyErr_Clear();
    // For other failures the object's own message is best.
    return PyObject_GetBuffer(object, &view, PyBUF_ANY_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) == 0;
}

/// Whether a format of the buffer protocol has elements of the other byte order. Names are between colons.
bool has_other_order(const char* format) noexcept {
    bool in_name = false;
    for (; format && *format; ++format) {
        in_name ^= *format == ':';
        if (!in_name && (*format == '>' || *format == '!')) return true;
    }
    return false;
}

bool take(PyObject* object, Py_buffer& view, bool writable) {
    // Asks the dtype: NumPy would create a format string each time.
    const bool is_numpy = is_numpy_array(object) || is_numpy_scalar(object);
    const int flags = PyBUF_ANY_CONTIGUOUS | (is_numpy ? 0 : PyBUF_FORMAT) | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &view, flags) < 0) {
        explain(object, writable);
        return false;
    }
    // Addresses of Python objects are meaningless to a device, and must not be overwritten.
    const int refused = is_numpy ? holds_objects(object) : view.format && std::strchr(view.format, 'O');
    if (!refused) return true;
    PyBuffer_Release(&view);
    if (refused > 0)
        PyErr_Format(PyExc_TypeError, "the memory of this %s holds Python objects, which a device cannot use",
                     Py_TYPE(object)->tp_name);
    return false;
}

Ref as_index(PyObject* object) {
    Ref index(PyNumber_Index(object));
    if (!index && !PyIndex_Check(object)) PyErr_Format(PyExc_TypeError, "expected an integer, given %R", object);
    return index;
}

}  // namespace

bool take_source(PyObject* object, Py_buffer& view) {
    return take(object, view, false);
}

bool take_value(PyObject* object, Py_buffer& view) {
    if (!take_source(object, view)) return false;
    const bool is_numpy = is_numpy_array(object) || is_numpy_scalar(object);
    const int refused = is_numpy ? has_other_byte_order(object) : has_other_order(view.format);
    if (!refused) return true;
    PyBuffer_Release(&view);
    if (refused > 0)
        PyErr_Format(PyExc_TypeError,
                     "this %s is not in the device's byte order, in which values are passed to kernels; "
                     "convert it, for example with astype(dtype.newbyteorder('='))",
                     Py_TYPE(object)->tp_name);
    return false;
}

bool take_destination(PyObject* object, Py_buffer& view) {
    return take(object, view, true);
}

bool read_signed(PyObject* object, long long minimum, long long maximum, long long& value) {
    const Ref index = as_index(object);
    if (!index) return false;
    int overflow;
    value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (!overflow && value >= minimum && value <= maximum) return true;
    PyErr_Format(PyExc_OverflowError, "expected an integer from %lld to %lld, given %S", minimum, maximum, index.get());
    return false;
}

bool read_unsigned(PyObject* object, unsigned long long maximum, unsigned long long& value) {
    const Ref index = as_index(object);
    if (!index) return false;
    value = PyLong_AsUnsignedLongLong(index.get());
    const bool fits = value != static_cast<unsigned long long>(-1) || !PyErr_Occurred();
    if (fits && value <= maximum) return true;
    if (!fits && !PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
    PyErr_Format(PyExc_OverflowError, "expected an integer from 0 to %llu, given %S", maximum, index.get());
    return false;
}

}  // namespace pycuda::python
