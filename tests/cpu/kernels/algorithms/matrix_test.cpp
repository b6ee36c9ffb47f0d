#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(matrix, Matrices);

template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, int rows, int inner, int columns) {
    std::vector<T> c(rows * columns);
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k)
            for (int j = 0; j < columns; ++j) c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    return c;
}

TEST_P(Matrices, ProductsByTiles) {
    const auto run = [&]<class T>(const char* kernel, unsigned tile, T range) {
        const int rows = 75, inner = 101, columns = 66;
        const int high = static_cast<int>(range);
        const auto a = Random(50).integers<T>(rows * inner, -high, high);
        const auto b = Random(51).integers<T>(inner * columns, -high, high);
        Buffer<T> da(a), db(b), dc(rows * columns);
        launch(kernel, {{blocks_for(columns, tile), blocks_for(rows, tile)}, {tile, tile}}, da, db, dc, rows, inner,
               columns);
        EXPECT_EQ(dc.values(), product(a, b, rows, inner, columns)) << kernel;  // of integers: exact
        expect_recorded(std::string("matrix/") + kernel, dc.values());
    };
    run("product_float", 16, 100.0f);
    run("product_double", 8, 1e6);
    run("product_long", 8, 1000000000ull);  // sums wrap around
}

TEST_P(Matrices, ProductInRegisters) {
    const int rows = 96, inner = 72, columns = 128;
    const auto a = Random(52).integers<float>(rows * inner, -100, 100);
    const auto b = Random(53).integers<float>(inner * columns, -100, 100);
    Buffer<float> da(a), db(b), dc(rows * columns);
    launch("product_in_registers", {{columns / 32, rows / 32}, 64}, da, db, dc, inner, columns);
    EXPECT_EQ(dc.values(), product(a, b, rows, inner, columns));
    expect_recorded("matrix/product_in_registers", dc.values());
}

TEST_P(Matrices, TranspositionThroughMoreThan48Kilobytes) {
    const int rows = 70, columns = 2000;
    Random random(54);
    std::vector<unsigned> in(rows * columns), expected(rows * columns);
    for (int i = 0; i < rows * columns; ++i) in[i] = expected[i % columns * rows + i / columns] = random.bits();
    Buffer<unsigned> from(in), to(in.size());
    launch("transpose", {5, 256, 16 * columns * 4}, from, to, rows, columns);
    EXPECT_EQ(to.values(), expected);
    expect_recorded("matrix/transpose", to.values());
}

}  // namespace
