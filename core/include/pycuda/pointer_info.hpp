#pragma once

#include <cstdint>
#include <optional>

#include "pycuda/device_memory.hpp"

namespace pycuda {

#ifndef SWIG
/// What the driver knows of the memory at an address.
struct PointerInfo {
    bool on_host;              ///< page-locked or registered host memory
    bool managed;              ///< host and device reach it by the same address
    int device;                ///< the ordinal of the device whose context it belongs to
    CUcontext context;         ///< that context; null where the memory belongs to the device (stream-ordered memory)
    DevicePtr device_pointer;  ///< where device code of the current context finds it; 0: not at all
};
/// Nothing for memory that the driver does not know, such as what malloc gives (cuPointerGetAttribute).
std::optional<PointerInfo> pointer_info(std::uint64_t address);

/// Hands memory over to somebody else, who uses it by work on `*stream`, a driver's handle: what is queued there from
/// now on runs after what all streams of the memory's context have by now, but for streams of other libraries. Pooled
/// memory remembers the use. Without a stream the host is to use it: waits for the context. `memory` null: for memory
/// of the current context that has no object.
void hand_over(DeviceMemory* memory, const CUstream* stream);
#endif

}  // namespace pycuda
