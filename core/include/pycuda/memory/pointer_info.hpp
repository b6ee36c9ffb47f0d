#pragma once

#include <cstdint>
#include <optional>

#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

#ifndef SWIG
/// The driver's information on the memory at an address.
struct PointerInfo {
    bool on_host;              ///< page-locked or registered host memory
    bool managed;              ///< host and device use the same address
    int device;                ///< the ordinal of the device whose context it belongs to
    CUcontext context;         ///< that context; null if the memory belongs to the device (stream-ordered memory)
    DevicePtr device_pointer;  ///< its address for device code in the current context; 0: none
};
/// Empty for memory that the driver does not know, such as malloc's (cuPointerGetAttribute).
std::optional<PointerInfo> pointer_info(std::uint64_t address);

/// Hand memory over to a consumer that uses it in work on `*stream`, a driver handle: work queued there from now on
/// runs after all work queued so far on the streams of the memory's context, except streams of other libraries. Pooled
/// memory records the use. Without a stream, the consumer is the host: wait for the context. `memory` is null for
/// memory of the current context that has no object.
void hand_over(DeviceMemory* memory, const CUstream* stream);
#endif

}  // namespace pycuda
