#include "host_functions.hpp"

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
template <class Call>
void run(PyObject* callable, Call call) {
    if (!Py_IsInitialized() || is_finalizing()) return;
    try {
        ForeignThread thread;
        if (const Ref result(call()); !result) PyErr_WriteUnraisable(callable);
        drop_returned_references();
        thread.end();
    } catch (...) {
        wait_for_the_end();
    }
}

void require_callable(PyObject* callable, const char* routine, const char* parameters) {
    if (PyCallable_Check(callable)) return;
    PyErr_Format(PyExc_TypeError, "%s: expected a function %s, not %s", routine, parameters,
                 Py_TYPE(callable)->tp_name);
    throw PythonError{};
}

}  // namespace

std::function<void()> host_function(PyObject* callable, const char* routine) {
    require_callable(callable, routine, "without parameters");
    return [callable, kept = keep_alive(callable), waiting = std::make_shared<Waiting>()] {
        run(callable, [&] { return PyObject_CallNoArgs(callable); });
    };
}

std::function<void(std::int64_t, std::int64_t)> driver_function(PyObject* callable, const char* routine, int count) {
    require_callable(callable, routine, count == 1 ? "of a number" : "of two numbers");
    return [callable, count, kept = keep_alive(callable)](std::int64_t first, std::int64_t second) {
        run(callable, [&] {
            return count == 1 ? PyObject_CallFunction(callable, "L", static_cast<long long>(first))
                              : PyObject_CallFunction(callable, "LL", static_cast<long long>(first),
                                                      static_cast<long long>(second));
        });
    };
}

void add_host_function(const Stream& stream, PyObject* callable) {
    auto function = host_function(callable, "add_callback");
    GilRelease released;
    stream.add_host_function(std::move(function));
    released.end();
}

}  // namespace pycuda::python
