#include "contexts/interruptible_wait.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "driver/cpu_device_table.hpp"
#include "platform/threads.hpp"
#include "pycuda/contexts/context.hpp"

namespace pycuda {
namespace {

constexpr std::chrono::milliseconds time_between_questions{20};
constexpr std::chrono::milliseconds close_looks{1};
constexpr std::chrono::microseconds longest_pause{500};

std::atomic<InterruptCheck> language_check{nullptr};
std::atomic<bool> driver_can_wait_forever{false};  ///< the chosen driver's waits cannot be interrupted
constinit thread_local InterruptibleWait* innermost = nullptr;

/// In Python, only that thread handles signals.
bool is_first_thread() noexcept {
    static thread_local const bool is_first = is_first_thread_of_process();
    return is_first;
}

/// Called by the CPU device on any thread that waits in it.
const char* ask_innermost() {
    return innermost ? innermost->ask() : nullptr;
}

struct CpuTable {
    void (*set_interrupt_check)(const char* (*check)());
};

/// One event per context, recorded again for each wait.
class Marker : public ContextAttachment {
public:
    explicit Marker(Context& context) {
        const ContextScope scope(context);
        driver().cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING);
    }
    void context_ends(bool reachable) noexcept override {
        if (reachable) driver().cuEventDestroy.clean_up(event_);
    }
    bool record(CUcontext context) const noexcept {
        const auto& record_context = driver().cuCtxRecordEvent;
        if (record_context.is_available() && record_context.try_call(context, event_) == CUDA_SUCCESS) return true;
        return driver().cuEventRecord.try_call(event_, nullptr) == CUDA_SUCCESS;
    }
    CUevent event() const noexcept { return event_; }

private:
    CUevent event_ = nullptr;
};

}  // namespace

void set_interrupt_check(InterruptCheck check) noexcept {
    language_check = check;
}

void connect_interruption(const DriverLibrary& library) noexcept {
    driver_can_wait_forever = !library.is_cpu_device;
    if (const void* const table = cpu_device_table(library, "pycuda-interrupt"))
        static_cast<const CpuTable*>(table)->set_interrupt_check(ask_innermost);
}

InterruptibleWait::InterruptibleWait() noexcept : outer_(std::exchange(innermost, this)) {}

InterruptibleWait::~InterruptibleWait() {
    innermost = outer_;
}

const char* InterruptibleWait::ask() noexcept {
    const InterruptCheck language = language_check.load(std::memory_order_relaxed);
    if (!why_ && language && is_first_thread()) {
        // The program's signal handlers run, and their calls are not a part of this wait.
        InterruptibleWait* const wait = std::exchange(innermost, nullptr);
        note_long_work();  // what this wait is for is not done: a handler's wait must be interruptible, too
        why_ = language();
        innermost = wait;
    }
    return why_;
}

bool InterruptibleWait::must_look() noexcept {
    return driver_can_wait_forever.load(std::memory_order_relaxed) && long_work.load(std::memory_order_relaxed) &&
           language_check.load(std::memory_order_relaxed) && is_first_thread();
}

void InterruptibleWait::Looks::pause(InterruptibleWait& wait) {
    const auto now = Clock::now();
    if (now - asked_ >= time_between_questions) {
        asked_ = now;
        if (wait.ask()) throw Interrupted();
    }
    if (now - begin_ < close_looks) return;
    std::this_thread::sleep_for(std::min<Clock::duration>((now - begin_) / 32, longest_pause));
}

/// The driver's call reports errors.
void InterruptibleWait::until_context_is_done() {
    if (!must_look()) return;
    const auto context = Context::current_in_cleanup();
    if (!context) return;
    const auto marker = context->attachment<Marker>();
    long_work = false;
    if (!marker->record(context->handle_or_null())) return;
    try {
        for (Looks looks; driver().cuEventQuery.try_call(marker->event()) == CUDA_ERROR_NOT_READY;) looks.pause(*this);
    } catch (const Interrupted&) {
        long_work = true;
        throw;
    }
}

}  // namespace pycuda
