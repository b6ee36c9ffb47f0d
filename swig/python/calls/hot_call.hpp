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

/// A C function in the place of the Python function that SWIG makes: a third of the instructions.
namespace pycuda::python {

/// What is known of one call. SWIG's function stays as well: it takes what this one does not, and says what is wrong
/// with it.
struct HotCall {
    using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
    static constexpr int most = 4;
    const char* name;        ///< "Event.record": of a class
    const char* parameters;  ///< "dest, src, stream=None"; what has a default has None
    Function function;
    bool returns_self = false;
    PyObject* swig = nullptr;
    PyObject* names[most] = {};  ///< interned; of a method also its object's
    int required = 0, count = 0;
    std::string doc = {};
    PyMethodDef definition = {};
};

/// By position, null for what is not given. False for what is no call of these parameters.
bool bind(const HotCall& call, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames,
          PyObject* (&values)[HotCall::most]) noexcept;

/// The same call of SWIG's function.
PyObject* call_swig(const HotCall& call, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames);

/// Takes the place of SWIG's function in `space`, the module's dict. Nonzero with a Python exception set on failure.
int install(HotCall& call, PyObject* space);

template <auto function>
inline HotCall hot_call;  ///< of this C++ function

/// Without the interpreter's lock, unless all that the call could wait for is a full stream.
template <class Run>
void run_unlocked(bool waits, Run&& run) {
    if (!waits) return call_that_may_wait(std::forward<Run>(run));
    GilRelease released;
    std::forward<Run>(run)();
    released.end();
}

/// What a call may wait for: the device; no more than its host memory, unless that is page-locked, and a full stream;
/// or nothing that its C++ function does not wait for without the lock itself.
enum class Waits { Always, ForHostMemory, WithoutLock };

/// Calls `function` with what `Parameters` (parameters.hpp) make of the values, in their order.
template <auto function, Waits waits, class... Parameters>
PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    const HotCall& known = hot_call<function>;
    PyObject* values[HotCall::most] = {};
    std::size_t next = 0;
    if (!bind(known, self, args, count, kwnames, values) || !(Parameters::accepts(values[next++]) && ...)) [[unlikely]]
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
