#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>

#include "driver_table.hpp"
#include "pycuda/interruption.hpp"

namespace pycuda {

/// While it is open, the language can end the waits of this thread: ask a driver that can end its own (the CPU device),
/// and look at the work again and again, instead of waiting in the driver, where it cannot.
class InterruptibleWait {
public:
    InterruptibleWait() noexcept;
    ~InterruptibleWait();
    InterruptibleWait(const InterruptibleWait&) = delete;
    InterruptibleWait& operator=(const InterruptibleWait&) = delete;

    /// Whether the driver would wait for work, perhaps for long, that the language could not end.
    static bool must_look() noexcept;
    /// Before the driver's call, which then finds little to wait for: until `query` gives anything but
    /// CUDA_ERROR_NOT_READY. No-op if the driver's wait can be interrupted, or no interruption is requested.
    template <class Query>
    void until(const Query& query) {
        if (!must_look()) return;
        for (Looks looks; query() == CUDA_ERROR_NOT_READY;) looks.pause(*this);
    }
    /// The same for a blocking copy, which waits for the work of the current context's default stream.
    void until_default_stream_is_done() {
        until([] { return driver().cuStreamQuery.try_call(nullptr); });
    }
    /// For all that the current context has now.
    void until_context_is_done();

    /// Called after the driver's call, whatever its result: Interrupted if the language has ended the wait.
    void check() const {
        if (why_) throw Interrupted();
    }

    /// Why the language ends the wait; null while it does not.
    const char* ask() noexcept;

private:
    using Clock = std::chrono::steady_clock;

    /// Closely at first, as most waits are short, then at times that no wait becomes much longer by.
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

/// Something that may take long has been queued, and was not seen to be done. Else waits and copies are short, and need
/// no look first.
inline std::atomic<bool> long_work{false};

inline void note_long_work() noexcept {
    if (!long_work.load(std::memory_order_relaxed)) [[unlikely]]
        long_work.store(true, std::memory_order_relaxed);
}

/// Lets a driver that can do so end the waits of this library, for init.
void connect_interruption(const DriverLibrary& library) noexcept;

}  // namespace pycuda
