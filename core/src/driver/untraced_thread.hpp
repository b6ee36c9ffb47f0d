#pragma once

namespace pycuda {

/// From now on PYCUDA_TRACE shows no driver calls of this thread: for one that asks again and again whether something
/// is done, and would fill the trace with that.
void leave_this_thread_untraced() noexcept;
bool this_thread_is_untraced() noexcept;

}  // namespace pycuda
