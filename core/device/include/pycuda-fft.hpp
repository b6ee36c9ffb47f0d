// Fast Fourier transforms of stacks of vectors: Stockham's for powers of two, one pass over memory a stage, and what
// Bluestein's needs for other lengths. Functions are called with the number of a thread, as many of them as they say; R
// is float or double.
#pragma once

#include "pycuda-complex.hpp"

namespace pycuda {
namespace fft {

typedef long long index;

// __sincospi of either precision: exact where the angle is, so that errors do not grow with the length.
__device__ inline void sincos_of_pi(float x, float* sine, float* cosine) {
    sincospif(x, sine, cosine);
}
__device__ inline void sincos_of_pi(double x, double* sine, double* cosine) {
    sincospi(x, sine, cosine);
}

/// exp(i pi numerator / denominator), with |numerator| <= 2 * denominator.
template <class R>
__device__ complex<R> unit(index numerator, index denominator) {
    R sine, cosine;
    sincos_of_pi(static_cast<R>(static_cast<double>(numerator) / static_cast<double>(denominator)), &sine, &cosine);
    return complex<R>(cosine, sine);
}

/// One stage of the transforms of vectors of n elements: `half` is 1, 2, 4, … n / 2, and sign is -1 forwards, 1
/// backwards. A thread for each of half the elements. The last stage leaves them in order.
template <class R>
__device__ void stage(const complex<R>* from, complex<R>* to, index n, index half, int sign, index thread) {
    const index row = thread / (n / 2) * n, i = thread % (n / 2), k = i % half;
    const complex<R> a = from[row + i], b = from[row + i + n / 2] * unit<R>(sign * k, half);
    complex<R>* const target = to + row + 2 * (i - k) + k;
    target[0] = a + b;
    target[half] = a - b;
}

// ---- Bluestein: jk = (j^2 + k^2 - (j - k)^2) / 2 makes a transform of n elements a convolution with exp(i pi k^2 /
// n), which transforms of m elements, a power of two from 2n - 1, do.

/// exp(i sign pi k^2 / n)
template <class R>
__device__ complex<R> chirp(index k, index n, int sign) {
    return unit<R>(sign * (k * k % (2 * n)), n);
}

/// Set rows of m elements to the n elements of others times the chirp, and zeros. A thread for each of them.
template <class R>
__device__ void spread(const complex<R>* from, complex<R>* to, index n, index m, int sign, index thread) {
    const index row = thread / m, k = thread % m;
    to[thread] = k < n ? from[row * n + k] * chirp<R>(k, n, sign) : complex<R>(0);
}

/// What is convolved with: m elements.
template <class R>
__device__ void conjugate_chirp(complex<R>* to, index n, index m, int sign, index k) {
    const index distance = k < m - k ? k : m - k;
    to[k] = distance < n ? chirp<R>(distance, n, -sign) : complex<R>(0);
}

/// Multiply rows of m elements by one, and by a factor.
template <class R>
__device__ void multiply(complex<R>* rows, const complex<R>* by, index m, R factor, index thread) {
    rows[thread] = rows[thread] * by[thread % m] * factor;
}

/// Set rows of n elements to the first of rows of m times the chirp. A thread for each of them.
template <class R>
__device__ void gather(const complex<R>* from, complex<R>* to, index n, index m, int sign, index thread) {
    const index row = thread / n, k = thread % n;
    to[thread] = from[row * m + k] * chirp<R>(k, n, sign);
}

// ---- real transforms

/// Set rows of n elements to those whose transform is real, of which the first n / 2 + 1 are given. A thread for each.
template <class R>
__device__ void mirror(const complex<R>* from, complex<R>* to, index n, index thread) {
    const index row = thread / n * (n / 2 + 1), k = thread % n;
    const complex<R> value = k <= n / 2 ? from[row + k] : conj(from[row + n - k]);
    to[thread] = k == 0 || 2 * k == n ? complex<R>(value._M_re) : value;
}

}  // namespace fft
}  // namespace pycuda
