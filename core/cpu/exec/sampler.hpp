#pragma once

#include <array>
#include <cstdint>

#include "exec/texture.hpp"

namespace cpu::exec {

/// Is told of every texel that a fetch reads.
class TexelWatcher {
public:
    virtual void reads(const std::byte* texel, std::size_t bytes) const = 0;

protected:
    ~TexelWatcher() = default;
};

/// Where a texture is read. With `integer` the texel itself is named; else `at` is in texels, or in [0, 1) when the
/// texture's coordinates are normalised; of a cube map, the direction.
struct SamplePoint {
    std::array<float, 3> at{};
    std::array<std::int32_t, 3> index{};
    std::uint32_t layer = 0;
    std::uint8_t dimensions = 1;  ///< 1 to 3; 3 for a cube map
    bool integer = false;
    bool layered = false;
    bool cube = false;
    const TexelWatcher* watcher = nullptr;
};

/// Four channels as a register holds them: bits of a float where the texture is read as floats, else integers. A
/// channel that the format lacks is 0, the fourth 1.
using Texel = std::array<std::uint32_t, 4>;

/// Does a fetch give floats? 8- and 16-bit integers do, unless they are read as integers.
bool reads_floats(const Texture& texture);

/// The fetch that the CUDA guide's "Texture Fetching" describes: linear filtering with weights of 8 fractional bits;
/// `level` is the level of detail, biased and clamped here when `explicit_level`, else the full image is read.
Texel sample(const Texture& texture, const SamplePoint& point, float level, bool explicit_level);

/// One channel of the four texels that linear filtering in two dimensions would read: lower left, lower right, upper
/// right, upper left, the second coordinate pointing down.
Texel gather(const Texture& texture, const SamplePoint& point, unsigned component);

/// The level of detail at which the longer of two steps in texture space is one texel.
float level_of_gradients(const Texture& texture, unsigned dimensions, const std::array<float, 3>& dx,
                         const std::array<float, 3>& dy);

}  // namespace cpu::exec
