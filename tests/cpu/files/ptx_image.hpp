#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <string>

#include "files/ptx_array.hpp"

/// Textures and surfaces of the files of instructions; the lines above a kernel describe its parameters:
///
///     // tex f32 4x2 linear wrap normalized: 1 2 3 4 5 6 7 8
///     // surf u8x4 8: 0..31
///     // left: 9 9 9 9 4..31               the expected contents of the surface above
///
/// First the format of a texel (u8 s8 u16 s16 u32 s32 f16 f32, "x2" and "x4" for more channels) and the size, then in
/// any order:
///
///     array, memory, pitch                where the texels lie; default: in an array
///     layered, cube                       the last size is the number of layers, of faces (6 a layer)
///     levels=3                            mipmapped; the texels of a level follow those of the one before
///     wrap, clamp, mirror, border         the address mode of all coordinates, or one each; default: clamp
///     linear, mip-linear                  how texels and levels are filtered; default: the nearest is taken
///     normalized, integer, srgb, seamless
///     border=1,2,3,4 bias=0.5 lods=1,3 anisotropy=4
///
/// Texels are numbers of the format (for f16: bits); "a..b" are all integers from a to b.
namespace ptx_file {

struct Image {
    enum class Place { Array, Memory, Pitch };

    bool surface = false;
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 1;
    std::size_t width = 0, height = 0, depth = 0;  ///< 0: no such dimension
    Place place = Place::Array;
    unsigned array_flags = 0;
    unsigned levels = 0;  ///< 0: not mipmapped
    CUDA_TEXTURE_DESC sampling{};
    Array texels;
    Array left;  ///< empty: not compared

    std::size_t channel_bytes() const;
    std::size_t texel_bytes() const { return channel_bytes() * channels; }
    /// Width, height and depth of a level; layers and faces are not halved.
    std::array<std::size_t, 3> extent(unsigned level) const;
    std::size_t bytes(unsigned level) const;
};

/// The line without its "// ". Throws std::runtime_error that says what is wrong.
Image read_image(const std::string& line);
/// The texels of a "left:" line.
void read_left(Image& image, const std::string& line);

}  // namespace ptx_file
