#include "graphs/stream_use.hpp"

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::python {
PyObject* begin_stream_use(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        if (!PyObject_TypeCheck(stream, stream_base)) {
            PyErr_Format(PyExc_TypeError, "expected a Stream, not %s", Py_TYPE(stream)->tp_name);
            return nullptr;
        }
        const Stream& used = stream_of(stream);
        pycuda::gpuarray::begin_stream_use(
            used, {borrow(stream).release(), [](void* kept) { drop_from_any_thread(static_cast<PyObject*>(kept)); }});
        Py_RETURN_NONE;
    });
}

PyObject* follow_stream_in_use(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        pycuda::gpuarray::follow_stream_in_use(stream_of(stream));
        Py_RETURN_NONE;
    });
}

PyObject* end_stream_use(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        pycuda::gpuarray::end_stream_use(stream);
        Py_RETURN_NONE;
    });
}

PyObject* stream_of_operation_object(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        if (stream != Py_None) return borrow(stream).release();
        const auto used = pycuda::gpuarray::owner_of_stream_in_use();
        return borrow(used ? static_cast<PyObject*>(used.get()) : Py_None).release();
    });
}

PyObject* is_any_capture_open(PyObject*, PyObject*) {
    return PyBool_FromLong(pycuda::any_capture_is_open());
}

}  // namespace pycuda::python
