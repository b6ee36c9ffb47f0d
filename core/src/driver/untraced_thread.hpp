#pragma once

namespace pycuda {

/// From now on PYCUDA_TRACE shows no driver calls of this thread: for one that asks again and again whether something
/// is done, and would fill the trace with that.
void leave_this_thread_untraced() noexcept;
bool this_thread_is_untraced() noexcept;

/// The same for a while: for calls that this thread makes only if another one of this library was not faster.
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
