// Fast Fourier transforms of stacks of vectors: Stockham's algorithm for powers of two, with one pass over memory per
// stage, and the steps of Bluestein's algorithm for other lengths. Each thread calls a function once, with its own
// number; the function says how many threads it needs. R is float or double.
#pragma once

#include "pycuda-complex.hpp"

namespace pycuda {
namespace fft {

typedef long long index;

// sincospi for either precision: no error from a rounded multiple of pi, which would grow with the length.
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
/// backwards. One thread for every two elements. The last stage leaves the elements in order.
template <class R>
__device__ void stage(const complex<R>* from, complex<R>* to, index n, index half, int sign, index thread) {
    const index row = thread / (n / 2) * n, i = thread % (n / 2), k = i % half;
    const complex<R> a = from[row + i], b = from[row + i + n / 2] * unit<R>(sign * k, half);
    complex<R>* const target = to + row + 2 * (i - k) + k;
    target[0] = a + b;
    target[half] = a - b;
}

// ---- Bluestein: since jk = (j^2 + k^2 - (j - k)^2) / 2, a transform of n elements is a convolution with
// exp(i pi k^2 / n). Transforms of m elements compute it; m is a power of two, at least 2n - 1.

/// exp(i sign pi k^2 / n)
template <class R>
__device__ complex<R> chirp(index k, index n, int sign) {
    return unit<R>(sign * (k * k % (2 * n)), n);
}

/// Set rows of m elements to rows of n elements times the chirp, followed by zeros. One thread per element set.
template <class R>
__device__ void modulate(const complex<R>* from, complex<R>* to, index n, index m, int sign, index thread) {
    const index row = thread / m, k = thread % m;
    to[thread] = k < n ? from[row * n + k] * chirp<R>(k, n, sign) : complex<R>(0);
}

/// The other operand of the convolution. One thread for each of its m elements.
template <class R>
__device__ void conjugate_chirp(complex<R>* to, index n, index m, int sign, index k) {
    const index distance = k < m - k ? k : m - k;
    to[k] = distance < n ? chirp<R>(distance, n, -sign) : complex<R>(0);
}

/// Multiply rows of m elements by the row `by`, and by a factor. One thread per element.
template <class R>
__device__ void multiply(complex<R>* rows, const complex<R>* by, index m, R factor, index thread) {
    rows[thread] = rows[thread] * by[thread % m] * factor;
}

/// Set rows of n elements to the first n of rows of m elements, times the chirp. One thread per element set.
template <class R>
__device__ void gather(const complex<R>* from, complex<R>* to, index n, index m, int sign, index thread) {
    const index row = thread / n, k = thread % n;
    to[thread] = from[row * m + k] * chirp<R>(k, n, sign);
}

// ---- real transforms

/// Complete rows of n elements whose transform is real, given the first n / 2 + 1 of each. One thread per element set.
template <class R>
__device__ void mirror(const complex<R>* from, complex<R>* to, index n, index thread) {
    const index row = thread / n * (n / 2 + 1), k = thread % n;
    const complex<R> value = k <= n / 2 ? from[row + k] : conj(from[row + n - k]);
    to[thread] = k == 0 || 2 * k == n ? complex<R>(value._M_re) : value;
}

}  // namespace fft
}  // namespace pycuda
