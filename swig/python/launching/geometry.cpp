#include "launching/geometry.hpp"

#include <cuda.h>

#include <limits>
#include <string>

#include "exceptions.hpp"
#include "lifetime.hpp"
#include "pycuda/error.hpp"

namespace pycuda::python {
namespace {

unsigned read_unsigned(PyObject* value, const char* what) {
    long long number;
    if (PyLong_CheckExact(value)) {
        number = PyLong_AsLongLong(value);
    } else {
        const Ref index(PyNumber_Index(value));
        if (!index) throw PythonError{};
        number = PyLong_AsLongLong(index.get());
    }
    if (number == -1 && PyErr_Occurred()) throw PythonError{};
    if (number < 0 || number > std::numeric_limits<unsigned>::max())
        throw std::invalid_argument(std::string(what) + ": " + std::to_string(number) + " is out of range");
    return static_cast<unsigned>(number);
}

}  // namespace

void read_extents(PyObject* sequence, const char* what, unsigned (&extents)[3]) {
    Ref converted;
    if (!PyTuple_CheckExact(sequence)) {
        converted.reset(PySequence_Tuple(sequence));
        if (!converted) {
            PyErr_Format(PyExc_TypeError, "%s must be a tuple of up to three integers, not %s", what,
                         Py_TYPE(sequence)->tp_name);
            throw PythonError{};
        }
        sequence = converted.get();
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(sequence);
    if (count > 3)
        throw LogicError("Function.__call__", CUDA_ERROR_INVALID_VALUE,
                         std::string(what) + " has " + std::to_string(count) + " dimensions, expected at most 3");
    for (Py_ssize_t i = 0; i < 3; ++i) extents[i] = i < count ? read_unsigned(PyTuple_GET_ITEM(sequence, i), what) : 1;
}

unsigned read_shared_bytes(PyObject* value) {
    return read_unsigned(value, "shared");
}

}  // namespace pycuda::python
