#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/textures/texture.hpp"

namespace cpu::exec {

/// Four channels as a register holds them: the bits of a float if the texture is read as floats, else integers. A
/// channel that the format does not have is 0.
using Texel = std::array<std::uint32_t, 4>;

std::size_t channel_size(CUarray_format format);
inline std::size_t texel_size(const TexelImage& image) {
    return channel_size(image.format) * image.channels;
}

/// True if a fetch returns floats. 8- and 16-bit integers become floats too, unless they are read as integers.
bool reads_floats(const Texture& texture);

/// The texel at `from`, in the form that filtering uses: integers as stored but widened, halves and floats as the bits
/// of a float.
Texel stored_texel(const Texture& texture, const std::byte* from);
/// The border's colour in the texture's format.
Texel stored_border(const Texture& texture);

/// The result of a fetch for a stored texel.
Texel fetched(const Texture& texture, const Texel& stored);

/// True if a channel of the texture is an sRGB colour.
bool is_colour(const Texture& texture, unsigned channel);
/// A stored sRGB colour converted to linear, in 65536ths.
std::uint32_t linear_colour(std::uint32_t stored);

/// The integer that represents 1 in formats that are read as fractions.
float largest(CUarray_format format);
bool is_signed(CUarray_format format);

/// Converts 32-bit values, one for each channel, to the image's format.
void write_texel(const TexelImage& image, std::byte* to, std::span<const std::uint32_t> values);

/// Two floats rounded to half precision, the first in the lower half.
std::uint32_t packed_halves(std::uint32_t low, std::uint32_t high);

}  // namespace cpu::exec
