#include "host_functions.hpp"

#include <unistd.h>

#include <memory>

#include "exceptions.hpp"

namespace pycuda::python {
namespace {

struct Waiting {
    Waiting() noexcept { ++waiting_host_functions; }
    ~Waiting() { --waiting_host_functions; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
};

/// At the interpreter's end a thread of the driver's that asks for the lock, here or within the function, is not
/// unwound, as Python would have it, but waits for the process's end: leaving a handler of that unwinding ends the
/// process.
void run(PyObject* callable) {
    if (!Py_IsInitialized() || is_finalizing()) return;
    try {
        const PyGILState_STATE state = PyGILState_Ensure();
        if (const Ref result(PyObject_CallNoArgs(callable)); !result) PyErr_WriteUnraisable(callable);
        drop_returned_references();
        PyGILState_Release(state);
    } catch (...) {
        for (;;) pause();
    }
}

}  // namespace

void add_host_function(const Stream& stream, PyObject* callable) {
    if (!PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "add_callback: expected a function without parameters, not %s",
                     Py_TYPE(callable)->tp_name);
        throw PythonError{};
    }
    auto waiting = std::make_shared<Waiting>();
    auto kept = keep_alive(callable);
    GilRelease released;
    stream.add_host_function([callable, kept = std::move(kept), waiting = std::move(waiting)] { run(callable); });
    released.end();
}

}  // namespace pycuda::python
