#include "launching/geometry.hpp"

#include <cuda.h>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#endif

#include <limits>
#include <string>

#include "exceptions.hpp"
#include "lifetime.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::python {
namespace {

/// Fast path: most extents are small ints, read in place.
inline bool read_small(PyObject* value, unsigned& number) noexcept {
    if (!PyLong_CheckExact(value)) return false;
#if PY_VERSION_HEX >= 0x030C0000
    const auto* const integer = reinterpret_cast<PyLongObject*>(value);
    if (!PyUnstable_Long_IsCompact(integer)) return false;
    const Py_ssize_t compact = PyUnstable_Long_CompactValue(integer);
    number = static_cast<unsigned>(compact);
    return compact >= 0;
#else
    const Py_ssize_t digits = Py_SIZE(value);  // negative for a negative number
    number = digits ? reinterpret_cast<PyLongObject*>(value)->ob_digit[0] : 0;
    return digits == 0 || digits == 1;
#endif
}

/// Raises `type`: "grid=(0.78, 1): expected …".
[[noreturn]] void refuse(PyObject* type, const char* what, PyObject* given, const char* expected, PyObject* value) {
    PyErr_Format(type, "%s=%R: expected %s, given %R", what, given, expected, value);
    throw PythonError{};
}

/// A number of the argument `what`, for which `given` was given.
unsigned read_unsigned(PyObject* value, const char* what, PyObject* given) {
    const bool is_alone = value == given;
    const Ref index(PyNumber_Index(value));
    if (!index && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError{};
    if (!index) {
        PyErr_Clear();
        if (is_alone) refuse(PyExc_TypeError, what, given, "an integer", value);
        refuse(PyExc_TypeError, what, given,
               PyFloat_Check(value) ? "integers (divide with //, or round up with math.ceil())" : "integers", value);
    }
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow || number < 0 || number > std::numeric_limits<unsigned>::max())
        refuse(PyExc_ValueError, what, given,
               is_alone ? "an integer from 0 to 2**32 - 1" : "integers from 0 to 2**32 - 1", value);
    return static_cast<unsigned>(number);
}

/// A tuple of small ints; false for everything else.
inline bool read_small(PyObject* sequence, unsigned (&extents)[3]) noexcept {
    if (!PyTuple_CheckExact(sequence)) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(sequence);
    extents[0] = extents[1] = extents[2] = 1;
    if (count > 3) return false;
    for (Py_ssize_t i = 0; i < count; ++i)
        if (!read_small(PyTuple_GET_ITEM(sequence, i), extents[i])) return false;
    return true;
}

[[gnu::noinline]] void read_any(PyObject* sequence, const char* what, unsigned (&extents)[3]) {
    Ref converted;
    if (!PyTuple_CheckExact(sequence)) {
        converted.reset(PySequence_Tuple(sequence));
        if (!converted) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError{};
            PyErr_Format(PyExc_TypeError, "%s=%R: expected a tuple of up to three integers, such as %s=(256, 1, 1)",
                         what, sequence, what);
            throw PythonError{};
        }
        sequence = converted.get();
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(sequence);
    if (count > 3)
        throw LogicError("Function.__call__", CUDA_ERROR_INVALID_VALUE,
                         std::string(what) + " has " + std::to_string(count) + " dimensions, expected at most 3");
    for (Py_ssize_t i = 0; i < 3; ++i)
        extents[i] = i < count ? read_unsigned(PyTuple_GET_ITEM(sequence, i), what, sequence) : 1;
}

}  // namespace

void read_extents(PyObject* sequence, const char* what, unsigned (&extents)[3]) {
    if (!read_small(sequence, extents)) [[unlikely]]
        read_any(sequence, what, extents);
}

unsigned read_shared_bytes(PyObject* value) {
    return read_unsigned(value, "shared", value);
}

}  // namespace pycuda::python
