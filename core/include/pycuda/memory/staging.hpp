#pragma once

#include <cstddef>
#include <memory>

#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

// Copies between pageable host memory and the device that are asynchronous on a stream, which the driver alone does not
// offer: data goes through page-locked staging memory that is reused. In, Out and InOut use it on a stream,
// unless their memory is page-locked itself. A context has at most 64 MiB of it; if it is full, the call
// waits for the oldest copies.

/// Whether the driver itself copies asynchronously to and from this host memory: all of it lies in one piece that is
/// page-locked, registered or managed: memory of this library's objects, or of another library
/// (cuPointerGetAttributes).
bool is_page_locked(const void* memory, std::size_t nbytes) noexcept;

/// Copy `src` into staging memory at once (so the caller may change `src` when this returns) and queue the copy.
/// Both raise LogicError on a closed stream, and MemoryError if page-locked memory runs out; the stream's context need
/// not be current.
void staged_htod(DevicePtr dest, const void* src, std::size_t nbytes, const Stream& stream);

/// Queue the copy into staging memory and, after it on the stream, from there to `dest`. `keep_alive` is released some
/// milliseconds after `dest` is written (or never will be, after a fault), on a thread of this library, never on one of
/// the driver: destructors may thus call the driver, and wait for a lock whose holder waits for the stream. A caller
/// that gives none keeps `dest` itself, by Stream::keep_until_done. If this raises, `dest` is not used any more.
void staged_dtoh(void* dest, std::size_t nbytes, DevicePtr src, const Stream& stream, std::shared_ptr<void> keep_alive);

}  // namespace pycuda
