// Orthogonal transformations of stacks of matrices: QR by Householder reflections, and one-sided Jacobi rotations,
// which give singular values, and eigenvalues of Hermitian matrices. Call them as described in pycuda-linalg.hpp.
#pragma once

#include "pycuda-linalg.hpp"

namespace pycuda {
namespace linalg {

/// Sum a value over the threads of a warp.
template <class T>
__device__ T warp_sum(T value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}
template <class R>
__device__ complex<R> warp_sum(complex<R> value) {
    return complex<R>(warp_sum(value._M_re), warp_sum(value._M_im));
}

template <class R>
__device__ R block_sum(R value) {
    __shared__ R values[max_threads];
    const int thread = threadIdx.x;
    values[thread] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) values[thread] += values[thread + half];
        __syncthreads();
    }
    const R result = values[0];
    __syncthreads();
    return result;
}

/// The Euclidean norm of `count` elements, `step` apart; squares neither overflow nor underflow.
template <class T>
__device__ typename real_of<T>::type block_norm(const T* x, index count, index step) {
    typedef typename real_of<T>::type R;
    R largest = 0;
    for (index i = threadIdx.x; i < count; i += blockDim.x) {
        const R size = rough_magnitude(x[i * step]);
        if (size > largest || size != size) largest = size;
    }
    const R scale = block_largest(largest, 0).value;
    if (!(scale > 0)) return scale;
    R sum = 0;
    for (index i = threadIdx.x; i < count; i += blockDim.x) sum += squared(x[i * step] / scale);
    return scale * complex_detail::sqrt(block_sum(sum));
}

// ---- QR

/// Apply H = I - tau v v^H to column j of a matrix with `columns` columns; v is 1 in row k, and v[i * stride] below.
template <class T>
__device__ void reflect(T* a, index rows, index columns, index j, const T* v, index stride, T tau, index k) {
    if (tau == T(0)) return;
    T sum = a[k * columns + j];
    for (index i = k + 1; i < rows; ++i) sum += conjugate(v[i * stride]) * a[i * columns + j];
    sum = tau * sum;
    a[k * columns + j] -= sum;
    for (index i = k + 1; i < rows; ++i) a[i * columns + j] -= v[i * stride] * sum;
}

/// Find the reflection whose adjoint maps `count` elements, `step` apart, to (beta, 0, 0, …). Replace them by beta and
/// by the elements of v after its leading 1. Return tau.
template <class T>
__device__ T make_reflection(T* x, index count, index step) {
    typedef typename real_of<T>::type R;
    const T alpha = x[0];
    const R below = block_norm(x + step, count - 1, step);
    if (below == R(0) && alpha == T(real_part(alpha))) return T(0);
    const R beta = -complex_detail::copysign(complex_detail::hypot(magnitude(alpha), below), real_part(alpha));
    __syncthreads();  // all have read alpha
    for (index i = 1 + threadIdx.x; i < count; i += blockDim.x) x[i * step] = x[i * step] / (alpha - T(beta));
    if (threadIdx.x == 0) x[0] = T(beta);
    __syncthreads();
    return (T(beta) - alpha) / beta;
}

/// Replace a matrix by R and, below the diagonal, by the vectors of the reflections. Q = H(0) H(1) …, with the factors
/// `tau`.
template <class T>
__device__ void factor_qr(T* a, index rows, index columns, T* tau) {
    for (index k = 0; k < rows && k < columns; ++k) {
        const T factor = make_reflection(a + k * columns + k, rows - k, columns);
        if (threadIdx.x == 0) tau[k] = factor;
        for (index j = k + 1 + threadIdx.x; j < columns; j += blockDim.x)
            reflect(a, rows, columns, j, a + k, columns, conjugate(factor), k);
        __syncthreads();
    }
}

/// Set q, which has as many rows as a and `width` columns, to the first columns of Q.
template <class T>
__device__ void form_q(const T* a, index rows, index columns, const T* tau, T* q, index width) {
    for (index e = threadIdx.x; e < rows * width; e += blockDim.x) q[e] = T(e / width == e % width ? 1 : 0);
    __syncthreads();
    for (index j = threadIdx.x; j < width; j += blockDim.x)
        for (index k = (rows < columns ? rows : columns) - 1; k >= 0; --k)
            reflect(q, rows, width, j, a + k, columns, tau[k], k);
}

// ---- Jacobi rotations

