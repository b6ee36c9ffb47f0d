#pragma once

#include <memory>

namespace cpu::platform {

/// The processor on which this thread is running.
int current_processor() noexcept;

/// The processor on which a thread sleeps. Linux usually wakes it there, even if the thread that wakes it now computes
/// on that processor and others are idle; it would then wait for a scheduler tick, which takes longer than many
/// launches. So the thread is moved to another processor while it wakes. To be guarded by a mutex.
class SleepingPlace {
public:
    /// Of this thread.
    SleepingPlace();
    ~SleepingPlace();
    SleepingPlace(const SleepingPlace&) = delete;
    SleepingPlace& operator=(const SleepingPlace&) = delete;

    void falls_asleep() noexcept { processor_ = current_processor(); }
    /// `processor`: that of the thread that wakes this one.
    void avoid(int processor) noexcept {
        if (processor_ >= 0 && processor_ == processor) leave();
    }
    void wakes_up() noexcept {
        if (narrowed_) return_home();
        narrowed_ = false;
        processor_ = -1;
    }

private:
    struct Thread;
    void leave() noexcept;
    void return_home() noexcept;

    const std::unique_ptr<Thread> thread_;
    int processor_ = -1;  ///< -1 while it is awake
    bool narrowed_ = false;
};

}  // namespace cpu::platform
