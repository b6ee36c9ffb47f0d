#pragma once

#include <cstddef>
#include <memory>

#include "pycuda/device_memory.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

// Copies between pageable host memory and the device that are asynchronous on a stream, which the driver alone does not
// offer: data goes through page-locked staging memory that is reused. What In, Out and InOut do on a stream.

/// Copies `src` into staging memory at once (so the caller may change `src` when this returns) and queues the copy.
void staged_htod(DevicePtr dest, const void* src, std::size_t nbytes, const Stream& stream);

/// Queues the copy into staging memory and, after it on the stream, from there to `dest`. `keep_alive` is released on an
/// unspecified thread once `dest` is written, so it must be safe to drop there.
void staged_dtoh(void* dest, std::size_t nbytes, DevicePtr src, const Stream& stream, std::shared_ptr<void> keep_alive);

}  // namespace pycuda
