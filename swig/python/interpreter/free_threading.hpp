#pragma once

#include <Python.h>

#include <atomic>
#include <memory>

#include "pycuda/threads/per_thread.hpp"

/// Replacements for the GIL in interpreters without one (PEP 703): locks of objects, fields and counts that several
/// threads use, tables for each thread. With a GIL, all of it is plain data and costs nothing.
namespace pycuda::python {

#ifdef Py_GIL_DISABLED

inline constexpr bool has_gil = false;

/// Holds the lock of an object for a scope, in which several of its fields are read, or a reference is taken from a
/// field that may change. Like the GIL, it is released while this thread waits, or runs Python code that does: values
/// that were read before must then be read again.
class ObjectLock {
public:
    explicit ObjectLock(void* object) noexcept { PyCriticalSection_Begin(&section_, static_cast<PyObject*>(object)); }
    ~ObjectLock() { PyCriticalSection_End(&section_); }
    ObjectLock(const ObjectLock&) = delete;
    ObjectLock& operator=(const ObjectLock&) = delete;

private:
    PyCriticalSection section_;
};

/// A field that one thread may read while another sets it. The object that it points to is protected by other means.
template <class T>
class SharedField {
public:
    SharedField() = default;
    SharedField(const SharedField& other) noexcept : value_(T(other)) {}
    SharedField& operator=(const SharedField& other) noexcept { return *this = T(other); }
    SharedField& operator=(T value) noexcept {
        value_.store(value, std::memory_order_release);
        return *this;
    }
    operator T() const noexcept { return value_.load(std::memory_order_acquire); }
    T operator->() const noexcept { return *this; }

private:
    std::atomic<T> value_;
};

/// Every new object adds a reference to its class, so threads that create objects would contend for that count. A class
/// that lives as long as the interpreter need not be counted. CPython 3.15 has PyUnstable_SetImmortal for this.
inline void make_immortal(PyTypeObject* type) noexcept {
    PyObject_GC_UnTrack(type);
    auto* const object = reinterpret_cast<PyObject*>(type);
    object->ob_tid = _Py_UNOWNED_TID;
    object->ob_ref_local = _Py_IMMORTAL_REFCNT_LOCAL;
    object->ob_ref_shared = 0;
}

/// A reference count of a C++ object.
class Count {
public:
    void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    /// True if that was the last one.
    bool remove() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
    std::atomic<Py_ssize_t> count_{1};
};

#else

inline constexpr bool has_gil = true;

class ObjectLock {
public:
    explicit ObjectLock(void*) noexcept {}
    ~ObjectLock() {}
    ObjectLock(const ObjectLock&) = delete;
    ObjectLock& operator=(const ObjectLock&) = delete;
};

template <class T>
using SharedField = T;

inline void make_immortal(PyTypeObject*) noexcept {}

class Count {
public:
    void add() noexcept { ++count_; }
    bool remove() noexcept { return --count_ == 0; }

private:
    Py_ssize_t count_ = 1;
};

#endif

/// The T of this thread or, with a GIL, of all threads. When a thread ends, the next one takes over its table, because
/// the Python objects in it cannot be dropped without an interpreter. std::bad_alloc.
template <class T>
T& of_this_thread() {
    struct Node : T {
        std::atomic<bool> taken{true};
        Node* next = nullptr;
    };
    if constexpr (has_gil) {
        static auto* const only = new T;
        return *only;
    } else {
        static std::atomic<Node*> all{nullptr};
        constinit static thread_local Node* mine = nullptr;
        return mine ? *mine : first_of_this_thread(all, mine, &Node::taken, &Node::next);
    }
}

/// The item of a dict that other threads may change; null without an exception if there is none. A new reference.
inline PyObject* dict_item(PyObject* dict, const char* name) {
    PyObject* item = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
    if (PyDict_GetItemStringRef(dict, name, &item) < 0) PyErr_Clear();
#else
    item = PyDict_GetItemString(dict, name);
    Py_XINCREF(item);
#endif
    return item;
}

}  // namespace pycuda::python
