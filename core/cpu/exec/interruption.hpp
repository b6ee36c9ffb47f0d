#pragma once

#include <chrono>

namespace cpu::exec {

/// Returns why the program wants to stop waiting on the calling thread, as constant text; null to continue waiting.
using InterruptCheck = const char* (*)();
/// Null: waits are never interrupted.
void set_interrupt_check(InterruptCheck check) noexcept;

/// How often a waiting thread calls the check.
constexpr std::chrono::milliseconds time_between_questions{20};

/// Calls the check if it is due; otherwise returns null. The check may run the program's code, which may wait for any
/// work: so the calling thread must not be in the middle of some.
const char* why_interrupted() noexcept;

/// When a thread of the program that runs work while it waits must leave it, to call the check; the end of time if
/// there is no check.
std::chrono::steady_clock::time_point time_of_next_question() noexcept;

}  // namespace cpu::exec
