#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/texture.hpp"

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

/// The texel of the texture that lies at `from`.
Texel read_texel(const Texture& texture, const std::byte* from);

/// What a fetch gives outside a texture whose address mode is the border.
Texel border_texel(const Texture& texture);

/// In what linear filtering computes: floats of so many significant bits whose lowest is 2^least, or fractions of
/// `unit`.
struct Precision {
    int bits;
    int least;
    double unit;
    bool of_bytes;  ///< a signed byte stretched to 16 bits
};
Precision precision(const Texture& texture);

/// Converts 32-bit values, one a channel, to the image's format.
void write_texel(const TexelImage& image, std::byte* to, std::span<const std::uint32_t> values);

/// Two floats rounded to half precision, the first in the lower half.
std::uint32_t packed_halves(std::uint32_t low, std::uint32_t high);

}  // namespace cpu::exec
