#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/textures/texture.hpp"

namespace cpu::exec {

/// Four channels as a register holds them: bits of a float where the texture is read as floats, else integers. A
/// channel that the format lacks is 0.
using Texel = std::array<std::uint32_t, 4>;

std::size_t channel_size(CUarray_format format);
inline std::size_t texel_size(const TexelImage& image) {
    return channel_size(image.format) * image.channels;
}

/// Does a fetch give floats? 8- and 16-bit integers do, unless they are read as integers.
bool reads_floats(const Texture& texture);

/// The texel of the texture that lies at `from`, as filtering takes it: integers as they are stored, widened, and
/// halves and floats as the bits of a float.
Texel stored_texel(const Texture& texture, const std::byte* from);
/// The border's colour in the texture's format.
Texel stored_border(const Texture& texture);

/// What a fetch gives for a texel that is stored.
Texel fetched(const Texture& texture, const Texel& stored);

/// Is a channel of the texture an sRGB colour?
bool is_colour(const Texture& texture, unsigned channel);
/// A stored colour made linear, in 65536ths.
std::uint32_t linear_colour(std::uint32_t stored);

/// What stands for 1 in integers that are read as fractions.
float largest(CUarray_format format);
bool is_signed(CUarray_format format);

/// Converts 32-bit values, one a channel, to the image's format.
void write_texel(const TexelImage& image, std::byte* to, std::span<const std::uint32_t> values);

/// Two floats rounded to half precision, the first in the lower half.
std::uint32_t packed_halves(std::uint32_t low, std::uint32_t high);

}  // namespace cpu::exec
