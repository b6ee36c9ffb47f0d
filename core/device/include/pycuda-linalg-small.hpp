// Linear equations for stacks of small matrices: a group of lanes for each matrix, which holds it in registers.
#pragma once

#include "pycuda-linalg.hpp"

namespace pycuda {
namespace linalg {

/// The value of another lane of the group.
template <int lanes, class T>
__device__ __forceinline__ T of_lane(T x, int lane) {
    return __shfl_sync(0xffffffffu, x, lane, lanes);
}
template <int lanes, class R>
__device__ __forceinline__ complex<R> of_lane(complex<R> x, int lane) {
    return complex<R>(of_lane<lanes>(x._M_re, lane), of_lane<lanes>(x._M_im, lane));
}

/// The lane of the group with the largest value, the lowest if several have it. NaN counts as the largest.
template <int lanes, class R>
__device__ __forceinline__ int lane_of_largest(R value, int lane) {
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        const R other = of_lane<lanes>(value, (threadIdx.x % lanes) ^ distance);
        const int other_lane = of_lane<lanes>(lane, (threadIdx.x % lanes) ^ distance);
        const bool is_nan = value != value, other_is_nan = other != other;
        const bool is_equal = other_is_nan == is_nan && (is_nan || other == value);
        if (is_equal ? other_lane < lane : other_is_nan || (!is_nan && other > value)) {
            value = other;
            lane = other_lane;
        }
    }
    return lane;
}

/// Solve a x = b for `count` matrices of `n` rows, each with `columns` right-hand sides, by LU with partial pivoting. b
/// may be null, for the columns of the identity matrix. Matrices are in C order, one after another. is_singular gets 0
/// or 1 for each; x is then unspecified. Lane k of a group has row k, and in the end row k of x. All threads of a block
/// call this; `n` is at most 16.
template <class T, int n, int columns>
__device__ void solve_small(const T* a, const T* b, T* x, int* is_singular, index count) {
    typedef typename real_of<T>::type R;
    constexpr int lanes = n > 8 ? 16 : n > 4 ? 8 : n > 2 ? 4 : n;
    const int lane = threadIdx.x % lanes;
    const index matrix = (blockIdx.x * index(blockDim.x) + threadIdx.x) / lanes;
    const bool exists = matrix < count && lane < n;
    T row[n], right[columns];
#pragma unroll
    for (int j = 0; j < n; ++j) row[j] = exists ? a[(matrix * n + lane) * n + j] : T(j == lane);
#pragma unroll
    for (int j = 0; j < columns; ++j) right[j] = exists && b ? b[(matrix * n + lane) * columns + j] : T(j == lane);
    int pivots[n], step = n;  // of this lane: when its row was the pivot
    bool singular = false;
#pragma unroll
    for (int k = 0; k < n; ++k) {
        const bool waits = lane < n && step == n;
        pivots[k] = lane_of_largest<lanes>(waits ? rough_magnitude(row[k]) : R(-1), lane);
        const T pivot = of_lane<lanes>(row[k], pivots[k]);
        singular |= pivot == T(0);
        if (lane == pivots[k]) step = k;
        const bool eliminates = waits && lane != pivots[k];
        const T factor = eliminates ? row[k] / pivot : T(0);
#pragma unroll
        for (int j = k + 1; j < n; ++j) {
            const T above = of_lane<lanes>(row[j], pivots[k]);
            if (eliminates) row[j] -= factor * above;
        }
#pragma unroll
        for (int j = 0; j < columns; ++j) {
            const T above = of_lane<lanes>(right[j], pivots[k]);
            if (eliminates) right[j] -= factor * above;
        }
    }
    T solved[columns];
#pragma unroll
    for (int k = n - 1; k >= 0; --k) {
#pragma unroll
        for (int j = 0; j < columns; ++j) {
            const T value = of_lane<lanes>(step == k ? right[j] / row[k] : T(0), pivots[k]);
            if (lane == k) solved[j] = value;
            if (step < k) right[j] -= row[k] * value;
        }
    }
    if (!exists) return;
#pragma unroll
    for (int j = 0; j < columns; ++j) x[(matrix * n + lane) * columns + j] = solved[j];
    if (lane == 0) is_singular[matrix] = singular;
}

}  // namespace linalg
}  // namespace pycuda
