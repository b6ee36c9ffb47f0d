#pragma once

#include <memory>
#include <vector>

namespace pycuda {

/// Held by a call from where it reads addresses until the driver has taken them. Code of the program that the call runs
/// meanwhile, on this thread, may free or close what the addresses belong to: then the memory, or the handle, ends when
/// the call does. Of nested calls, the outermost counts.
class HeldEnds {
public:
    HeldEnds() noexcept { ++now_.calls; }
    ~HeldEnds() {
        if (--now_.calls == 0 && now_.waiting) [[unlikely]]
            run();
    }
    HeldEnds(const HeldEnds&) = delete;
    HeldEnds& operator=(const HeldEnds&) = delete;

    /// Whether ends wait on this thread.
    static bool any() noexcept { return now_.calls != 0; }
    /// Drop `end` at the end of the call. Without memory for that, it is never dropped.
    static void add(std::shared_ptr<void> end) noexcept;

private:
    struct State {
        unsigned calls;
        std::vector<std::shared_ptr<void>>* waiting;
    };
    constinit static inline thread_local State now_{};
    static void run() noexcept;

public:
    /// For code that makes room: what it frees ends at once. No address may be held that it could free.
    class Pause {
    public:
        Pause() noexcept : outer_(now_) { now_ = {}; }
        ~Pause() { now_ = outer_; }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        State outer_;
    };
};

}  // namespace pycuda
