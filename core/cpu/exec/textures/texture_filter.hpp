#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exec/textures/texel.hpp"

namespace cpu::exec {

/// A texel as it is stored, and its weight in 256ths. The GPU mixes four texels at a time, a quad.
struct WeightedTexel {
    Texel texel;
    std::int32_t weight;
    std::uint32_t quad = 0;  ///< equal for those of one quad, which stand one behind the other
};

/// The result of a fetch: the mean of texels whose weights add up to 256, rounded as a GPU does.
Texel weighted_mean(const Texture& texture, std::span<const WeightedTexel> texels);

/// Shares the weight of a place between 2, 4 or 8 neighbours, whose number has bit d set where they lie above in
/// dimension d; `above` says how far, in 256ths, the place is on its way up in each dimension. The shares are whole.
std::array<std::int32_t, 8> corner_weights(std::int32_t weight, std::span<const std::int32_t> above);

/// The part of a weight that each of the two other texels at a cube's corner takes of the one that is missing there.
std::int32_t corner_share(std::int32_t weight);

/// A channel of a stored texel as tld4 gives it: signed bytes are stretched to 16 bits.
std::uint32_t gathered(const Texture& texture, const Texel& stored, unsigned channel);

}  // namespace cpu::exec
