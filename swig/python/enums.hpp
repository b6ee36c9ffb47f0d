#pragma once

#include <Python.h>

namespace pycuda::python {

/// The tables of constants.def as [(class name, flags?, [(name, value, alias?)])], for pycuda._enums to make classes
/// of.
PyObject* enum_tables_as_list(PyObject* module, PyObject*);

/// The integers of the module itself, as {name: value}.
PyObject* module_constants_as_dict(PyObject* module, PyObject*);

/// _native.register_enum_classes({name: class}): what integers that come from the driver become. Kept for the life of
/// the process.
PyObject* register_enum_classes(PyObject* module, PyObject* classes);

/// A member of the class `name`; a plain int when the class has none of this value. New reference, null on failure.
PyObject* enum_to_python(const char* name, int value);

/// A constant given as a member of any constant class, or as what has __index__. False with TypeError or OverflowError
/// set.
bool enum_from_python(PyObject* object, const char* name, int& value);

}  // namespace pycuda::python
