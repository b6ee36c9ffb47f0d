#pragma once

#include <Python.h>

#include <memory>
#include <vector>

#include "pycuda/observing/places.hpp"

/// Code that depends on the interpreter's lifetime: the GIL, and references that other threads return.
namespace pycuda::python {

/// True once the interpreter starts to end; then only the ending thread may use Python.
bool is_finalizing() noexcept;

/// The state of the calling thread, if it has the GIL; else null, also while the interpreter is finalising. Not
/// PyGILState_Check, which is true in every thread once there was a subinterpreter.
PyThreadState* attached_state() noexcept;

/// Release the GIL. If places are recorded, first record the program's place.
PyThreadState* release_gil() noexcept;

/// Release the GIL for a scope. A thread that returns while the interpreter is finalising waits for the end of the
/// process instead, as in Python 3.14: older versions unwind such threads, which aborts in C++.
class GilRelease {
public:
    GilRelease() noexcept : state_(is_finalizing() ? nullptr : release_gil()) {}
    /// For a GIL that has been released already.
    explicit GilRelease(PyThreadState* state) noexcept : state_(state) {}
    ~GilRelease() { end(); }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;
    void end() noexcept;

private:
    PyThreadState* state_;
};

/// An owned reference.
struct Decref {
    void operator()(PyObject* object) const noexcept { Py_XDECREF(object); }
};
using Ref = std::unique_ptr<PyObject, Decref>;
inline Ref borrow(PyObject* object) noexcept {
    Py_XINCREF(object);
    return Ref(object);
}

/// References that a call needs until it ends.
using Owners = std::vector<Ref>;

/// A reference that any thread may drop, even one that must not wait for the GIL (a driver callback): the object is
/// added to a list. The main thread empties the list, and so does this function, so that a loop on another thread does
/// not let it grow.
std::shared_ptr<void> keep_alive(PyObject* object);
/// The same for a buffer: takes over the export and ends it then.
std::shared_ptr<void> keep_alive(Py_buffer& view);

/// Drops a reference: at once if this thread holds the GIL, otherwise through that list. No-op once the interpreter
/// finalises.
void drop_from_any_thread(PyObject* object) noexcept;

/// Drops the objects in that list. Needs the GIL.
void drop_returned_references() noexcept;

}  // namespace pycuda::python
