#pragma once

#include <Python.h>

#include <memory>
#include <utility>
#include <vector>

#include "pycuda/observing/places.hpp"
#include "pycuda/threads/held_ends.hpp"

/// Code that depends on the interpreter's lifetime: the GIL, and references that other threads return.
namespace pycuda::python {

/// Called once: from then on children are forked at moments at which they can use the interpreter and this module.
void follow_forks() noexcept;

/// The GIL on a thread of the driver, which Python may not know. Without a destructor: a thread that Python unwinds
/// while the interpreter finalises must not end it.
class ForeignThread {
public:
    ForeignThread();
    void end() noexcept;

private:
    PyGILState_STATE state_{};
    PyThreadState* made_ = nullptr;  ///< null: PyGILState_Ensure has the state
};

/// True once the interpreter starts to end; then only the ending thread may use Python.
bool is_finalizing() noexcept;
/// For threads that may not use Python any more: until the process ends.
[[noreturn]] void wait_for_the_end() noexcept;

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

/// What a call needs until the driver has taken its addresses: references, and what code of the program, which the call
/// runs meanwhile, frees. Made before the first address is read.
class Owners {
public:
    void push_back(Ref object) { references_.push_back(std::move(object)); }
    void reserve(std::size_t count) { references_.reserve(count); }
    bool empty() const noexcept { return references_.empty(); }
    std::vector<Ref> take() noexcept { return std::move(references_); }

private:
    HeldEnds freed_;
    std::vector<Ref> references_;
};

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
