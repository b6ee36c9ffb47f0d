#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(atomics, Atomics);

TEST_P(Atomics, Functions) {
    const int n = 40 * 64;
    Buffer<int> i(4);
    Buffer<unsigned> u(std::vector<unsigned>{0, 0, ~0u, 0, 0, 0, 0});
    Buffer<std::uint64_t> w(3);
    Buffer<float> f(1);
    Buffer<double> d(1);
    Buffer<unsigned> h(1);
    launch("functions", {40, 64}, i, u, w, f, d, h);
    EXPECT_EQ(i.values(), (std::vector<int>{n * (n - 1) / 2, 1 - n, n - 1, -3 * n}));
    EXPECT_EQ(u.values(), (std::vector<unsigned>{0, ~0u, ~0x7fu, n % 100, 42 - n % 42, 40 * 64 * 2, 40}));
    EXPECT_EQ(w.values(), (std::vector<std::uint64_t>{std::uint64_t{n} << 33, std::uint64_t{n - 1} << 35, 5}));
    EXPECT_EQ(f.values()[0], n * 0.5f);
    EXPECT_EQ(d.values()[0], n * 0.25);
    EXPECT_EQ(h.values()[0], 0x6c006800u);  // in half precision, adding 1 stops at 2048 and adding 2 at 4096
    expect_recorded("atomics/integers", u.values());
    expect_recorded("atomics/halves", h.values());
}

TEST_P(Atomics, Objects) {
    const int blocks = 9, threads = 128, n = blocks * threads;
    unsigned expected = 1;
    for (int t = 0; t < n; ++t) expected *= 2 * static_cast<unsigned>(t) + 1;
    Buffer<unsigned> product(1, 1), flags(1);
    Buffer<int> least(1);
    Buffer<long long> sum(1);
    Buffer<float> total(1);
    launch("objects", {blocks, threads}, product, least, sum, total, flags);
    EXPECT_EQ(product.values()[0], expected);
    EXPECT_EQ(least.values()[0], 1 - n);
    EXPECT_EQ(sum.values()[0], n * (n - 1ll) / 2 - 7 * n);
    EXPECT_EQ(total.values()[0], n);
    EXPECT_EQ(flags.values()[0], blocks * (threads - 32u));
    expect_recorded("atomics/product", product.values());
}

}  // namespace
