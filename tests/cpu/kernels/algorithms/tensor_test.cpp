#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(tensor, TensorCores);

constexpr int rows = 64, columns = 96, inner = 48;

struct Tile {
    unsigned rows, columns;
};

/// First integers, whose sums are all exact, then real numbers, added as the GPU adds them.
class Numbers {
public:
    explicit Numbers(bool whole) : whole_(whole) {}
    template <class T>
    std::vector<T> matrix(unsigned seed, int count, bool positive = false) const {
        Random random(seed);
        std::vector<T> out;
        for (int n = 0; n < count; ++n) {
            const int integer = random.integer(positive ? 0 : -4, 5);
            out.push_back(static_cast<T>(static_cast<float>(whole_ ? integer : random.real(-2, 2))));
        }
        return out;
    }

private:
    bool whole_;
};

template <class T>
double real(T value) {
    return static_cast<double>(static_cast<float>(value));
}
double real(double value) {
    return value;
}

/// 2 (A B + C); B in rows or in columns.
template <class In, class Out>
std::vector<double> expected(const std::vector<In>& a, const std::vector<In>& b, const std::vector<Out>& c,
                             bool b_in_rows) {
    std::vector<double> d;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            double sum = real(c[i * columns + j]);
            for (int k = 0; k < inner; ++k)
                sum += real(a[i * inner + k]) * real(b_in_rows ? b[k * columns + j] : b[j * inner + k]);
            d.push_back(2 * sum);
        }
    return d;
}

template <class T>
std::vector<double> reals(const std::vector<T>& values) {
    std::vector<double> out;
    for (const T& value : values) out.push_back(real(value));
    return out;
}

TEST_P(TensorCores, ProductsByFragments) {
    const auto run = [&]<class In, class Out>(const char* kernel, Tile tile, bool b_in_rows, In, Out) {
        for (const bool whole : {true, false}) {
            const Numbers numbers(whole);
            const bool positive = std::is_unsigned_v<In>;
            const auto a = numbers.matrix<In>(60, rows * inner, positive);
            const auto b = numbers.matrix<In>(61, inner * columns, positive);
            const auto c = numbers.matrix<Out>(62, rows * columns);
            Buffer<In> da(a), db(b);
            Buffer<Out> dc(c), dd(rows * columns);
            launch(kernel, {{columns / tile.columns, rows / tile.rows}, 32}, da, db, dc, dd, columns, inner);
            if (whole) {
                EXPECT_EQ(reals(dd.values()), expected(a, b, c, b_in_rows)) << kernel;
            }
            expect_recorded(std::string("tensor/") + kernel + (whole ? "_whole" : "_real"), dd.values());
            if (std::is_integral_v<In>) break;
        }
    };
    run("half_float", {16, 16}, true, __half{}, float{});
    run("half_half", {16, 16}, false, __half{}, __half{});
    run("half_wide", {8, 32}, false, __half{}, float{});
    run("bfloat_tall", {32, 8}, true, __nv_bfloat16{}, float{});
    run("tf32_float", {16, 16}, true, float{}, float{});
    run("double_double", {8, 8}, false, double{}, double{});
    run("char_int", {16, 16}, true, static_cast<signed char>(0), int{});
    run("byte_int", {32, 8}, false, static_cast<unsigned char>(0), int{});
}

TEST_P(TensorCores, ProductThroughLdmatrix) {
    for (const bool whole : {true, false}) {
        const auto a = Numbers(whole).matrix<__half>(63, rows * inner);
        const auto b = Numbers(whole).matrix<__half>(64, inner * columns);
        Buffer<__half> da(a), db(b);
        Buffer<float> dd(rows * columns);
        launch("through_ldmatrix", {{columns / 32, rows / 32}, 128}, da, db, dd, columns, inner);
        if (whole) {
            std::vector<double> twice;
            for (const float value : dd.values()) twice.push_back(2 * value);
            EXPECT_EQ(twice, expected(a, b, std::vector<float>(rows * columns), true));
        }
        expect_recorded(whole ? "tensor/through_ldmatrix_whole" : "tensor/through_ldmatrix_real", dd.values());
    }
}

TEST_P(TensorCores, LanesThatComeByDifferentWays) {
    const auto a = Numbers(true).matrix<__half>(65, 32 * 8), b = Numbers(true).matrix<__half>(66, 32 * 4);
    Buffer<__half> da(a), db(b);
    Buffer<float> dd(32 * 4);
    launch("after_branches", {1, 32}, da, db, dd);
    // As the PTX manual spreads the matrices: four lanes per row of A and D, four per column of B.
    std::vector<float> wanted(32 * 4);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
            const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            float sum = lane % 3 == 0 ? static_cast<float>(lane + i) : static_cast<float>(lane * i);
            for (int n = 0; n < lane % 5; ++n) sum += n % 4 == i ? static_cast<float>(n) : 0;
            for (int k = 0; k < 16; ++k) {
                const int of_a = (row % 8 * 4 + k % 8 / 2) * 8 + (row / 8 + k / 8 * 2) * 2 + k % 2;
                const int of_b = (column * 4 + k % 8 / 2) * 4 + k / 8 * 2 + k % 2;
                sum += static_cast<float>(a[of_a]) * static_cast<float>(b[of_b]);
            }
            wanted[lane * 4 + i] = sum;
        }
    EXPECT_EQ(dd.values(), wanted);
}

}  // namespace
