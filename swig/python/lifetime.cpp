#include "lifetime.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "interpreter/program_places.hpp"
#include "pycuda/platform/forks.hpp"

#if PY_VERSION_HEX < 0x030C0000
/// Exported by CPython, but not declared in its public headers.
extern "C" PyAPI_FUNC(int) _PyEval_AddPendingCall(PyInterpreterState*, int (*)(void*), void*);
#endif

namespace pycuda::python {
namespace {

struct Returned {
    PyObject* object;
    Py_buffer* view;
};

struct ReturnedReferences {
    std::mutex mutex;
    std::vector<Returned> objects;
    std::atomic<bool> any{false};
};

// Leaked: driver threads may return references until the process ends. A forked child has its own, because such a
// thread may have been using them.
std::atomic<ReturnedReferences*> all_returned{new ReturnedReferences};

/// Held while a thread without the GIL creates its thread state. A child that is forked meanwhile would hang in
/// os.fork() before CPython 3.12, which waits there for a lock of the thread that created it. PyGILState_Ensure creates
/// states too, but then waits for the GIL, which the forking thread has.
std::mutex states_are_made;

ReturnedReferences& returned() {
    return *all_returned.load(std::memory_order_relaxed);
}

int drop_as_pending_call(void*) {
    drop_returned_references();
    return 0;
}

/// Have the main thread drop them soon. A full queue of pending calls is harmless: a call that is already queued
/// empties the whole list.
void ask_to_drop() noexcept {
#if PY_VERSION_HEX < 0x030C0000
    // Py_AddPendingCall reads the state of the thread that has the GIL, which may end, and be freed, meanwhile.
    _PyEval_AddPendingCall(PyInterpreterState_Main(), drop_as_pending_call, nullptr);
#else
    Py_AddPendingCall(drop_as_pending_call, nullptr);
#endif
}

void give_back(const Returned& reference) noexcept {
    if (!Py_IsInitialized() || is_finalizing()) return;
    try {
        const std::lock_guard lock(returned().mutex);
        returned().objects.push_back(reference);
        returned().any = true;
    } catch (const std::exception&) {
        return;  // no memory for the list: the object stays alive
    }
    ask_to_drop();
}

}  // namespace

void follow_forks() noexcept {
    const auto before = [] { states_are_made.lock(); };
    const auto after = [] { states_are_made.unlock(); };
    const auto in_child = [] {
        states_are_made.unlock();
        all_returned = new ReturnedReferences;
    };
    call_around_forks(before, after, in_child);
}

ForeignThread::ForeignThread() {
#if PY_VERSION_HEX < 0x030C0000
    if (!PyGILState_GetThisThreadState()) {
        {
            const std::lock_guard lock(states_are_made);
            made_ = PyThreadState_New(PyInterpreterState_Main());
        }
        PyEval_RestoreThread(made_);
        return;
    }
#endif
    state_ = PyGILState_Ensure();
}

void ForeignThread::end() noexcept {
    if (!made_) return PyGILState_Release(state_);
    PyThreadState_Clear(made_);
    PyThreadState_DeleteCurrent();
}

bool is_finalizing() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

void wait_for_the_end() noexcept {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

PyThreadState* attached_state() noexcept {
    if (!Py_IsInitialized() || is_finalizing()) return nullptr;
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    PyThreadState* const state = PyGILState_GetThisThreadState();
    return state == _PyThreadState_UncheckedGet() ? state : nullptr;
#endif
}

PyThreadState* release_gil() noexcept {
    if (places_are_recorded.load(std::memory_order_relaxed)) [[unlikely]]
        note_place_of_release();
    return PyEval_SaveThread();
}

void GilRelease::end() noexcept {
    if (!state_) return;
    PyThreadState* const state = state_;
    state_ = nullptr;
    if (places_were_noted.load(std::memory_order_relaxed)) [[unlikely]]
        forget_place_of_release();
    if (is_finalizing()) wait_for_the_end();
    try {
        PyEval_RestoreThread(state);
    } catch (...) {  // the unwinding by pthread_exit; leaving the handler would abort the process
        wait_for_the_end();
    }
}

std::shared_ptr<void> keep_alive(PyObject* object) {
    drop_returned_references();
    Py_INCREF(object);
    return {object, [](void* kept) { give_back({static_cast<PyObject*>(kept), nullptr}); }};
}

std::shared_ptr<void> keep_alive(Py_buffer& view) {
    drop_returned_references();
    auto taken = std::make_unique<Py_buffer>(view);
    view.obj = nullptr;
    return {taken.release(), [](void* kept) { give_back({nullptr, static_cast<Py_buffer*>(kept)}); }};
}

void drop_from_any_thread(PyObject* object) noexcept {
    if (attached_state())
        Py_DECREF(object);
    else
        give_back({object, nullptr});
}

void drop_returned_references() noexcept {
    if (!returned().any.load(std::memory_order_relaxed)) return;
    std::vector<Returned> objects;
    {
        const std::lock_guard lock(returned().mutex);
        objects.swap(returned().objects);
        returned().any = false;
    }
    for (const auto& [object, view] : objects) {
        Py_XDECREF(object);
        if (view) PyBuffer_Release(view);
        delete view;
    }
}

}  // namespace pycuda::python
