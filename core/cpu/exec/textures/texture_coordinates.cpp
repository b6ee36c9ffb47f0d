#include "exec/textures/texture_coordinates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cpu::exec {

namespace {

constexpr double far_away = 1e9;

/// The number of steps into which a normalised coordinate is divided.
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

Coordinate::Coordinate(double x, std::int64_t size, bool normalized, CUaddress_mode mode) : x_(x) {
    const bool periodic = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
    const bool too_small = std::fabs(x) < std::numeric_limits<float>::min();
    const bool nothing = std::isnan(x) || too_small || (periodic && std::isinf(x));
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

namespace {

/// A direction as a place on its face: s to the right and t down, between -m and m.
template <class T>
struct Projected {
    std::uint32_t face;
    T s, t, m;
};

template <class T>
Projected<T> on_face(std::uint32_t face, const std::array<T, 3>& v) {
    switch (face) {
        case 0:
            return {face, -v[2], -v[1], v[0]};
        case 1:
            return {face, v[2], -v[1], -v[0]};
        case 2:
            return {face, v[0], v[2], v[1]};
        case 3:
            return {face, v[0], -v[2], -v[1]};
        case 4:
            return {face, v[0], -v[1], v[2]};
        default:
            return {face, -v[0], -v[1], -v[2]};
    }
}

/// A NaN compares less than any number.
template <class T>
Projected<T> project(const std::array<T, 3>& v) {
    const auto size = [](T c) { return c != c ? T(-1) : c < 0 ? -c : c; };
    const T x = size(v[0]), y = size(v[1]), z = size(v[2]);
    if (z >= x && z >= y) return on_face(v[2] < 0 ? 5 : 4, v);
    if (y >= x) return on_face(v[1] < 0 ? 3 : 2, v);
    return on_face(v[0] < 0 ? 1 : 0, v);
}

/// Where a direction meets the cube, with its faces unfolded around the given one; s and t are from -1 to 1 inside that
/// face.
std::array<double, 2> unfolded(std::uint32_t face, const std::array<double, 3>& v) {
    const Projected<double> p = on_face(face, v);
    const double s = std::fabs(p.s), t = std::fabs(p.t);
    if (std::max({p.m, s, t}) == 0) return {0, 0};
    if (p.m >= s && p.m >= t) return {p.s / p.m, p.t / p.m};
    if (s >= t) return {std::copysign(2 - p.m / s, p.s), p.t / s};
    return {p.s / t, std::copysign(2 - p.m / t, p.t)};
}

/// A GPU's approximate reciprocal: operand and result are never subnormal.
float reciprocal(float m) {
    constexpr float min = std::numeric_limits<float>::min();
    if (m < min) return std::numeric_limits<float>::infinity();
    return m > 1 / min ? 0.0f : 1 / m;
}

}  // namespace

CubePlace cube_place(const std::array<float, 3>& v) {
    // The direction is divided by its longest component before the face is chosen, not afterwards.
    const float scale = reciprocal(std::fmax(std::fmax(std::fabs(v[0]), std::fabs(v[1])), std::fabs(v[2])));
    const Projected<float> place = project<float>({v[0] * scale, v[1] * scale, v[2] * scale});
    const auto fraction = [](float c) { return std::isnan(c) ? 0.5 : (double{c} + 1) / 2; };
    return {place.face, {fraction(place.s), fraction(place.t)}};
}

std::array<float, 2> cube_step(const std::array<float, 3>& direction, const std::array<float, 3>& step) {
    std::array<double, 3> from{}, to{};
    for (unsigned d = 0; d < 3; ++d) {
        from[d] = direction[d];
        to[d] = from[d] + step[d];
    }
    const std::uint32_t face = project(from).face;
    const auto start = unfolded(face, from), end = unfolded(face, to);
    return {static_cast<float>((end[0] - start[0]) / 2), static_cast<float>((end[1] - start[1]) / 2)};
}

namespace {

/// The direction of a point of a face, with s and t from -m to m inside it: the inverse of `project`.
std::array<std::int64_t, 3> direction_of(std::uint32_t face, std::int64_t s, std::int64_t t, std::int64_t m) {
    switch (face) {
        case 0:
            return {m, -t, -s};
        case 1:
            return {-m, -t, s};
        case 2:
            return {s, m, t};
        case 3:
            return {s, -m, -t};
        case 4:
            return {s, -t, m};
        default:
            return {-s, -t, -m};
    }
}

}  // namespace

CubeTexel beyond_edge(std::uint32_t face, std::int64_t i, std::int64_t j, std::int64_t n) {
    // Seen from the cube's centre, a texel beyond an edge is one of the outermost texels of the next face.
    const auto place = project(direction_of(face, 2 * i + 1 - n, 2 * j + 1 - n, n));
    const auto texel = [&](std::int64_t x) {
        return std::clamp<std::int64_t>(n * (x + place.m) / (2 * place.m), 0, n - 1);
    };
    return {place.face, texel(place.s), texel(place.t)};
}

}  // namespace cpu::exec
