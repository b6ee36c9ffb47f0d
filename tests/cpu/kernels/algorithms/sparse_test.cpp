#include <algorithm>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(sparse, Sparse);

struct Matrix {
    std::vector<unsigned> starts{0}, columns;
    std::vector<int> values;
};

/// Rows of 0 to 90 entries, most of them short. All sums are small integers, so their order does not matter.
Matrix matrix(unsigned rows) {
    Random random(8);
    Matrix m;
    for (unsigned row = 0; row < rows; ++row) {
        const int length = random.integer(0, row % 16 == 3 ? 90 : 12);
        for (int k = 0; k < length; ++k) {
            m.columns.push_back(random.bits() % rows);
            m.values.push_back(random.integer(-9, 10));
        }
        m.starts.push_back(static_cast<unsigned>(m.columns.size()));
    }
    return m;
}

template <class Real>
std::vector<Real> product(const Matrix& m, const std::vector<Real>& x) {
    std::vector<Real> y;
    for (std::size_t row = 0; row + 1 < m.starts.size(); ++row) {
        Real sum = 0;
        for (unsigned k = m.starts[row]; k < m.starts[row + 1]; ++k) sum += Real(m.values[k]) * x[m.columns[k]];
        y.push_back(sum);
    }
    return y;
}

struct Rows {
    CUdeviceptr starts, columns, values;
    unsigned count;
};

TEST_P(Sparse, CompressedRows) {
    const unsigned count = 9001;
    const Matrix m = matrix(count);
    const auto x = Random(9).integers<float>(count, -20, 20);
    const std::vector<double> wide_x(x.begin(), x.end());
    Buffer<unsigned> starts(m.starts), columns(m.columns);
    Buffer<float> values(std::vector<float>(m.values.begin(), m.values.end())), dx(x), y(count);
    Buffer<double> wide_values(std::vector<double>(m.values.begin(), m.values.end())), wide_dx(wide_x), wide_y(count);
    launch("csr_thread_per_row", {blocks_for(count, 128), 128},
           Rows{starts.address(), columns.address(), values.address(), count}, dx, y);
    EXPECT_EQ(y.values(), product(m, x));
    launch("csr_warp_per_row", {blocks_for(32 * count, 256), 256},
           Rows{starts.address(), columns.address(), wide_values.address(), count}, wide_dx, wide_y);
    EXPECT_EQ(wide_y.values(), product(m, wide_x));
    expect_recorded("sparse/csr", y.values());
    expect_recorded("sparse/csr_double", wide_y.values());
}

TEST_P(Sparse, Ellpack) {
    const unsigned count = 5003, width = 90;
    const Matrix m = matrix(count);
    std::vector<unsigned> columns(width * count, ~0u);
    std::vector<float> values(width * count);
    for (unsigned row = 0; row < count; ++row)
        for (unsigned k = m.starts[row]; k < m.starts[row + 1]; ++k) {
            columns[(k - m.starts[row]) * count + row] = m.columns[k];
            values[(k - m.starts[row]) * count + row] = static_cast<float>(m.values[k]);
        }
    const auto x = Random(10).integers<float>(count, -20, 20);
    Buffer<unsigned> dcolumns(columns);
    Buffer<float> dvalues(values), dx(x), y(count);
    launch("ellpack", {blocks_for(count, 96), 96}, dcolumns, dvalues, width, count, dx, y);
    EXPECT_EQ(y.values(), product(m, x));
    expect_recorded("sparse/ellpack", y.values());
}

}  // namespace
