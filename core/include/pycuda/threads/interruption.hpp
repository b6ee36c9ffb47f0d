#pragma once

#include <exception>

namespace pycuda {

/// Thrown if the language ends a wait; the language then raises its own exception. The work continues on a GPU; on
/// the CPU device the context's kernels end, and later calls in it raise a LaunchError that says why.
class Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "the wait was interrupted"; }
};

/// Return null to continue a wait, or the reason to end it, a static text ("KeyboardInterrupt"). Called
/// about 50 times a second by the process's first thread during a synchronize or a blocking
/// copy, without the GIL.
using InterruptCheck = const char* (*)() noexcept;
/// Set once, by the language module. Without it no wait ends early.
void set_interrupt_check(InterruptCheck check) noexcept;

}  // namespace pycuda
