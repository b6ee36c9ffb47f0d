#pragma once

#include <Python.h>
#include <cuda.h>

/// The properties of an array in device memory, other than its address.
namespace pycuda::python {

/// A call's use of the memory at an address.
enum class Access {
    Box,       ///< rows with a pitch from the program, which is responsible for the strides
    BoxWrite,  ///< the same, written
    Read,      ///< all bytes, contiguously
    Write
};

/// ValueError (PythonError) if `object` is a device array that a copy by address would handle wrongly: a strided one if
/// all bytes count, or a read-only one that would be written. No-op for other objects.
void check_device_array(PyObject* object, Access access);

/// ValueError (PythonError) for a __cuda_array_interface__ with a mask, which no call supports.
void refuse_masked(PyObject* interface, PyObject* object);

/// Orders the work that is about to use the memory, on the stream `user`, after the work on the `stream` of its
/// __cuda_array_interface__, if it has one (order_after_producer). Null: any stream may use the memory. PythonError:
/// ValueError for stream 0.
void order_after_interface(PyObject* interface, PyObject* object, const CUstream* user);

}  // namespace pycuda::python
