#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda {

/// True on the thread that the process began with.
bool is_first_thread_of_process() noexcept;

/// The number by which the driver's log names this thread.
std::uint64_t number_of_this_thread() noexcept;

/// Calls `body` on a new thread with a stack of this size, and waits for its end. On this thread if none can be made.
void run_on_stack(std::size_t nbytes, void (*body)(void*), void* argument) noexcept;

}  // namespace pycuda
