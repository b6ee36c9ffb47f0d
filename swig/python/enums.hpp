#pragma once

#include <Python.h>

namespace pycuda::python {

/// The tables of constants.def as [(class name, flags?, [(name, value, alias?)])], from which pycuda._enums creates
/// classes.
PyObject* enum_tables_as_list(PyObject* module, PyObject*);

/// The module's integer constants, as {name: value}.
PyObject* module_constants_as_dict(PyObject* module, PyObject*);

/// _native.register_enum_classes({name: class}): the classes to which integers from the driver are converted. Kept for
/// the life of the process.
PyObject* register_enum_classes(PyObject* module, PyObject* classes);

/// A member of the class `name`; a plain int if the class has no such value. New reference, null on failure.
PyObject* enum_to_python(const char* name, int value);

/// A constant, given as a member of any constant class, or as an object with __index__. False with TypeError or
/// OverflowError set.
bool enum_from_python(PyObject* object, const char* name, int& value);

}  // namespace pycuda::python
