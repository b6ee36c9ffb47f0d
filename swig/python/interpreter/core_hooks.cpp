#include "interpreter/core_hooks.hpp"

#include <Python.h>

#include <mutex>
#include <set>
#include <string>

#include "host_functions.hpp"
#include "interpreter/program_places.hpp"
#include "lifetime.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/threads/interruption.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda::python {
namespace {

/// Collects garbage that may hold device memory.
void collect_garbage() {
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

void* release_lock() noexcept {
    return attached_state() ? release_gil() : nullptr;
}

void reacquire_lock(void* state) noexcept {
    GilRelease(static_cast<PyThreadState*>(state)).end();
}

/// A function that waits for the GIL while the interpreter finalises never gets it.
bool is_lock_lost() noexcept {
    return is_finalizing() && waiting_host_functions.load() != 0;
}

/// The class of the exception that is set, as text that is never freed.
const char* name_of_exception() {
    static auto* const names = new std::set<std::string>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    return names->insert(reinterpret_cast<PyTypeObject*>(PyErr_Occurred())->tp_name).first->c_str();
}

/// Runs signal handlers. Their exception stays set, for translate_exception.
const char* check_signals() noexcept {
    if (!Py_IsInitialized() || is_finalizing()) return nullptr;
    const PyGILState_STATE state = PyGILState_Ensure();
    const char* const why = PyErr_CheckSignals() < 0 ? name_of_exception() : nullptr;
    PyGILState_Release(state);
    return why;
}

}  // namespace

void connect_to_core() noexcept {
    follow_forks();
    set_out_of_memory_hook(collect_garbage);
    set_language_lock({release_lock, reacquire_lock, is_lock_lost});
    set_interrupt_check(check_signals);
    set_place_source(place_of_program);
}

}  // namespace pycuda::python
