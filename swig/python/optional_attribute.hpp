#pragma once

#include <Python.h>

#include "exceptions.hpp"
#include "lifetime.hpp"

namespace pycuda::python {

/// An attribute that may be missing (null), without the cost of an AttributeError. PythonError for other failures.
inline Ref optional_attribute(PyObject* object, PyObject* name) {
    PyObject* value = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
    const int found = PyObject_GetOptionalAttr(object, name, &value);
#else
    const int found = _PyObject_LookupAttr(object, name, &value);
#endif
    if (found < 0) throw PythonError{};
    return Ref(value);
}

}  // namespace pycuda::python
