#pragma once

#include <Python.h>

/// Python's functions for the stream of this thread's array operations.
namespace pycuda::python {

/// _native.begin_stream_use(stream), _native.follow_stream_in_use(stream), _native.end_stream_use(stream)
PyObject* begin_stream_use(PyObject* module, PyObject* stream);
PyObject* follow_stream_in_use(PyObject* module, PyObject* stream);
PyObject* end_stream_use(PyObject* module, PyObject* stream);
/// _native.stream_of_operation(stream): `stream`, or for None the one that is in use in the current context, if any.
PyObject* stream_of_operation_object(PyObject* module, PyObject* stream);

/// _native.is_any_capture_open()
PyObject* is_any_capture_open(PyObject* module, PyObject*);

}  // namespace pycuda::python
