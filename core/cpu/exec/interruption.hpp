#pragma once

#include <chrono>

namespace cpu::exec {

/// Why the program does not want to wait any longer on the calling thread, a text that stays; null while it does.
using InterruptCheck = const char* (*)();
/// Null: waits never end early.
void set_interrupt_check(InterruptCheck check) noexcept;

/// How often a thread that waits asks.
constexpr std::chrono::milliseconds time_between_questions{20};

/// Asks, when that is due; else null.
const char* why_interrupted() noexcept;

}  // namespace cpu::exec
