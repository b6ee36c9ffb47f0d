#pragma once

#include <array>
#include <cstdint>

#include "exec/textures/sampler.hpp"

namespace cpu::exec {

/// The index of the texel that the address mode selects for index i of n; -1: the border.
std::int64_t addressed(std::int64_t i, std::int64_t n, CUaddress_mode mode);

/// A coordinate between the centres of two texels: the index of the lower one, and the distance from it in 256ths.
struct Between {
    std::int64_t low;
    std::int32_t above;
};

/// A coordinate of a fetch, while it is converted to texels.
class Coordinate {
public:
    /// `size`: the image's extent in this dimension; a normalised coordinate is a fraction of it.
    Coordinate(double x, std::int64_t size, bool normalized, CUaddress_mode mode);
    /// The index of the texel that contains it, before the address mode is applied.
    std::int64_t nearest() const;
    Between between() const;

private:
    double x_;  ///< in texels
};

/// A face of a cube map, and a place on it in [0, 1].
struct CubePlace {
    std::uint32_t face;
    std::array<double, 2> at;
};
/// If two faces are equally near, the later one is chosen.
CubePlace cube_place(const std::array<float, 3>& direction);

/// The step from one direction to another, in widths of a face, with the neighbouring faces unfolded.
std::array<float, 2> cube_step(const std::array<float, 3>& direction, const std::array<float, 3>& step);

/// Texel (i, j) of a face of n by n, where i or j is -1 or n: the texel of the face beyond that edge.
struct CubeTexel {
    std::uint32_t face;
    std::int64_t i, j;
};
CubeTexel beyond_edge(std::uint32_t face, std::int64_t i, std::int64_t j, std::int64_t n);

}  // namespace cpu::exec
