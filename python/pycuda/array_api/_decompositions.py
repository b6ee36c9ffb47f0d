"""Decompositions of stacks of matrices, arrays of three axes in C order, by the kernels of pycuda-linalg.hpp: one block a matrix."""

import functools

import numpy as np

from pycuda._arrays.kernel_cache import PerContext
from pycuda.array_api._array import Array
from pycuda.compiler import SourceModule
from pycuda.tools import dtype_to_ctype

__all__ = ["cholesky", "lu", "orthogonal_rows", "qr", "schur", "solve", "triangular_eigenvectors"]

#: Columns of a right-hand side that one block solves for.
_COLUMNS = 32

# Element (b, i, j) of a stack is at (b * rows + i) * columns + j.
_FACTORS = """
#include <pycuda-linalg.hpp>
using namespace pycuda::linalg;
typedef %s T;
extern "C" __global__ void lu(T *a, int *pivots, int *parity, index n) {
    factor_lu(a + blockIdx.x * n * n, n, pivots + blockIdx.x * n, parity + blockIdx.x);
}
extern "C" __global__ void solve(const T *lu, const int *pivots, T *b, index n, index columns, index width) {
    const index first = blockIdx.y * width;
    solve_lu(lu + blockIdx.x * n * n, n, pivots + blockIdx.x * n, b + blockIdx.x * n * columns, columns, first, min(first + width, columns));
}
extern "C" __global__ void cholesky(T *a, int *is_definite, index n) { factor_cholesky(a + blockIdx.x * n * n, n, is_definite + blockIdx.x); }
"""

_ORTHOGONAL = """
#include <pycuda-linalg-orthogonal.hpp>
using namespace pycuda::linalg;
typedef %s T;
typedef real_of<T>::type R;
extern "C" __global__ void qr(T *a, T *tau, index rows, index columns) {
    factor_qr(a + blockIdx.x * rows * columns, rows, columns, tau + blockIdx.x * min(rows, columns));
}
extern "C" __global__ void form_q(const T *a, const T *tau, T *q, index rows, index columns, index width) {
    pycuda::linalg::form_q(a + blockIdx.x * rows * columns, rows, columns, tau + blockIdx.x * min(rows, columns), q + blockIdx.x * rows * width, width);
}
extern "C" __global__ void rotate_rows(T *w, T *v, R *unsorted, R *norms, int *order, index count, index length, index v_length) {
    w += blockIdx.x * count * length;
    orthogonalise(w, count, length, v + blockIdx.x * count * v_length, v_length);
    sorted_norms(w, count, length, unsorted + blockIdx.x * count, norms + blockIdx.x * count, order + blockIdx.x * count);
}
extern "C" __global__ void order_rows(const T *from, const int *order, T *to, index count, index length) {
    pycuda::linalg::order_rows(from + blockIdx.x * count * length, order + blockIdx.x * count, to + blockIdx.x * count * length, count, length);
}
"""

_SCHUR = """
#include <pycuda-linalg-schur.hpp>
using namespace pycuda::linalg;
typedef %s T;
typedef real_of<T>::type R;
extern "C" __global__ void schur(T *a, T *z, int *converged, index n) {
    pycuda::linalg::schur(a + blockIdx.x * n * n, z + blockIdx.x * n * n, n, converged + blockIdx.x);
}
extern "C" __global__ void eigenvectors(const T *t, T *x, index n, R smallest) {
    triangular_eigenvectors(t + blockIdx.x * n * n, x + blockIdx.x * n * n, n, smallest);
}
"""


@functools.cache
def _module(source, dtype):
    return PerContext(lambda: SourceModule(source % dtype_to_ctype(dtype), no_extern_c=True))


def _launch(source, dtype, name, stack, size, *arguments, groups=1):
    """Run a kernel on each matrix of a stack, if there are any, with threads for matrices of `size` rows or columns."""
    if stack and groups:
        numbers = [np.int64(each) if isinstance(each, int) else each for each in arguments]
        _module(source, dtype).get().get_function(name)(*numbers, block=(32 if size <= 32 else 256, 1, 1), grid=(stack, groups))


def lu(a):
    """Replace matrices by their L and U. Return the rows that were exchanged, and the parity of that: 0 of singular matrices."""
    stack, n, _ = a.shape
    pivots, parity = Array((stack, n), np.dtype(np.int32)), Array((stack,), np.dtype(np.int32))
    _launch(_FACTORS, a.dtype, "lu", stack, n, a, pivots, parity, n)
    return pivots, parity


def solve(factors, pivots, b):
    """Replace right-hand sides by the solutions, from what lu() gave."""
    stack, n, columns = b.shape
    _launch(_FACTORS, b.dtype, "solve", stack, n, factors, pivots, b, n, columns, _COLUMNS, groups=-(-columns // _COLUMNS))


def cholesky(a):
    """Replace matrices by their lower factors. Return which of them are positive definite."""
    stack, n, _ = a.shape
    is_definite = Array((stack,), np.dtype(np.int32))
    _launch(_FACTORS, a.dtype, "cholesky", stack, n, a, is_definite, n)
    return is_definite


def qr(a, width):
    """Replace matrices by R, and what is below its diagonal by other numbers. Return the first `width` columns of Q."""
    stack, rows, columns = a.shape
    tau, q = Array((stack, min(rows, columns)), a.dtype), Array((stack, rows, width), a.dtype)
    _launch(_ORTHOGONAL, a.dtype, "qr", stack, max(rows, columns), a, tau, rows, columns)
    _launch(_ORTHOGONAL, a.dtype, "form_q", stack, max(rows, columns), a, tau, q, rows, columns, width)
    return q


def orthogonal_rows(w, v=None):
    """Rotate the rows of matrices w until they are orthogonal, and those of v alike. Both are overwritten.

    Return the norms of the rows of w, descending, and the rows of w and v in that order; without v, the norms alone.
    """
    stack, count, length = w.shape
    real, rows = w.dtype.type(0).real.dtype, (stack, count)
    unsorted, norms, order = Array(rows, real), Array(rows, real), Array(rows, np.dtype(np.int32))
    _launch(_ORTHOGONAL, w.dtype, "rotate_rows", stack, max(count, length), w, w if v is None else v, unsorted, norms, order, count, length,
            0 if v is None else v.shape[2])
    if v is None:
        return norms
    return norms, *(_ordered(rows, order) for rows in (w, v))


def _ordered(rows, order):
    result = Array(rows.shape, rows.dtype)
    stack, count, length = rows.shape
    _launch(_ORTHOGONAL, rows.dtype, "order_rows", stack, count * length, rows, order, result, count, length)
    return result


def schur(a, z):
    """Replace complex matrices by their triangular Schur forms, and z, unit matrices, by the unitary ones. Return for which that converged."""
    stack, n, _ = a.shape
    converged = Array((stack,), np.dtype(np.int32))
    _launch(_SCHUR, a.dtype, "schur", stack, n, a, z, converged, n)
    return converged


def triangular_eigenvectors(a):
    """Return eigenvectors, as columns of any norm, of triangular matrices with elements around 1 or below."""
    result, n = Array(a.shape, a.dtype), a.shape[-1]
    _launch(_SCHUR, a.dtype, "eigenvectors", a.shape[0], n, a, result, n, np.finfo(a.dtype).eps)
    return result
