#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace pycuda {

class Context;

// Host memory that this library has page-locked or allocated as managed, by its addresses: found without asking the
// driver, which every copy of a launch on a stream would do. Thread-safe.

/// It ends with its context. Without memory for the note, the driver is asked.
void note_page_locked(const void* start, std::size_t nbytes, const std::shared_ptr<Context>& owner) noexcept;
/// Before the memory is freed or unregistered.
void forget_page_locked(const void* start) noexcept;
/// Those of an ended context, which the driver has freed.
void forget_page_locked_of(CUcontext context) noexcept;
/// Whether all of it lies in one such piece.
bool is_known_page_locked(const void* memory, std::size_t nbytes) noexcept;

}  // namespace pycuda
