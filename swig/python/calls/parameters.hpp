#pragma once

#include <Python.h>

#include <cstddef>
#include <optional>
#include <tuple>

#include "buffers.hpp"
#include "calls/numpy_arrays.hpp"
#include "device_arrays.hpp"
#include "exceptions.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pointers.hpp"

/// The parameters of hot calls. `accepts` makes the same choice as SWIG's overloads, `read` converts like SWIG's
/// typemaps (buffers.i, handles.i), and `arguments` are those of the C++ function.
namespace pycuda::python {

/// The stream of a call, if its last argument is one. It is not destroyed before the call ends.
class StreamInUse {
public:
    explicit StreamInUse(PyObject* last) {
        if (last && PyObject_TypeCheck(last, stream_base)) use_.emplace(stream_of(last).use());
    }
    CUstream handle() const { return use_ ? static_cast<CUstream>(*use_) : nullptr; }

private:
    std::optional<Handle<StreamTraits>::Use> use_;
};

/// Memory by its address.
template <Access access>
struct DeviceAddress {
    static bool accepts(PyObject* given) noexcept { return given; }
    void read(PyObject* given, CUstream stream) {
        check_device_array(given, access);
        address = device_pointer(given, owners, &stream);
    }
    bool waits() const noexcept { return false; }
    std::tuple<DevicePtr> arguments() const noexcept { return {address}; }

    DevicePtr address;
    Owners owners;
};
using WrittenMemory = DeviceAddress<Access::Write>;
using ReadMemory = DeviceAddress<Access::Read>;

/// A buffer's address and size.
template <bool is_written>
struct HostMemory {
    HostMemory() = default;
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;
    ~HostMemory() {
        if (view.obj) PyBuffer_Release(&view);
    }
    static bool accepts(PyObject* given) noexcept { return given; }
    void read(PyObject* given, CUstream) {
        if (read_array_memory(given, is_written, memory)) return;
        if (!(is_written ? take_destination(given, view) : take_source(given, view))) throw PythonError{};
        memory = {view.buf, static_cast<std::size_t>(view.len), false};
    }
    bool waits() const noexcept { return !memory.is_page_locked; }
    std::tuple<void*, std::size_t> arguments() const noexcept { return {memory.data, memory.nbytes}; }

    ArrayMemory memory;
    Py_buffer view = {};
};
using HostSource = HostMemory<false>;
using HostDestination = HostMemory<true>;

template <class T>
struct Number {
    static bool accepts(PyObject* given) noexcept { return given && PyIndex_Check(given); }
    void read(PyObject* given, CUstream) {
        if (!integer_from_python(given, value)) throw PythonError{};
    }
    bool waits() const noexcept { return false; }
    std::tuple<T> arguments() const noexcept { return {value}; }

    T value;
};

/// A Stream of this package; None, or no argument, is the default stream.
struct OnStream {
    static bool accepts(PyObject* given) noexcept {
        return !given || given == Py_None || PyObject_TypeCheck(given, stream_base);
    }
    void read(PyObject* given, CUstream) { stream = given && given != Py_None ? &stream_of(given) : nullptr; }
    bool waits() const noexcept { return false; }
    std::tuple<const Stream*> arguments() const noexcept { return {stream}; }

    const Stream* stream;
};

/// An Event of this package.
struct GivenEvent {
    static bool accepts(PyObject* given) noexcept { return given && PyObject_TypeCheck(given, event_base); }
    void read(PyObject* given, CUstream) { event = static_cast<const Event*>(checked_pointer(given)); }
    bool waits() const noexcept { return false; }
    std::tuple<const Event*> arguments() const noexcept { return {event}; }

    const Event* event;
};

/// The object of a method.
template <class T>
struct Self {
    static bool accepts(PyObject* given) noexcept { return given; }
    void read(PyObject* given, CUstream) { object = static_cast<T*>(checked_pointer(given)); }
    bool waits() const noexcept { return false; }
    std::tuple<T*> arguments() const noexcept { return {object}; }

    T* object;
};

}  // namespace pycuda::python
