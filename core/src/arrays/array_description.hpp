#pragma once

#include <cuda.h>

#include <string>

#include "pycuda/arrays/array.hpp"

namespace pycuda {

inline CUDA_ARRAY3D_DESCRIPTOR to_driver(const ArrayDescriptor3D& descriptor) {
    return {.Width = descriptor.width,
            .Height = descriptor.height,
            .Depth = descriptor.depth,
            .Format = static_cast<CUarray_format>(descriptor.format),
            .NumChannels = descriptor.num_channels,
            .Flags = descriptor.flags};
}

/// For messages: "an array of 640 x 480 x 1 texels of 4 channels, format 32, flags 0".
inline std::string text_of(const ArrayDescriptor3D& descriptor) {
    return "an array of " + std::to_string(descriptor.width) + " x " + std::to_string(descriptor.height) + " x " +
           std::to_string(descriptor.depth) + " texels of " + std::to_string(descriptor.num_channels) +
           " channels, format " + std::to_string(static_cast<int>(descriptor.format)) + ", flags " +
           std::to_string(descriptor.flags);
}

}  // namespace pycuda
