#pragma once

#include <atomic>

namespace pycuda {

/// Observers of driver calls. Without one, calls go to the driver directly.
enum Observer : unsigned { timeline_observer = 1, allocation_observer = 2 };

inline std::atomic<unsigned> observers{0};

inline bool any_observer() noexcept {
    return observers.load(std::memory_order_relaxed) != 0;
}
inline bool is_observed_by(Observer observer) noexcept {
    return observers.load(std::memory_order_relaxed) & observer;
}

/// False if it was already added.
bool add_observer(Observer observer) noexcept;
/// False if it was not there.
bool remove_observer(Observer observer) noexcept;

/// Makes driver calls visible to observers, or lets them go to the driver directly again.
void observe_driver_calls(bool on) noexcept;

/// While it lives, this thread's driver calls are made by an observer, and observers ignore them.
class ObserversCalls {
public:
    ObserversCalls() noexcept : before_(active_) { active_ = true; }
    ~ObserversCalls() { active_ = before_; }
    ObserversCalls(const ObserversCalls&) = delete;
    ObserversCalls& operator=(const ObserversCalls&) = delete;
    static bool is_active() noexcept { return active_; }

private:
    static inline thread_local bool active_ = false;
    const bool before_;
};

}  // namespace pycuda
