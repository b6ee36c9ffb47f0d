// Eigenvalues and eigenvectors of general matrices: reduction to Hessenberg form, the QR algorithm with Wilkinson's
// shifts to Schur form, and substitution. All numbers are complex, because eigenvalues of real matrices can be. Call
// the functions as described in pycuda-linalg.hpp.
#pragma once

#include "pycuda-linalg-orthogonal.hpp"

namespace pycuda {
namespace linalg {

/// The maximum number of QR steps for one eigenvalue; two or three usually suffice. Every tenth has another shift,
/// which breaks cycles.
constexpr int max_steps = 60;

/// Multiply row i of a matrix by H = I - tau v v^H; v is 1 in column k, and v[j * stride] after it.
template <class T>
__device__ void reflect_row(T* a, index n, index i, const T* v, index stride, T tau, index k) {
    if (tau == T(0)) return;
    T sum = a[i * n + k];
    for (index j = k + 1; j < n; ++j) sum += a[i * n + j] * v[j * stride];
    sum = sum * tau;
    a[i * n + k] -= sum;
    for (index j = k + 1; j < n; ++j) a[i * n + j] -= sum * conjugate(v[j * stride]);
}

/// Replace a by its Hessenberg form Q^H a Q, and the matrix q by q Q.
template <class T>
__device__ void reduce_to_hessenberg(T* a, T* q, index n) {
    for (index k = 0; k + 2 < n; ++k) {
        const T tau = make_reflection(a + (k + 1) * n + k, n - k - 1, n);
        for (index j = k + 1 + threadIdx.x; j < n; j += blockDim.x)
            reflect(a, n, n, j, a + k, n, conjugate(tau), k + 1);
        __syncthreads();
        for (index i = threadIdx.x; i < n; i += blockDim.x) {
            reflect_row(a, n, i, a + k, n, tau, k + 1);
            reflect_row(q, n, i, a + k, n, tau, k + 1);
        }
        __syncthreads();
        for (index i = k + 2 + threadIdx.x; i < n; i += blockDim.x) a[i * n + k] = T(0);
        __syncthreads();
    }
}

/// Of the two eigenvalues of rows and columns k - 1 and k, the one closer to element (k, k).
template <class R>
__device__ complex<R> wilkinson_shift(const complex<R>* h, index n, index k) {
    typedef complex<R> T;
    const T a = h[(k - 1) * n + k - 1], bc = h[(k - 1) * n + k] * h[k * n + k - 1], d = h[k * n + k];
    const T half = (a - d) / R(2);
    T root = sqrt(half * half + bc);
    if (real_part(conjugate(half) * root) < R(0)) root = -root;
    const T divisor = half + root;
    return divisor == T(0) ? d : d - bc / divisor;
}

/// One shifted QR step on the rows and columns [low, high]; z is multiplied by the same rotations.
template <class R>
__device__ void qr_step(complex<R>* h, complex<R>* z, index n, index low, index high, complex<R> shift) {
    typedef complex<R> T;
    T x = h[low * n + low] - shift, y = h[(low + 1) * n + low];
    for (index k = low; k < high; ++k) {
        const R size = complex_detail::hypot(magnitude(x), magnitude(y));
        const T c = size == R(0) ? T(1) : x / size, s = size == R(0) ? T(0) : y / size;
        __syncthreads();  // all have read x and y
        T *const upper = h + k * n, *const lower = upper + n;
        for (index j = (k > low ? k - 1 : low) + threadIdx.x; j < n; j += blockDim.x) {
            const T a = upper[j], b = lower[j];
            upper[j] = conjugate(c) * a + conjugate(s) * b;
            lower[j] = c * b - s * a;
        }
        __syncthreads();
        const index last = k + 2 < high ? k + 2 : high;
        for (index i = threadIdx.x; i <= last + n; i += blockDim.x) {
            T* const row = (i <= last ? h + i * n : z + (i - last - 1) * n) + k;
            const T a = row[0], b = row[1];
            row[0] = c * a + s * b;
            row[1] = conjugate(c) * b - conjugate(s) * a;
        }
        __syncthreads();
        if (k + 1 < high) {
            x = h[(k + 1) * n + k];
            y = h[(k + 2) * n + k];
        }
    }
}

/// Replace a by its upper triangular Schur form Q^H a Q, and z by z Q. `converged` becomes 1 if all eigenvalues were
/// found, and 0 if not, as with NaN.
template <class R>
__device__ void schur(complex<R>* a, complex<R>* z, index n, int* converged) {
    typedef complex<R> T;
    const R epsilon = sizeof(R) == 4 ? R(1.2e-7) : R(2.3e-16);
    reduce_to_hessenberg(a, z, n);
    int steps = 0;
    for (index high = n - 1; high > 0 && steps < max_steps;) {
        index low = high;
        for (; low > 0; --low) {
            const R around = rough_magnitude(a[(low - 1) * n + low - 1]) + rough_magnitude(a[low * n + low]);
            const R size = rough_magnitude(a[low * n + low - 1]);
            if (size <= epsilon * around) break;
        }
        __syncthreads();
        if (low > 0 && threadIdx.x == 0) a[low * n + low - 1] = T(0);
        __syncthreads();
        if (low == high) {
            --high;
            steps = 0;
        } else {
            ++steps;
            const T last = a[high * n + high - 1];
            qr_step(a, z, n, low, high,
                    steps % 10 == 0 ? a[high * n + high] + T(magnitude(last)) : wilkinson_shift(a, n, high));
        }
    }
    if (threadIdx.x == 0) *converged = steps < max_steps;
}

/// Set the columns of x to eigenvectors of an upper triangular matrix, which are not normalised. Eigenvalues that
/// differ by less than `smallest`, the rounding error of the matrix, are separated by it.
template <class R>
__device__ void triangular_eigenvectors(const complex<R>* t, complex<R>* x, index n, R smallest) {
    typedef complex<R> T;
    for (index k = threadIdx.x; k < n; k += blockDim.x) {
        for (index i = n - 1; i > k; --i) x[i * n + k] = T(0);
        x[k * n + k] = T(1);
        for (index i = k - 1; i >= 0; --i) {
            T sum = T(0), difference = t[k * n + k] - t[i * n + i];
            for (index j = i + 1; j <= k; ++j) sum += t[i * n + j] * x[j * n + k];
            if (rough_magnitude(difference) < smallest) difference = T(smallest);
            x[i * n + k] = sum / difference;
            const R size = rough_magnitude(x[i * n + k]);
            if (size > R(1e6))
                for (index j = i; j <= k; ++j) x[j * n + k] = x[j * n + k] / size;
        }
    }
}

}  // namespace linalg
}  // namespace pycuda
