#include "pycuda/gpuarray/composed/matmul.hpp"

#include "gpuarray/arrays.hpp"

namespace pycuda::gpuarray::test {
namespace {

class MatmulTest : public ArrayTest {
protected:
    static std::vector<std::int64_t> numbers(std::int64_t n) {
        std::vector<std::int64_t> values(static_cast<std::size_t>(n));
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::int64_t>(k * 37 % 19) - 9;
        return values;
    }
};

std::int64_t at(const std::vector<std::int64_t>& values, const Layout& layout,
                std::initializer_list<std::int64_t> index) {
    std::int64_t offset = 0;
    std::size_t axis = 0;
    for (const std::int64_t i : index) offset += i * layout.strides()[axis++];
    return values[static_cast<std::size_t>(offset / 8)];
}

TEST_F(MatmulTest, MultipliesInAnyOrderOfMemory) {
    for (const auto& [m, k, n] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 1, 1},
                                  {3, 5, 2},
                                  {70, 33, 65},
                                  {64, 16, 128},
                                  {200, 131, 130}})
        for (const bool a_fortran : {false, true})
            for (const bool b_fortran : {false, true}) {
                const Layout la(Shape{m, k}, 8, a_fortran), lb(Shape{k, n}, 8, b_fortran),
                    lo(Shape{m, n}, 8, a_fortran);
                const auto x = numbers(m * k), y = numbers(k * n);
                const Array a(x, la), b(y, lb), out(std::vector<std::int64_t>(static_cast<std::size_t>(m * n)), lo);
                matmul(*kernels, out.ref(), a.ref(), b.ref(), nullptr);
                const auto got = out.values();
                for (std::int64_t i = 0; i < m; ++i)
                    for (std::int64_t j = 0; j < n; ++j) {
                        std::int64_t sum = 0;
                        for (std::int64_t l = 0; l < k; ++l) sum += at(x, la, {i, l}) * at(y, lb, {l, j});
                        ASSERT_EQ(at(got, lo, {i, j}), sum) << m << ' ' << i << ' ' << j;
                    }
            }
}

TEST_F(MatmulTest, BroadcastsStacksAndMixesTypes) {
    const Array<float> a({1, 2, 3, 4, 5, 6, 7, 8}, Shape{2, 2, 2});
    const Array<std::complex<float>> b({{0, 1}, {1, 0}, {2, 0}, {0, -1}}, Shape{2, 2});
    const Array<std::complex<float>> out(std::vector<std::complex<float>>(8), Shape{2, 2, 2});
    matmul(*kernels, out.ref(), a.ref(), b.ref(), nullptr);
    using C = std::complex<float>;
    EXPECT_EQ(out.values(),
              (std::vector<C>{C(4, 1), C(1, -2), C(8, 3), C(3, -4), C(12, 5), C(5, -6), C(16, 7), C(7, -8)}));
}

TEST_F(MatmulTest, AnEmptySumIsZero) {
    const Array<float> a(std::vector<float>{}, Shape{2, 0}), b(std::vector<float>{}, Shape{0, 2});
    const Array<float> out({9, 9, 9, 9}, Shape{2, 2});
    matmul(*kernels, out.ref(), a.ref(), b.ref(), nullptr);
    EXPECT_EQ(out.values(), std::vector<float>(4, 0));
}

TEST_F(MatmulTest, RejectsMismatches) {
    const Array<float> a(std::vector<float>(6), Shape{2, 3}), b(std::vector<float>(8), Shape{2, 4}), line({1, 2, 3});
    EXPECT_EQ(
        pycuda::test::message_of<std::invalid_argument>([&] { matmul(*kernels, a.ref(), a.ref(), b.ref(), nullptr); }),
        "shapes (2,3) and (2,4) cannot be multiplied into shape (2,3)");
    EXPECT_THROW(matmul(*kernels, a.ref(), a.ref(), line.ref(), nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::gpuarray::test