/// Rotate two vectors so that they become orthogonal, and two rows of V in the same way. Called by a whole warp. Return
/// false if the vectors were orthogonal already.
template <class T>
__device__ bool rotate(T* p, T* q, index length, T* v_p, T* v_q, index v_length) {
    typedef typename real_of<T>::type R;
    const int lane = threadIdx.x % 32;
    R p_squared = 0, q_squared = 0;
    T product = T(0);
    for (index i = lane; i < length; i += 32) {
        p_squared += squared(p[i]);
        q_squared += squared(q[i]);
        product += conjugate(p[i]) * q[i];
    }
    p_squared = warp_sum(p_squared);
    q_squared = warp_sum(q_squared);
    product = warp_sum(product);
    const R size = magnitude(product), epsilon = sizeof(R) == 4 ? R(1.2e-7) : R(2.3e-16);
    const R tolerance = epsilon * complex_detail::sqrt(static_cast<R>(length));
    if (!(size > tolerance * complex_detail::sqrt(p_squared) * complex_detail::sqrt(q_squared)) || size == R(0))
        return false;
    const R zeta = (q_squared - p_squared) / (2 * size);
    const R tangent =
        complex_detail::copysign(R(1), zeta) / (complex_detail::fabs(zeta) + complex_detail::hypot(R(1), zeta));
    const R cosine = 1 / complex_detail::sqrt(1 + tangent * tangent), sine = cosine * tangent;
    // x - (1 - cosine) * x has a smaller rounding error than cosine * x if the cosine is near 1.
    const R lost = sine * sine / (1 + cosine);
    const T turn = product / size * sine;
    for (int which = 0; which < 2; ++which) {
        T *const first = which ? v_p : p, *const second = which ? v_q : q;
        for (index i = lane; i < (which ? v_length : length); i += 32) {
            const T x = first[i], y = second[i];
            first[i] = x - (conjugate(turn) * y + lost * x);
            second[i] = y + (turn * x - lost * y);
        }
    }
    return true;
}

/// Jacobi rotations converge quadratically, so even 10 sweeps would be many. Rows with NaN are never rotated.
constexpr int max_sweeps = 40;

/// Make the `count` rows of w orthogonal by rotations, which are applied to the rows of v, too; v_length may be 0.
/// A sweep visits every pair once, in rounds of disjoint pairs, like a round-robin tournament. The block consists of
/// whole warps.
template <class T>
__device__ void orthogonalise(T* w, index count, index length, T* v, index v_length) {
    __shared__ int rotated;
    const index players = count + count % 2, warps = blockDim.x / 32;
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        if (threadIdx.x == 0) rotated = 0;
        __syncthreads();
        for (index round = 0; round < players - 1; ++round) {
            for (index pair = threadIdx.x / 32; pair < players / 2; pair += warps) {
                const index one = (round + pair) % (players - 1);
                const index other = pair == 0 ? players - 1 : (round - pair + players - 1) % (players - 1);
                const index p = one < other ? one : other, q = one < other ? other : one;
                if (q < count &&
                    rotate(w + p * length, w + q * length, length, v + p * v_length, v + q * v_length, v_length))
                    rotated = 1;
            }
            __syncthreads();
        }
        const bool is_done = !rotated;
        __syncthreads();
        if (is_done) return;
    }
}

/// Compute the norms of rows in descending order, NaN first, and the row that each belongs to. Elements should be of
/// order 1 or less, so that squares do not overflow. `unsorted` is scratch memory for `count` norms.
template <class T, class R>
__device__ void sorted_norms(const T* w, index count, index length, R* unsorted, R* norms, int* order) {
    for (index row = threadIdx.x / 32; row < count; row += blockDim.x / 32) {
        R sum = 0;
        for (index i = threadIdx.x % 32; i < length; i += 32) sum += squared(w[row * length + i]);
        unsorted[row] = complex_detail::sqrt(warp_sum(sum));
    }
    __syncthreads();
    for (index i = threadIdx.x; i < count; i += blockDim.x) {
        const R mine = unsorted[i];
        index rank = 0;
        for (index j = 0; j < count; ++j) {
            const R other = unsorted[j];
            const bool is_equal = other == mine || (other != other && mine != mine);
            rank += is_equal ? j < i : other > mine || other != other;
        }
        norms[rank] = mine;
        order[rank] = static_cast<int>(i);
    }
}

/// Set row k of `to` to row order[k] of `from`.
template <class T>
__device__ void order_rows(const T* from, const int* order, T* to, index count, index length) {
    for (index e = threadIdx.x; e < count * length; e += blockDim.x)
        to[e] = from[order[e / length] * length + e % length];
}

}  // namespace linalg
}  // namespace pycuda
