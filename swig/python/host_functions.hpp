#pragma once

#include <Python.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"

namespace pycuda {
class Stream;
}

/// Python functions that run in streams. Such a function blocks its stream until it gets the GIL, so no call that may
/// wait for a stream may hold the GIL meanwhile.
namespace pycuda::python {

/// How many are queued or running. Incremented before queueing, so a thread that holds the GIL and reads zero cannot be
/// waiting for one.
inline std::atomic<int> waiting_host_functions{0};

/// `callable`, which is called without arguments, as a function of the core. Its exceptions go to sys.unraisablehook.
/// TypeError, which names `routine`, for an object that cannot be called.
std::function<void()> host_function(PyObject* callable, const char* routine);

/// `callable`, which is called with the first `count` numbers, as a function that the driver calls. Otherwise the same.
std::function<void(std::int64_t, std::int64_t)> driver_function(PyObject* callable, const char* routine, int count);

/// Queue `callable`, which is called without arguments. Its exceptions go to sys.unraisablehook. Releases the GIL.
void add_host_function(const Stream& stream, PyObject* callable);

/// Make a call that may wait for a full stream queue. That is too rare to release the GIL each time. Without a GIL
/// another thread may queue a host function after this one has checked, and the collector waits for every thread that
/// has not released the interpreter.
template <class Call>
void call_that_may_wait(Call&& call) {
    if (has_gil && waiting_host_functions.load(std::memory_order_relaxed) == 0) [[likely]]
        return std::forward<Call>(call)();
    GilRelease released;
    std::forward<Call>(call)();
    released.end();
}

}  // namespace pycuda::python
