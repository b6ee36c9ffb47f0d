#pragma once

#include <exception>

namespace pycuda {

/// Raised out of a wait that the language has ended, which has its own exception ready for it. What was waited for goes
/// on; on the CPU device the context's kernels end, and later calls in it raise LaunchError that says why.
class Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "the wait was interrupted"; }
};

/// Whether the program wants to wait any longer: null, or why not, a text that stays ("KeyboardInterrupt"). Asked about
/// 50 times a second by the process's first thread while it waits in a synchronize or a blocking copy, without the
/// language's lock.
using InterruptCheck = const char* (*)() noexcept;
/// Set once, by the language module. Without it no wait ends early.
void set_interrupt_check(InterruptCheck check) noexcept;

}  // namespace pycuda
