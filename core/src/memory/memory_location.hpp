#pragma once

#include <cuda.h>

#include <string>

#include "pycuda/contexts/context.hpp"

namespace pycuda {

inline CUmemLocation device_location(const Device& device) {
    return {CU_MEM_LOCATION_TYPE_DEVICE, device.handle()};
}

/// `id` -1: the current context's device.
inline CUmemLocation memory_location(MemLocationType type, int id) {
    const bool is_device = type == MemLocationType::DEVICE;
    return {static_cast<CUmemLocationType>(type), id == -1 ? (is_device ? Context::get_device().handle() : 0) : id};
}

inline std::string location_text(const CUmemLocation& location) {
    switch (location.type) {
        case CU_MEM_LOCATION_TYPE_DEVICE:
            return "memory of device " + std::to_string(location.id);
        case CU_MEM_LOCATION_TYPE_HOST_NUMA:
            return "memory of NUMA node " + std::to_string(location.id);
        default:
            return "memory at location type " + std::to_string(location.type);
    }
}

}  // namespace pycuda
