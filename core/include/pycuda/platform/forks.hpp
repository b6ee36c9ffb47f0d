#pragma once

#include <mutex>

namespace pycuda {

/// Call `function` in each child that is forked from now on, before the program continues there.
void call_in_forked_children(void (*function)()) noexcept;

/// The same before each fork, and after it in the parent and in the child.
void call_around_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

/// Let forked children use what `mutex` guards, too: from now on a fork waits until no thread holds it. It must never
/// be destroyed, and its holders must not wait for other threads. Returns it.
std::mutex* fork_safe(std::mutex* mutex);

}  // namespace pycuda
