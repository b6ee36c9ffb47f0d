#pragma once

#include <cuda.h>

#include <memory>

namespace pycuda {

class Context;

// The driver's stack of each thread decides which context is current. This table keeps the objects of contexts that
// were pushed through this library alive while they are on that stack.

/// The context that is current, or null; an error of the driver is raised.
CUcontext current_handle();

/// This thread has pushed `handle`.
void remember_pushed(CUcontext handle, std::shared_ptr<Context> context);

/// This thread has popped `handle`; unknown handles were pushed elsewhere. May end the context.
void forget_pushed(CUcontext handle) noexcept;

/// True if a context that this thread has pushed has ended since, and if the one last pushed with this handle has.
bool any_pushed_has_ended() noexcept;
bool last_pushed_has_ended(CUcontext handle) noexcept;

/// Pop a context that the caller has pushed without remembering it, or that ends. If the driver fails, try again:
/// nothing else pops it, and once it has ended, everything on this thread would fail.
void pop_pushed(CUcontext context) noexcept;

/// Release the contexts on the stacks of ended threads. May end contexts.
void release_abandoned_contexts() noexcept;

}  // namespace pycuda
