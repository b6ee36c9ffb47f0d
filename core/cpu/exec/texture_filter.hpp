#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exec/texel.hpp"

namespace cpu::exec {

/// A texel and its weight in 256ths.
struct WeightedTexel {
    Texel texel;
    std::int32_t weight;
};

/// The mean of texels whose weights add up to 256, rounded as the GPU rounds it.
Texel weighted_mean(const Texture& texture, std::span<const WeightedTexel> texels);

/// Shares the weight of a place between 2, 4 or 8 neighbours, whose number has bit d set where they lie above in
/// dimension d; `above` says how far, in 256ths, the place is on its way up in each dimension. The shares are whole.
std::array<std::int32_t, 8> corner_weights(std::int32_t weight, std::span<const std::int32_t> above);

/// A channel of the texture as tld4 gives it: signed bytes are stretched to 16 bits.
std::uint32_t gathered(const Texture& texture, std::uint32_t channel);

}  // namespace cpu::exec
