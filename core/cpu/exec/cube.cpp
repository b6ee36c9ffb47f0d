#include "exec/cube.hpp"

#include <algorithm>
#include <cmath>

namespace cpu::exec::cube {

namespace {

/// A face's middle, and the directions in which its coordinates grow.
struct Axes {
    std::array<int, 3> middle, x, y;
};
constexpr Axes faces[6] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
};

double dot(const std::array<int, 3>& axis, const std::array<double, 3>& v) {
    return axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
}

}  // namespace

Place place_of(const std::array<double, 3>& v) {
    const double x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
    const unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    Place place;
    place.face = 2 * axis + (v[axis] >= 0 ? 0 : 1);
    const double length = std::max({x, y, z});
    place.x = (dot(faces[place.face].x, v) / length + 1) / 2;
    place.y = (dot(faces[place.face].y, v) / length + 1) / 2;
    return place;
}

Texel across_edge(const Texel& outside, std::int64_t size) {
    const Axes& axes = faces[outside.face];
    const auto n = static_cast<double>(size);
    const double x = static_cast<double>(2 * outside.x + 1) / n - 1, y = static_cast<double>(2 * outside.y + 1) / n - 1;
    std::array<double, 3> direction;
    for (unsigned d = 0; d < 3; ++d) direction[d] = axes.middle[d] + x * axes.x[d] + y * axes.y[d];
    const Place place = place_of(direction);
    const auto index = [&](double at) { return std::clamp<std::int64_t>(static_cast<std::int64_t>(at * n), 0, size - 1); };
    return {place.face, index(place.x), index(place.y)};
}

}  // namespace cpu::exec::cube
