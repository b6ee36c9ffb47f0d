#pragma once

// Built with __CUDA_API_VERSION_INTERNAL (see CMakeLists.txt): cuda.h then declares every variant under its own name.
#include <cuda.h>

#include "state/current_context.hpp"
#include "state/error.hpp"
#include "state/fault_injection.hpp"
#include "state/graphs/unsafe_calls.hpp"
#include "state/initialization.hpp"

#include <new>
#include <type_traits>

/// The ABI edge. Each exported function is one `entry` around calls to state/: only `entry` converts exceptions to
/// results, and no exception passes through the C ABI.
namespace cpu::api {

using state::fail;
using state::require;

/// The result of the exception being handled.
CUresult result_of_exception() noexcept;

/// Logs a failure, and returns it.
[[gnu::cold]] CUresult logged(const char* name, CUresult failure) noexcept;

/// Runs `body`, which returns nothing or a CUresult. `name` has no version suffix; PYCUDA_CPU_FAULTS refers to it.
template <class Body>
CUresult entry_before_init(const char* name, Body&& body) noexcept {
    if (const auto injected = state::injected_fault(name)) return *injected;
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return CUDA_SUCCESS;
        } else {
            const CUresult result = body();
            return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY ? result : logged(name, result);
        }
    } catch (...) {
        return logged(name, result_of_exception());
    }
}

/// The same for a function that needs cuInit, and that a stream's host function may call: it takes a stream or event,
/// and does not wait.
template <class Body>
CUresult entry_in_host_function(const char* name, Body&& body) noexcept {
    if (!state::is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    return entry_before_init(name, body);
}

/// The same for all other functions.
template <class Body>
CUresult entry(const char* name, Body&& body) noexcept {
    if (state::in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
    return entry_in_host_function(name, body);
}

/// The same for a call that a capture of a stream does not record, and that may be rejected during one.
template <class Body>
CUresult entry_unseen_by_captures(const char* name, Body&& body) noexcept {
    return entry(name, [&] {
        state::graphs::check_unsafe_call();
        return body();
    });
}

/// Writes a result through a pointer that is required.
template <class T, class Value>
void put(T* where, Value&& value) {
    require(where != nullptr);
    *where = static_cast<T>(std::forward<Value>(value));
}

/// Writes a result through a pointer that is optional.
template <class T, class Value>
void put_optional(T* where, Value&& value) {
    if (where) *where = static_cast<T>(std::forward<Value>(value));
}

/// The stream that a per-thread-default-stream variant uses for this argument.
inline CUstream per_thread(CUstream stream) noexcept {
    return stream ? stream : CU_STREAM_PER_THREAD;
}

}  // namespace cpu::api
