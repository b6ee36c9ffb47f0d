#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exec/textures/texel.hpp"

namespace cpu::exec {

/// A stored texel and its weight in 256ths. The GPU mixes four texels at a time, a quad.
struct WeightedTexel {
    Texel texel;
    std::int32_t weight;
    std::uint32_t quad = 0;  ///< equal for the texels of one quad, which are adjacent
};

/// The result of a fetch: the mean of texels whose weights add up to 256, rounded as on a GPU.
Texel weighted_mean(const Texture& texture, std::span<const WeightedTexel> texels);

/// Divides the weight of a place among 2, 4 or 8 neighbours. Bit d of a neighbour's number is set if it is the upper
/// one in dimension d; `above` is how far the place is from the lower to the upper one in each dimension, in 256ths.
/// The shares are integers.
std::array<std::int32_t, 8> corner_weights(std::int32_t weight, std::span<const std::int32_t> above);

/// The part of the missing texel's weight, at a cube's corner, that each of the two other neighbours receives.
std::int32_t corner_share(std::int32_t weight);

/// A channel of a stored texel as tld4 returns it: signed bytes are stretched to 16 bits.
std::uint32_t gathered(const Texture& texture, const Texel& stored, unsigned channel);

}  // namespace cpu::exec
