#include "exec/texture_coordinates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cpu::exec {

namespace {

constexpr double far_away = 1e9;

/// Into how many steps a normalised coordinate is cut.
double steps(double size) {
    return std::has_single_bit(static_cast<std::uint64_t>(size)) ? 1 << 22 : 1 << 21;
}

}  // namespace

std::int64_t addressed(std::int64_t i, std::int64_t n, CUaddress_mode mode) {
    switch (mode) {
        case CU_TR_ADDRESS_MODE_WRAP:
            return (i % n + n) % n;
        case CU_TR_ADDRESS_MODE_MIRROR:
            i = (i % (2 * n) + 2 * n) % (2 * n);
            return i < n ? i : 2 * n - 1 - i;
        case CU_TR_ADDRESS_MODE_BORDER:
            return i >= 0 && i < n ? i : -1;
        default:
            return std::clamp<std::int64_t>(i, 0, n - 1);
    }
}

Coordinate::Coordinate(float x, std::int64_t size, bool normalized, CUaddress_mode mode) : x_(x) {
    const bool periodic = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
    const bool nothing = std::isnan(x) || std::fpclassify(x) == FP_SUBNORMAL || (periodic && std::isinf(x));
    if (nothing) x_ = 0;
    if (periodic) x_ -= 2 * std::floor(x_ / 2);  // exact; the period of both modes divides 2
    if (normalized) {
        const double whole = static_cast<double>(size), count = steps(whole);
        x_ = std::floor(x_ * count) / count * whole;
    }
    x_ = std::clamp(x_, -far_away, far_away);
}

std::int64_t Coordinate::nearest() const {
    return static_cast<std::int64_t>(std::floor(x_));
}

Between Coordinate::between() const {
    const auto fixed = static_cast<std::int64_t>(std::floor((x_ - 0.5) * 256 + 0.5));
    return {fixed >> 8, static_cast<std::int32_t>(fixed & 255)};
}

CubePlace cube_place(const std::array<float, 3>& v) {
    const float x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
    std::uint32_t face;
    float s, t, m;
    if (z >= x && z >= y) {
        face = v[2] >= 0 ? 4 : 5;
        m = z, s = v[2] >= 0 ? v[0] : -v[0], t = -v[1];
    } else if (y >= x) {
        face = v[1] >= 0 ? 2 : 3;
        m = y, s = v[0], t = v[1] >= 0 ? v[2] : -v[2];
    } else {
        face = v[0] >= 0 ? 0 : 1;
        m = x, s = v[0] >= 0 ? -v[2] : v[2], t = -v[1];
    }
    if (m == 0) return {face, {0.5f, 0.5f}};
    return {face, {(s / m + 1) / 2, (t / m + 1) / 2}};
}

namespace {

/// The direction of a point of a face, s and t from -1 to 1 inside it: what cube_place undoes.
std::array<float, 3> direction_of(std::uint32_t face, float s, float t) {
    switch (face) {
        case 0:
            return {1, -t, -s};
        case 1:
            return {-1, -t, s};
        case 2:
            return {s, 1, t};
        case 3:
            return {s, -1, -t};
        case 4:
            return {s, -t, 1};
        default:
            return {-s, -t, -1};
    }
}

}  // namespace

CubeTexel beyond_edge(std::uint32_t face, std::int64_t i, std::int64_t j, std::int64_t n) {
    // Seen from the cube's centre a texel beyond an edge lies on the outermost texels of the next face.
    const auto centre = [&](std::int64_t k) { return static_cast<float>(2 * k + 1 - n) / static_cast<float>(n); };
    const CubePlace place = cube_place(direction_of(face, centre(i), centre(j)));
    const auto texel = [&](float x) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(x * static_cast<float>(n))), 0, n - 1);
    };
    return {place.face, texel(place.at[0]), texel(place.at[1])};
}

}  // namespace cpu::exec
