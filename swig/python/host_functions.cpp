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

/// While the interpreter finalises, a driver thread that requests the GIL, here or within the function, waits for the
/// end of the process. Python would unwind the thread, and C++ handlers that end such an unwinding abort the process.
void run(PyObject* callable) {
    if (!Py_IsInitialized() || is_finalizing()) return;
    try {
        ForeignThread thread;
        if (const Ref result(PyObject_CallNoArgs(callable)); !result) PyErr_WriteUnraisable(callable);
        drop_returned_references();
        thread.end();
    } catch (...) {
        for (;;) pause();
    }
}

}  // namespace

std::function<void()> host_function(PyObject* callable, const char* routine) {
    if (!PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a function without parameters, not %s", routine,
                     Py_TYPE(callable)->tp_name);
        throw PythonError{};
    }
    return [callable, kept = keep_alive(callable), waiting = std::make_shared<Waiting>()] { run(callable); };
}

void add_host_function(const Stream& stream, PyObject* callable) {
    auto function = host_function(callable, "add_callback");
    GilRelease released;
    stream.add_host_function(std::move(function));
    released.end();
}

}  // namespace pycuda::python
