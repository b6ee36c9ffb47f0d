#include "pycuda/gpuarray/sort.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "arrays.hpp"
#include "pycuda/gpuarray/selection.hpp"

namespace pycuda::gpuarray::test {
namespace {

class SortTest : public ArrayTest {};

template <class T>
std::vector<T> scrambled(std::size_t n) {
    std::vector<T> values(n);
    std::uint64_t state = 12345;
    for (T& value : values) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        value = static_cast<T>(static_cast<std::int64_t>(state) >> 20) / (std::is_floating_point_v<T> ? T(1000) : T(1));
    }
    return values;
}

template <class T>
class SortOf : public SortTest {};
using Types = ::testing::Types<std::int8_t, std::uint32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(SortOf, Types);

TYPED_TEST(SortOf, SortsKeysAndReturnsIndices) {
    for (const std::size_t n : {1, 2, 100, 256, 257, 2048, 4096, 4097, 30000}) {
        const auto values = scrambled<TypeParam>(n);
        const Array in(values), keys{std::vector<TypeParam>(n)};
        const Array<std::int64_t> indices{std::vector<std::int64_t>(n)};
        sort(*this->kernels, keys.ref(), indices.ref(), in.ref(), nullptr);
        std::vector<std::int64_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
        });
        auto expected = values;
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(keys.values(), expected) << n;
        ASSERT_EQ(indices.values(), order) << n;
        sort(*this->kernels, in.ref(), {}, in.ref(), nullptr);  // in place
        ASSERT_EQ(in.values(), expected);
    }
}

TEST_F(SortTest, SortsEveryRow) {
    for (const Shape& shape : {Shape{3, 50}, Shape{700, 6}, Shape{2, 3, 1000}, Shape{3, 9000}}) {
        const auto n = static_cast<std::size_t>(Layout(shape, 1).size()),
                   length = static_cast<std::size_t>(shape.back());
        const auto values = scrambled<std::int16_t>(n);
        const Array in(values, shape), keys(std::vector<std::int16_t>(n), shape);
        const Array<std::int64_t> indices(std::vector<std::int64_t>(n), shape);
        sort(*kernels, keys.ref(), {}, in.ref(), nullptr);
        sort(*kernels, {}, indices.ref(), in.ref(), nullptr);
        const auto got = keys.values();
        const auto at = indices.values();
        for (std::size_t row = 0; row < n; row += length) {
            std::vector<std::int16_t> expected(values.begin() + static_cast<long>(row),
                                               values.begin() + static_cast<long>(row + length));
            std::stable_sort(expected.begin(), expected.end());
            for (std::size_t k = 0; k < length; ++k) {
                ASSERT_EQ(got[row + k], expected[k]);
                ASSERT_EQ(values[row + static_cast<std::size_t>(at[row + k])], expected[k]);
            }
        }
    }
}

TEST_F(SortTest, SkipsDigitsInWhichAllKeysAgree) {
    for (const std::size_t n : {300, 9000}) {
        std::vector<std::uint32_t> values(n);
        for (std::size_t k = 0; k < n; ++k) values[k] = 0x12003400u | static_cast<std::uint32_t>(k * 7 % 256) << 16;
        const Array in(values), keys{std::vector<std::uint32_t>(n)};
        const Array<std::int64_t> indices{std::vector<std::int64_t>(n)};
        sort(*kernels, keys.ref(), indices.ref(), in.ref(), nullptr);
        std::vector<std::int64_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
        });
        std::sort(values.begin(), values.end());
        ASSERT_EQ(keys.values(), values);
        ASSERT_EQ(indices.values(), order);
    }
}

TEST_F(SortTest, PutsNaNLastAndInfinitiesAtTheEnds) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const Array<float> x({nan, 1, -inf, -nan, 0, inf, -1});
    sort(*kernels, x.ref(), {}, x.ref(), nullptr);
    const auto got = x.values();
    EXPECT_EQ((std::vector<float>(got.begin(), got.begin() + 5)), (std::vector<float>{-inf, -1, 0, 1, inf}));
    EXPECT_TRUE(std::isnan(got[5]) && std::isnan(got[6]));
    const Array<bool> first(std::vector<bool>(7));
    mark_first(*kernels, first.ref(), x.ref(), nullptr);
    EXPECT_EQ(first.values(), (std::vector<bool>{true, true, true, true, true, true, false}));
}

TEST_F(SortTest, FindsDistinctValues) {
    const Array<std::int32_t> x({3, 1, 3, 2, 1, 1, 3});
    sort(*kernels, x.ref(), {}, x.ref(), nullptr);
    const Array<bool> first(std::vector<bool>(7));
    mark_first(*kernels, first.ref(), x.ref(), nullptr);
    const Array<std::int32_t> distinct(std::vector<std::int32_t>(3));
    compress(*kernels, distinct.ref(), x.ref(), first.ref(), nullptr);
    EXPECT_EQ(distinct.values(), (std::vector<std::int32_t>{1, 2, 3}));
    const Array<double> zeros({-0.0, 0.0, 1.0});
    mark_first(*kernels, Array<bool>(std::vector<bool>(3)).ref(), zeros.ref(), nullptr);
    const Array<bool> mask(std::vector<bool>(3));
    mark_first(*kernels, mask.ref(), zeros.ref(), nullptr);
    EXPECT_EQ(mask.values(), (std::vector<bool>{true, false, true}));
}

TEST_F(SortTest, PreparingLaunchesNothing) {
    for (const std::size_t n : {7, 5000, 40000}) {
        const auto values = scrambled<std::int16_t>(n);
        const Array x(values);
        const Array<bool> mask(std::vector<bool>(n, true));
        const Array<std::int16_t> out(std::vector<std::int16_t>(n, 9));
        for (int turn = 0; turn < 2; ++turn) {
            prepare_distinct(*kernels, x.ref());
            prepare_selection(*kernels, x.ref(), mask.ref());
            prepare_selection(*kernels, {}, x.ref());
            EXPECT_EQ(x.values(), values);
            compress(*kernels, out.ref(), x.ref(), mask.ref(), nullptr);
            EXPECT_EQ(out.values(), values);
        }
    }
    const Array<std::complex<float>> z(std::vector<std::complex<float>>(3));
    EXPECT_THROW(prepare_distinct(*kernels, z.ref()), ArgumentTypeError);
}

TEST_F(SortTest, RejectsMismatches) {
    const Array<float> x({1, 2, 3}), two({1, 2});
    const Array<std::complex<float>> z(std::vector<std::complex<float>>(3));
    EXPECT_THROW(sort(*kernels, two.ref(), {}, x.ref(), nullptr), std::invalid_argument);
    EXPECT_THROW(sort(*kernels, {}, {}, x.ref(), nullptr), std::invalid_argument);
    EXPECT_THROW(sort(*kernels, z.ref(), {}, z.ref(), nullptr), ArgumentTypeError);
    EXPECT_THROW(sort(*kernels, {}, x.ref(), x.ref(), nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
