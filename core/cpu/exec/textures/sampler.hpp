#pragma once

#include <array>
#include <cstdint>

#include "exec/textures/texel.hpp"

namespace cpu::exec {

/// Is notified of every texel that a fetch reads.
class TexelWatcher {
public:
    virtual void reads(const std::byte* texel, std::size_t bytes) const = 0;

protected:
    ~TexelWatcher() = default;
};

/// Where a texture is read. With `integer`, `index` is the texel. Otherwise `at` is the place in texels, or from 0 to 1
/// if the texture's coordinates are normalised; for a cube map, it is the direction.
struct SamplePoint {
    std::array<float, 3> at{};
    std::array<std::int32_t, 3> index{};
    std::array<std::int32_t, 3> offset{};  ///< offset in texels
    std::uint32_t layer = 0;
    std::uint8_t dimensions = 1;  ///< 1 to 3; 3 for a cube map
    bool integer = false;
    bool layered = false;
    bool cube = false;
    const TexelWatcher* watcher = nullptr;
};

/// Which level of a mipmapped texture is read: by level of detail, which is biased and clamped, or, at integer
/// coordinates, by the level's number. With neither, the level of detail is 0.
struct LevelChoice {
    enum class Kind : std::uint8_t { Implicit, Detail, Number };
    Kind kind = Kind::Implicit;
    float detail = 0;
    std::uint32_t number = 0;
};

/// The fetch that the CUDA guide's "Texture Fetching" describes: linear filtering with weights of 8 fractional bits.
Texel sample(const Texture& texture, const SamplePoint& point, const LevelChoice& level);

/// One channel of the four texels that linear filtering in two dimensions would read: lower left, lower right, upper
/// right, upper left, with the second coordinate pointing down.
Texel gather(const Texture& texture, const SamplePoint& point, unsigned component);

/// The level of detail at which the longest of two steps in texture space, and of their diagonals, is about one texel
/// long.
float level_of_gradients(const Texture& texture, const SamplePoint& point, const std::array<float, 3>& dx,
                         const std::array<float, 3>& dy);

}  // namespace cpu::exec
