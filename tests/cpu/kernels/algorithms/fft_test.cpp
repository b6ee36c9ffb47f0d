#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(fft, Fft);

using Complex = std::complex<double>;

/// The definition's sums, split into even and odd terms.
std::vector<Complex> transform(const std::vector<Complex>& x) {
    const std::size_t n = x.size();
    if (n == 1) return x;
    std::vector<Complex> even, odd, result(n);
    for (std::size_t k = 0; k < n; k += 2) even.push_back(x[k]), odd.push_back(x[k + 1]);
    even = transform(even);
    odd = transform(odd);
    for (std::size_t k = 0; k < n / 2; ++k) {
        const Complex turned = std::polar(1.0, -2 * std::numbers::pi * double(k) / double(n)) * odd[k];
        result[k] = even[k] + turned;
        result[k + n / 2] = even[k] - turned;
    }
    return result;
}

template <class Real>
void expect_spectra(const std::vector<Real>& signal, const std::vector<Real>& spectrum, std::size_t row, double bound) {
    for (std::size_t start = 0; start < signal.size() / 2; start += row) {
        std::vector<Complex> x;
        for (std::size_t k = start; k < start + row; ++k) x.emplace_back(signal[2 * k], signal[2 * k + 1]);
        const std::vector<Complex> expected = transform(x);
        for (std::size_t k = 0; k < row; ++k) {
            const Complex got(spectrum[2 * (start + k)], spectrum[2 * (start + k) + 1]);
            ASSERT_LE(std::abs(got - expected[k]), bound) << "row " << start / row << ", " << k;
        }
    }
}

TEST_P(Fft, RowsInSinglePrecision) {
    const unsigned rows = 37, row = 512;
    const auto signal = Random(1).reals<float>(2 * rows * row, -1, 1);
    Buffer<float> in(signal), out(signal.size()), back(signal.size());
    launch("fft_float", {rows, row / 2, 2 * row * 8}, in, out, -1.0f);
    expect_spectra(signal, out.values(), row, 1e-4);
    // The driver's compiler may fuse more products and sums than the PTX says.
    expect_recorded_near("fft/float", out.values(), 0, 1e-4);
    launch("fft_float", {rows, row / 2, 2 * row * 8}, out, back, 1.0f);
    const auto returned = back.values();
    for (std::size_t n = 0; n < signal.size(); ++n) ASSERT_NEAR(returned[n] / row, signal[n], 1e-6) << n;
}

TEST_P(Fft, DoublePrecisionInMoreThan48KilobytesOfSharedMemory) {
    const unsigned rows = 3, row = 2048;
    const auto signal = Random(2).reals<double>(2 * rows * row, -1, 1);
    Buffer<double> in(signal), out(signal.size());
    launch("fft_double", {rows, row / 2, 2 * row * 16}, in, out, -1.0);
    expect_spectra(signal, out.values(), row, 1e-12);
    expect_recorded_near("fft/double", out.values(), 0, 1e-12);
}

}  // namespace
