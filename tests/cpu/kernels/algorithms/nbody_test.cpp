#include <array>
#include <cmath>
#include <utility>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(nbody, NBody);

using Bodies = std::vector<std::array<double, 4>>;

void advance(Bodies& bodies, Bodies& velocities, double softening_squared, double step) {
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (const auto& other : bodies) {
            std::array<double, 3> d;
            double squares = softening_squared;
            for (int c = 0; c < 3; ++c) d[c] = other[c] - bodies[i][c], squares += d[c] * d[c];
            for (int c = 0; c < 3; ++c) velocities[i][c] += d[c] * other[3] / (squares * std::sqrt(squares)) * step;
        }
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (int c = 0; c < 3; ++c) bodies[i][c] += velocities[i][c] * step;
}

TEST_P(NBody, PositionsAfterThreeSteps) {
    const int count = 600;
    const float physics[2] = {0.01f, 0.002f};
    set_global("physics", physics, sizeof physics);
    Random random(11);
    std::vector<float> start = random.reals<float>(4 * count, -1, 1);
    Bodies expected(count), velocities(count);
    for (int i = 0; i < count; ++i) {
        start[4 * i + 3] = static_cast<float>(random.real(0.001, 0.01));
        for (int c = 0; c < 4; ++c) expected[i][c] = start[4 * i + c];
    }
    Buffer<float> bodies(start), moved(4 * count), speeds(4 * count);
    for (int step = 0; step < 3; ++step) {
        const bool even = step % 2 == 0;
        launch("advance", {blocks_for(count, 128), 128, 128 * 16}, even ? bodies : moved, even ? moved : bodies, speeds,
               count);
        advance(expected, velocities, physics[0], physics[1]);
    }
    const auto got = moved.values(), speed = speeds.values();
    for (int i = 0; i < count; ++i)
        for (int c = 0; c < 3; ++c) {
            ASSERT_NEAR(got[4 * i + c], expected[i][c], 1e-6) << i;
            ASSERT_NEAR(speed[4 * i + c], velocities[i][c], 2e-5) << i;
        }
    // rsqrt is approximate: PTX allows it an error of 2^-22.4.
    expect_recorded_near("nbody/positions", got, 1e-6, 1e-6);
    expect_recorded_near("nbody/velocities", speed, 1e-5, 1e-5);
}

}  // namespace
