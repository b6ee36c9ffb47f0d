#pragma once

#include <array>
#include <cstdint>

#include "exec/textures/sampler.hpp"

namespace cpu::exec {

/// The texel that the address mode gives for index i of n; -1: the border.
std::int64_t addressed(std::int64_t i, std::int64_t n, CUaddress_mode mode);

/// A coordinate between the centres of two texels: the lower one, and how near it is to the upper one in 256ths.
struct Between {
    std::int64_t low;
    std::int32_t above;
};

/// A coordinate of a fetch on its way to texels.
class Coordinate {
public:
    /// `size`: of the image in this dimension; a normalised coordinate is a fraction of it.
    Coordinate(double x, std::int64_t size, bool normalized, CUaddress_mode mode);
    /// The texel that it lies in, before the address mode.
    std::int64_t nearest() const;
    Between between() const;

private:
    double x_;  ///< in texels
};

/// A direction as a face of a cube map, and the place on it in [0, 1].
struct CubePlace {
    std::uint32_t face;
    std::array<double, 2> at;
};
/// Of two faces that are equally near the later one has the direction.
CubePlace cube_place(const std::array<float, 3>& direction);

/// The way from a direction to that which lies a step from it, in widths of a face, the next ones being unfolded.
std::array<float, 2> cube_step(const std::array<float, 3>& direction, const std::array<float, 3>& step);

/// Texel (i, j) of a face of n by n, one of them being -1 or n: the texel of the face beyond that edge.
struct CubeTexel {
    std::uint32_t face;
    std::int64_t i, j;
};
CubeTexel beyond_edge(std::uint32_t face, std::int64_t i, std::int64_t j, std::int64_t n);

}  // namespace cpu::exec
