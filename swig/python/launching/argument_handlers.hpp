#pragma once

#include <Python.h>

#include <memory>
#include <vector>

#include "calls/numpy_arrays.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pycuda/pools/memory_pool.hpp"

/// The work of In, Out and InOut around a launch, and the order in which code of other ArgumentHandlers runs.
namespace pycuda::python {

/// The memory of a Python object, exported while this object lives, or until the export is transferred. An array over
/// page-locked memory of this package is only referenced: it does not own the memory, so it cannot resize it.
class HostView {
public:
    HostView() = default;
    HostView(PyObject* array, bool writable) { take(array, writable); }
    ~HostView() {
        if (view_.obj) PyBuffer_Release(&view_);
    }
    HostView(const HostView&) = delete;
    HostView& operator=(const HostView&) = delete;
    void take(PyObject* array, bool writable);
    void* data() const noexcept { return memory_.data; }
    std::size_t size() const noexcept { return memory_.nbytes; }
    /// The array over page-locked memory; null for other memory, which the driver may know as page-locked, too.
    PyObject* page_locked_array() const noexcept { return page_locked_array_.get(); }
    /// Transfer the export to an owner that keeps it longer. Null the second time.
    std::shared_ptr<void> keep() { return view_.obj ? keep_alive(view_) : nullptr; }

private:
    ArrayMemory memory_{};
    Ref page_locked_array_;
    Py_buffer view_{};
};

/// Copies of host memory: synchronous without a stream, else in stream order. Releases the GIL while copying, unless
/// the memory is known to be page-locked: then the copy is only queued.
class HostCopies {
public:
    explicit HostCopies(const Stream* stream) : stream_(stream) {}
    ~HostCopies();
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;
    void copy_in(DevicePtr dest, HostView& source);
    void copy_out(HostView& dest, DevicePtr source);
    /// Lets the stream keep the memory that its copies still use. The destructor does the same, and ignores failures.
    void hand_over();

private:
    const Stream* stream_;
    std::vector<Ref> page_locked_;
    std::vector<std::shared_ptr<void>> kept_;
};

/// The arguments of one launch, some of which are ArgumentHandlers.
class HandledArguments {
public:
    /// `stream`: the stream object of the call, which is passed to hooks, or None.
    HandledArguments(PyObject* const* args, Py_ssize_t count, PyObject* stream);
    /// Allocates device memory for the handlers that need some, from the pool of `context`, the kernel's; then runs
    /// their copies and hooks in turn.
    void before_launch(const std::shared_ptr<Context>& context);
    bool is_handler(Py_ssize_t position) const noexcept { return handled_[position].is_handler; }
    /// The address for a handler.
    DevicePtr pointer(Py_ssize_t position) const noexcept { return handled_[position].pointer; }
    void after_launch();
    /// True if the program's own code runs after the launch and may read memory that the kernel writes. The copies of
    /// In, Out and InOut wait where necessary.
    bool want_work_done() const noexcept;

private:
    struct Handled {
        bool is_handler = false;
        unsigned directions = 0;  ///< of an In, Out or InOut; 0: a class of the program's
        HostView view;
        DevicePtr pointer = 0;
    };
    void allocate(PyObject* handler, Handled& handled, const std::shared_ptr<Context>& context, CUstream stream);
    void call_hook(PyObject* handler, PyObject* name) const;

    PyObject* const* const args_;
    const Py_ssize_t count_;
    PyObject* const stream_object_;
    GivenStream stream_;
    std::shared_ptr<MemoryPool> pool_;  ///< the context's pool, once it is needed
    std::unique_ptr<Handled[]> handled_;
    Owners owners_;
    HostCopies copies_;  ///< the last member, so that it is destroyed while the views still exist
};

/// True for an instance of pycuda.driver.ArgumentHandler (In, Out, InOut, ...).
bool is_argument_handler(PyObject* object) noexcept;

/// True if a handler can reuse its memory: it is alive, large enough, and belongs to this context. Objects that only
/// the program knows are assumed to fit; None never does.
bool can_hold(PyObject* memory, std::size_t nbytes, const std::shared_ptr<Context>& context);

/// Implement the methods of In and Out: copy between an object with a buffer and device memory.
void copy_in(PyObject* dest, PyObject* array, PyObject* stream);
void copy_out(PyObject* array, PyObject* source, PyObject* stream);

/// _native.register_argument_handlers((ArgumentHandler, In, Out, InOut)): makes these classes known, for the life of
/// the process.
PyObject* register_argument_handlers(PyObject* module, PyObject* classes);

/// Nonzero with a Python exception set on failure.
int load_argument_handlers();

}  // namespace pycuda::python
