#include "lifetime.hpp"

#include <unistd.h>

#include <mutex>
#include <vector>

namespace pycuda::python {
namespace {

struct ReturnedReferences {
    std::mutex mutex;
    std::vector<PyObject*> objects;
};

// Leaked: driver threads may give references back until the process is gone.
ReturnedReferences& returned() {
    static auto* const instance = new ReturnedReferences;
    return *instance;
}

int drop_as_pending_call(void*) {
    drop_returned_references();
    return 0;
}

// A full queue of pending calls is no loss: the call that filled it empties the whole list.
void give_back(void* object) noexcept {
    if (!Py_IsInitialized() || is_finalizing()) return;
    try {
        const std::lock_guard lock(returned().mutex);
        returned().objects.push_back(static_cast<PyObject*>(object));
    } catch (const std::exception&) {
        return;  // no memory for the list: the object stays alive
    }
    Py_AddPendingCall(drop_as_pending_call, nullptr);
}

}  // namespace

bool is_finalizing() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

void GilRelease::end() noexcept {
    if (!state_) return;
    PyThreadState* const state = state_;
    state_ = nullptr;
    if (is_finalizing())
        for (;;) pause();
    try {
        PyEval_RestoreThread(state);
    } catch (...) {  // the unwinding of pthread_exit; leaving the handler would end it in an abort
        for (;;) pause();
    }
}

std::shared_ptr<void> keep_alive(PyObject* object) {
    Py_INCREF(object);
    return {object, give_back};
}

void drop_returned_references() noexcept {
    std::vector<PyObject*> objects;
    {
        const std::lock_guard lock(returned().mutex);
        objects.swap(returned().objects);
    }
    for (PyObject* object : objects) Py_DECREF(object);
}

void collect_garbage() noexcept {
    if (!Py_IsInitialized() || is_finalizing()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    drop_returned_references();
    // Not PyGC_Collect: that does nothing while automatic collection is switched off.
    {
        const Ref gc(PyImport_ImportModule("gc"));
        const Ref collected(gc ? PyObject_CallMethod(gc.get(), "collect", nullptr) : nullptr);
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
}

}  // namespace pycuda::python
