#pragma once

#include <chrono>

namespace cpu::exec {

/// Returns why the program wants to stop waiting on the calling thread, as constant text; null to continue waiting.
using InterruptCheck = const char* (*)();
/// Null: waits are never interrupted.
void set_interrupt_check(InterruptCheck check) noexcept;

/// How often a waiting thread calls the check.
constexpr std::chrono::milliseconds time_between_questions{20};

/// Calls the check if it is due; otherwise returns null.
const char* why_interrupted() noexcept;

}  // namespace cpu::exec
