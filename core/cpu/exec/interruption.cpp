#include "exec/interruption.hpp"

#include <atomic>

namespace cpu::exec {

namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};

}  // namespace

void set_interrupt_check(InterruptCheck check) noexcept {
    interrupt_check = check;
}

const char* why_interrupted() noexcept {
    using Clock = std::chrono::steady_clock;
    static thread_local Clock::time_point asked;
    const InterruptCheck check = interrupt_check.load(std::memory_order_relaxed);
    if (!check) return nullptr;
    const auto now = Clock::now();
    if (now - asked < time_between_questions) return nullptr;
    asked = now;
    return check();
}

std::chrono::steady_clock::time_point time_of_next_question() noexcept {
    using Clock = std::chrono::steady_clock;
    return interrupt_check.load(std::memory_order_relaxed) ? Clock::now() + time_between_questions
                                                           : Clock::time_point::max();
}

}  // namespace cpu::exec
