// Dense linear algebra for stacks of matrices: LU with partial pivoting, and Cholesky. pycuda-linalg-orthogonal.hpp has
// QR and Jacobi rotations. All threads of a block call a function together, on one matrix with its elements in C order;
// blockDim.x is a power of two from 32 to max_threads. T is float, double, pycuda::complex<float> or
// pycuda::complex<double>.
//
// The algorithms are simple: they are for matrices that a single block can handle.
#pragma once

#include "pycuda-complex.hpp"

namespace pycuda {
namespace linalg {

typedef long long index;

/// The maximum number of threads in a block, for which shared memory is reserved.
constexpr int max_threads = 256;

// ---- real and complex numbers

template <class T>
struct real_of {
    typedef T type;
};
template <class R>
struct real_of<complex<R>> {
    typedef R type;
};

template <class T>
__device__ T conjugate(T x) {
    return x;
}
template <class R>
__device__ complex<R> conjugate(complex<R> x) {
    return complex<R>(x._M_re, -x._M_im);
}

template <class T>
__device__ T real_part(T x) {
    return x;
}
template <class R>
__device__ R real_part(complex<R> x) {
    return x._M_re;
}

template <class T>
__device__ T squared(T x) {
    return x * x;
}
template <class R>
__device__ R squared(complex<R> x) {
    return x._M_re * x._M_re + x._M_im * x._M_im;
}

template <class T>
__device__ T magnitude(T x) {
    return complex_detail::fabs(x);
}
template <class R>
__device__ R magnitude(complex<R> x) {
    return complex_detail::hypot(x._M_re, x._M_im);
}

/// |re| + |im|: a magnitude that is good enough to choose a pivot by.
template <class T>
__device__ T rough_magnitude(T x) {
    return complex_detail::fabs(x);
}
template <class R>
__device__ R rough_magnitude(complex<R> x) {
    return complex_detail::fabs(x._M_re) + complex_detail::fabs(x._M_im);
}

// ---- reductions over a block

/// The largest value of any thread, and the lowest index that has it. NaN counts as the largest.
template <class R>
struct Largest {
    R value;
    index row;
};
template <class R>
__device__ Largest<R> block_largest(R value, index row) {
    __shared__ R values[max_threads];
    __shared__ index rows[max_threads];
    const int thread = threadIdx.x;
    values[thread] = value;
    rows[thread] = row;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) {
            const R mine = values[thread], other = values[thread + half];
            const bool is_equal = other == mine || (other != other && mine != mine);
            if (is_equal ? rows[thread + half] < rows[thread] : other > mine || other != other) {
                values[thread] = other;
                rows[thread] = rows[thread + half];
            }
        }
        __syncthreads();
    }
    const Largest<R> result = {values[0], rows[0]};
    __syncthreads();
    return result;
}

// ---- LU

/// Replace a matrix by its factors L, without the ones on its diagonal, and U. Step k exchanged rows k and pivots[k].
/// `parity` becomes the determinant of the exchanges, 1 or -1, or 0 for a singular matrix.
template <class T>
__device__ void factor_lu(T* a, index n, int* pivots, int* parity) {
    typedef typename real_of<T>::type R;
    int sign = 1;
    for (index k = 0; k < n; ++k) {
        R size = -1;
        index row = k;
        for (index i = k + threadIdx.x; i < n; i += blockDim.x) {
            const R candidate = rough_magnitude(a[i * n + k]);
            if (candidate > size || size == R(-1)) {
                size = candidate;
                row = i;
            }
        }
        row = block_largest(size, row).row;
        if (threadIdx.x == 0) pivots[k] = static_cast<int>(row);
        if (row != k) {
            sign = -sign;
            for (index j = threadIdx.x; j < n; j += blockDim.x) {
                const T upper = a[k * n + j];
                a[k * n + j] = a[row * n + j];
                a[row * n + j] = upper;
            }
        }
        __syncthreads();
        const T pivot = a[k * n + k];
        if (pivot == T(0)) {
            sign = 0;
            continue;
        }
        for (index i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i * n + k] = a[i * n + k] / pivot;
        __syncthreads();
        const index rest = n - k - 1;
        for (index e = threadIdx.x; e < rest * rest; e += blockDim.x) {
            const index i = k + 1 + e / rest, j = k + 1 + e % rest;
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *parity = sign;
}

/// Replace columns [first, last) of b, which has `columns`, by the solutions x of A x = b, from the factors of A.
template <class T>
__device__ void solve_lu(const T* lu, index n, const int* pivots, T* b, index columns, index first, index last) {
    for (index k = 0; k < n; ++k) {
        const index row = pivots[k];
        for (index j = first + threadIdx.x; row != k && j < last; j += blockDim.x) {
            const T upper = b[k * columns + j];
            b[k * columns + j] = b[row * columns + j];
            b[row * columns + j] = upper;
        }
    }
    __syncthreads();
    const index width = last - first;
    for (index k = 0; k < n; ++k) {
        for (index e = threadIdx.x; e < (n - k - 1) * width; e += blockDim.x) {
            const index i = k + 1 + e / width, j = first + e % width;
            b[i * columns + j] -= lu[i * n + k] * b[k * columns + j];
        }
        __syncthreads();
    }
    for (index k = n - 1; k >= 0; --k) {
        for (index j = first + threadIdx.x; j < last; j += blockDim.x)
            b[k * columns + j] = b[k * columns + j] / lu[k * n + k];
        __syncthreads();
        for (index e = threadIdx.x; e < k * width; e += blockDim.x) {
            const index i = e / width, j = first + e % width;
            b[i * columns + j] -= lu[i * n + k] * b[k * columns + j];
        }
        __syncthreads();
    }
}

// ---- Cholesky

/// Replace a Hermitian matrix, of which only the lower triangle is read, by the lower triangle L with A = L L^H.
/// `is_definite` becomes 1 if it is positive definite, and 0 if not; a matrix with NaN is not.
template <class T>
__device__ void factor_cholesky(T* a, index n, int* is_definite) {
    typedef typename real_of<T>::type R;
    bool definite = true;
    for (index k = 0; k < n && definite; ++k) {
        const R squared_pivot = real_part(a[k * n + k]);
        definite = squared_pivot > 0;
        const R pivot = complex_detail::sqrt(squared_pivot);
        __syncthreads();
        if (threadIdx.x == 0) a[k * n + k] = T(pivot);
        for (index i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            a[i * n + k] = a[i * n + k] / pivot;
            a[k * n + i] = T(0);
        }
        __syncthreads();
        const index rest = n - k - 1;
        for (index e = threadIdx.x; e < rest * rest; e += blockDim.x) {
            const index i = k + 1 + e / rest, j = k + 1 + e % rest;
            if (j <= i) a[i * n + j] -= a[i * n + k] * conjugate(a[j * n + k]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *is_definite = definite;
}

}  // namespace linalg
}  // namespace pycuda
