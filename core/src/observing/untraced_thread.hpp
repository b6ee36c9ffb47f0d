#pragma once

namespace pycuda {

/// Hide this thread's driver calls from PYCUDA_TRACE from now on: for a thread that polls, which would fill the trace.
void leave_this_thread_untraced() noexcept;
bool this_thread_is_untraced() noexcept;

/// The same within a scope: for calls that this thread makes only if another thread of this library has not made them
/// yet.
class UntracedScope {
public:
    UntracedScope() noexcept;
    ~UntracedScope();
    UntracedScope(const UntracedScope&) = delete;
    UntracedScope& operator=(const UntracedScope&) = delete;

private:
    const bool was_untraced_;
};

}  // namespace pycuda
