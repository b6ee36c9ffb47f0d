#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <string>
#include <type_traits>
#include <utility>

#include "driver/failed_stream.hpp"
#include "observing/driver_trace.hpp"
#include "observing/observed_allocation.hpp"
#include "observing/recorded_call.hpp"
#include "pycuda/driver/failures.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

/// Throws RuntimeError: the driver in use lacks `name`, which CUDA `version` introduced.
[[noreturn]] void raise_missing_function(const char* name, int version);

template <class Signature>
class DriverFunction;

/// One function of the driver. Without observers, a call costs one test more than a direct call.
template <class... Parameters>
class DriverFunction<CUresult(Parameters...)> {
public:
    DriverFunction(const char* name, int version) noexcept : name_(name), version_(version) {}

    /// Call, and throw the exception that the result maps to.
    void operator()(Parameters... arguments) const {
        if (const CUresult result = try_call(arguments...); result != CUDA_SUCCESS) [[unlikely]]
            raise(name_, result);
    }

    /// Call, and return the result. RuntimeError if the driver lacks the function.
    CUresult try_call(Parameters... arguments) const {
        const Pointer direct = direct_.load(std::memory_order_relaxed);
        const CUresult result = direct ? direct(arguments...) : call_slowly(arguments...);
        if constexpr ((std::is_same_v<Parameters, CUstream> || ...))
            if (result != CUDA_SUCCESS) [[unlikely]]
                (note_if_stream(arguments), ...);
        return result;
    }

    /// For destructors: passes a failure to report_cleanup_failure. Only for functions that every driver has.
    void clean_up(Parameters... arguments) const noexcept {
        if (const CUresult result = try_call(arguments...); result != CUDA_SUCCESS)
            report_cleanup_failure(name_, result);
    }

    /// Throw the exception that `result` maps to, with a more detailed message than operator()'s.
    [[noreturn]] void fail(CUresult result, const std::string& detail) const { raise(name_, result, detail); }

    const char* name() const noexcept { return name_; }
    bool is_available() const noexcept { return target_ != nullptr; }
    /// False while calls are observed, by a trace or a timeline.
    bool goes_directly() const noexcept { return direct_.load(std::memory_order_relaxed) != nullptr; }

    /// Set the target of calls: null if the driver lacks the function. `before_init`: no driver
    /// is chosen yet, so every call ends with CUDA_ERROR_NOT_INITIALIZED.
    void resolve(void* address, bool before_init) noexcept {
        target_ = reinterpret_cast<Pointer>(address);
        before_init_ = before_init;
        observe(any_observer());
    }
    /// Makes calls visible to observers, or lets them go to the driver directly.
    void observe(bool on) const noexcept {
        direct_.store(on || trace_enabled() ? nullptr : target_, std::memory_order_relaxed);
    }
    int version() const noexcept { return version_; }

private:
    using Pointer = CUresult (*)(Parameters...);

    template <class T>
    void note_if_stream(const T& argument) const noexcept {
        if constexpr (std::is_same_v<T, CUstream>) note_failed_stream(name_, argument);
    }

    [[gnu::noinline, gnu::cold]] CUresult call_slowly(Parameters... arguments) const {
        if (!target_ && !before_init_) raise_missing_function(name_, version_);
        CallSubject subject;
        (subject.note(arguments), ...);
        RecordedCall record(name_, subject);
        const std::array<std::uint64_t, sizeof...(Parameters)> words{word_of(arguments)...};
        ObservedAllocation allocation(name_, words);
        const CUresult result = target_ ? target_(arguments...) : CUDA_ERROR_NOT_INITIALIZED;
        allocation.end(result);
        if (record.is_recorded()) record.end(result, trace_arguments(arguments...));
        if (trace_enabled() && !ObserversCalls::is_active()) trace_line(name_, trace_arguments(arguments...), result);
        return result;
    }

    mutable std::atomic<Pointer> direct_{nullptr};  ///< null: calls take the slow path, where they are observed
    Pointer target_ = nullptr;
    const char* name_;
    int version_;
    bool before_init_ = false;
};

}  // namespace pycuda
