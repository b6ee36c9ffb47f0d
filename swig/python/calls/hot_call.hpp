#pragma once

#include <Python.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "calls/parameters.hpp"
#include "exceptions.hpp"
#include "host_functions.hpp"
#include "lifetime.hpp"
#include "pycuda/threads/waiting.hpp"

/// C functions that replace the Python functions that SWIG generates, with a third of the instructions.
namespace pycuda::python {

/// One hot call. It falls back to SWIG's function for arguments that it does not accept, for their error messages, and
/// in a forked child.
struct HotCall {
    using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
    static constexpr int max = 4;
    const char* name;        ///< for a method, with its class: "Event.record"
    const char* parameters;  ///< "dest, src, stream=None"; every default is None
    Function function;
    bool returns_self = false;
    PyObject* swig = nullptr;
    PyObject* names[max] = {};  ///< interned; for a method, including that of its object
    int required = 0, count = 0;
    std::string doc = {};
    PyMethodDef definition = {};
};

/// Sorts the arguments by position; null if one is not given. False if they do not match the parameters.
bool bind(const HotCall& call, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames,
          PyObject* (&values)[HotCall::max]) noexcept;

/// Calls SWIG's function with the same arguments.
PyObject* call_swig(const HotCall& call, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames);

/// Replaces SWIG's function in `space`, the module's dict. Nonzero with a Python exception set on failure.
int install(HotCall& call, PyObject* space);

template <auto function>
inline HotCall hot_call;  ///< for this C++ function

/// Runs without the GIL, unless the call can only wait for a full stream.
template <class Run>
void run_unlocked(bool waits, Run&& run) {
    if (!waits) return call_that_may_wait(std::forward<Run>(run));
    GilRelease released;
    std::forward<Run>(run)();
    released.end();
}

/// What a call may wait for: the device (Always); a copy of host memory that is not page-locked, or a full stream
/// (ForHostMemory); nothing with the GIL held, because its C++ function releases that itself (WithoutLock).
enum class Waits { Always, ForHostMemory, WithoutLock };

/// Calls `function` with the values, converted by `Parameters` (parameters.hpp), in their order.
template <auto function, Waits waits, class... Parameters>
PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    const HotCall& known = hot_call<function>;
    PyObject* values[HotCall::max] = {};
    std::size_t next = 0;
    if (is_forked_child() || !bind(known, self, args, count, kwnames, values) ||
        !(Parameters::accepts(values[next++]) && ...)) [[unlikely]]
        return call_swig(known, self, args, count, kwnames);
    try {
        std::tuple<Parameters...> read;
        return std::apply(
            [&](Parameters&... each) {
                constexpr bool has_stream = (std::is_same_v<Parameters, OnStream> || ...);
                const StreamInUse stream(has_stream ? values[sizeof...(Parameters) - 1] : nullptr);
                std::size_t at = 0;
                (each.read(values[at++], stream.handle()), ...);
                const bool is_long = waits == Waits::Always || (waits == Waits::ForHostMemory && (each.waits() || ...));
                const auto run = [&] { return std::apply(function, std::tuple_cat(each.arguments()...)); };
                if constexpr (std::is_void_v<decltype(run())>) {
                    run_unlocked(is_long, run);
                    PyObject* const result = known.returns_self ? self : Py_None;
                    Py_INCREF(result);
                    return result;
                } else {
                    decltype(run()) made{};
                    run_unlocked(is_long, [&] { made = run(); });
                    return new_allocation(std::move(made));
                }
            },
            read);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

}  // namespace pycuda::python
