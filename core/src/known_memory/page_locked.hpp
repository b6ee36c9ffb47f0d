#pragma once

#include <cuda.h>

#include <cstddef>

namespace pycuda {

// A record of the host memory that this library has page-locked or allocated as managed, so that copies for launches on
// streams need not query the driver. Thread-safe.

/// Record memory of `context`, with which the record ends. If the record cannot be stored, copies query the driver.
void note_page_locked(const void* start, std::size_t nbytes, CUcontext context) noexcept;
/// Call this before the memory is freed or unregistered.
void forget_page_locked(const void* start) noexcept;
/// Forget the memory of an ended context, which the driver has freed.
void forget_page_locked_of(CUcontext context) noexcept;
/// True if all of it lies in one recorded range.
bool is_known_page_locked(const void* memory, std::size_t nbytes) noexcept;

}  // namespace pycuda
