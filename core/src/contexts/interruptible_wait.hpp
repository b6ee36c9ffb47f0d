#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>

#include "driver/driver_table.hpp"
#include "pycuda/threads/interruption.hpp"

namespace pycuda {

/// While it exists, the language can interrupt this thread's waits. The CPU device ends its own waits on request; with
/// other drivers this library polls instead of waiting in the driver, which nothing can interrupt.
class InterruptibleWait {
public:
    InterruptibleWait() noexcept;
    ~InterruptibleWait();
    InterruptibleWait(const InterruptibleWait&) = delete;
    InterruptibleWait& operator=(const InterruptibleWait&) = delete;

    /// True if the driver might wait for long, and the language could not interrupt it.
    static bool must_look() noexcept;
    /// Poll until `query` returns anything but CUDA_ERROR_NOT_READY; the driver's call afterwards has little to wait
    /// for. A no-op if the driver's wait can be interrupted, or if the language does not interrupt waits.
    template <class Query>
    void until(const Query& query) {
        if (!must_look()) return;
        for (Looks looks; query() == CUDA_ERROR_NOT_READY;) looks.pause(*this);
    }
    /// The same for a blocking copy, which waits for the work of the current context's default stream.
    void until_default_stream_is_done() {
        until([] { return driver().cuStreamQuery.try_call(nullptr); });
    }
    /// The same for all present work of the current context.
    void until_context_is_done();

    /// Called after the driver's call, whatever its result: Interrupted if the language has ended the wait.
    void check() const {
        if (why_) throw Interrupted();
    }

    /// Why the language ends the wait; null if it does not.
    const char* ask() noexcept;

private:
    using Clock = std::chrono::steady_clock;

    /// Poll often at first, as most waits are short, then at intervals that make no wait much longer.
    class Looks {
    public:
        void pause(InterruptibleWait& wait);

    private:
        const Clock::time_point begin_ = Clock::now();
        Clock::time_point asked_ = begin_;
    };

    InterruptibleWait* const outer_;
    const char* why_ = nullptr;
};

/// Call a driver function that waits for the work that `query` checks. Throws Interrupted, and the driver's errors.
template <class Query, class Function, class... Arguments>
void wait_in_driver(const Query& query, const Function& function, Arguments... arguments) {
    InterruptibleWait wait;
    wait.until(query);
    const CUresult result = function.try_call(arguments...);
    wait.check();
    if (result != CUDA_SUCCESS) function.fail(result, "");
}

/// True if something that may take long was queued and is not known to be done. Otherwise waits and copies are short
/// and need no polling.
inline std::atomic<bool> long_work{false};

inline void note_long_work() noexcept {
    if (!long_work.load(std::memory_order_relaxed)) [[unlikely]]
        long_work.store(true, std::memory_order_relaxed);
}

/// Lets a driver that can do so end the waits of this library, for init.
void connect_interruption(const DriverLibrary& library) noexcept;

}  // namespace pycuda
