#include "graphs/stream_use.hpp"

#include <vector>

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::python {
namespace {

/// The objects of this thread's streams in use. Leaked at a thread's end, because Python must not be used then.
constinit thread_local std::vector<PyObject*>* in_use = nullptr;

}  // namespace

PyObject* begin_stream_use(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        if (!PyObject_TypeCheck(stream, stream_base)) {
            PyErr_Format(PyExc_TypeError, "expected a Stream, not %s", Py_TYPE(stream)->tp_name);
            return nullptr;
        }
        if (!in_use) in_use = new std::vector<PyObject*>;
        in_use->reserve(in_use->size() + 1);
        pycuda::gpuarray::begin_stream_use(stream_of(stream));
        in_use->push_back(borrow(stream).release());
        Py_RETURN_NONE;
    });
}

PyObject* follow_stream_in_use(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        pycuda::gpuarray::follow_stream_in_use(stream_of(stream));
        Py_RETURN_NONE;
    });
}

PyObject* end_stream_use(PyObject*, PyObject*) {
    return guarded([&]() -> PyObject* {
        pycuda::gpuarray::end_stream_use();
        Ref stream(in_use->back());
        in_use->pop_back();
        stream.reset();
        Py_RETURN_NONE;
    });
}

PyObject* stream_of_operation_object(PyObject*, PyObject* stream) {
    return guarded([&]() -> PyObject* {
        if (stream != Py_None || !in_use || in_use->empty()) return borrow(stream).release();
        const CUstream current = pycuda::gpuarray::stream_in_use();
        for (auto known = in_use->rbegin(); current && known != in_use->rend(); ++known)
            if (stream_of(*known).handle() == current) return borrow(*known).release();
        Py_RETURN_NONE;
    });
}

PyObject* is_any_capture_open(PyObject*, PyObject*) {
    return PyBool_FromLong(pycuda::any_capture_is_open());
}

}  // namespace pycuda::python
