#pragma once

#include <array>
#include <cstdint>

/// The faces of a cube map, numbered +x, -x, +y, -y, +z, -z, and how they meet.
namespace cpu::exec::cube {

struct Place {
    unsigned face = 0;
    double x = 0, y = 0;  ///< on the face, 0 to 1
};

/// Where a direction points at.
Place place_of(const std::array<double, 3>& direction);

struct Texel {
    unsigned face = 0;
    std::int64_t x = 0, y = 0;
};

/// The texel beside a face of `size` texels a side, of which one index is -1 or `size`: it lies on the next face.
Texel across_edge(const Texel& outside, std::int64_t size);

}  // namespace cpu::exec::cube
