"""The linear algebra extension of the array API standard, for stacks of matrices in the last two axes.

Elements are float32, float64, complex64 or complex128, others a TypeError; matrices of the wrong shape are a ValueError. On a GPU, cuSOLVER
decomposes large matrices where it is installed. Otherwise one thread block decomposes a matrix, and a stack of matrices is one launch.

>>> import pycuda.autoinit
>>> import pycuda.array_api as xp
>>> float(xp.linalg.det(xp.asarray([[2.0, 1.0], [1.0, 3.0]])))
5.0
"""

import math
import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axes
from pycuda._arrays.numpys.linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from pycuda.array_api._array import of_arrays as _of_arrays
from pycuda.array_api._array import wrap
from pycuda.array_api._creation import asarray
from pycuda.array_api._products import matmul, matrix_transpose, tensordot, vecdot
from pycuda.array_api._vectors import cross, diagonal, outer, trace

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]

#: numpy.linalg.LinAlgError, a ValueError: a matrix is singular, or not positive definite.
LinAlgError = np.linalg.LinAlgError


def _call(name, *arrays, numbers=()):
    """Call a function of the core (linalg.hpp)."""
    return wrap(_operations.call(name, arrays, numbers))


def _calls(result, name, x, *numbers):
    """The same for a function with several results."""
    return result(*(wrap(each) for each in _operations.call(name, (x,), numbers)))


# ---- LU


def det(x, /):
    """Return the determinants of square matrices, in the dtype of x."""
    return _call("det", x)


def slogdet(x, /):
    """Return (sign, logabsdet): the signs of determinants, which for complex ones have magnitude 1, and the logarithms of their magnitudes.

    For a singular matrix 0 and -inf.
    """
    return _calls(SlogdetResult, "slogdet", x)


def solve(x1, x2, /):
    """Return the solutions x of x1 @ x = x2. x2 is a vector, used for all matrices of x1, or a stack of matrices. LinAlgError if x1 is singular."""
    return _call("solve", x1, x2)


def inv(x, /):
    """Return the inverses of square matrices. LinAlgError if one is singular."""
    return _call("inv", x)


def matrix_power(x, n, /):
    """Return the powers of square matrices: the identity for n = 0, and powers of inverses for n < 0.

    LinAlgError for n < 0 and a singular matrix.
    """
    return _call("matrix_power", x, numbers=(operator.index(n),))


# ---- Cholesky, QR


def cholesky(x, /, *, upper=False):
    """Return lower triangular matrices L with x = L @ L^H, or, with `upper`, their adjoints. Only the lower triangle of x is read.

    LinAlgError for a matrix that is not positive definite.
    """
    return _call("cholesky", x, numbers=(bool(upper),))


def qr(x, /, *, mode="reduced"):
    """Return (Q, R), whose product is x: matrices with orthonormal columns, and upper triangular matrices.

    mode: "reduced" for Q of min(M, N) columns, "complete" for square ones.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: expected mode 'reduced' or 'complete', given {mode!r}")
    return _calls(QRResult, "qr", x, mode == "complete")


# ---- singular values, eigenvalues


def svd(x, /, *, full_matrices=True):
    """Return (U, S, Vh): x is U @ diag(S) @ Vh, S descending, the columns of U and the rows of Vh orthonormal.

    With `full_matrices`, U and Vh are square; else they have as many columns and rows as S has elements.
    """
    return _calls(SVDResult, "svd", x, bool(full_matrices))


def svdvals(x, /):
    """Return the singular values of matrices, descending."""
    return _call("svdvals", x)


def eigh(x, /):
    """Return (eigenvalues, eigenvectors) of Hermitian matrices: ascending, and the columns of unitary ones. Only the lower triangle of x is read."""
    return _calls(EighResult, "eigh", x)


def eigvalsh(x, /):
    """Return the eigenvalues of Hermitian matrices, ascending. Only the lower triangle of x is read."""
    return _call("eigvalsh", x)


def eig(x, /):
    """Return (eigenvalues, eigenvectors) of square matrices, both complex, in any order; the eigenvectors are columns of norm 1.

    LinAlgError for a matrix with NaN or infinite elements.
    """
    return _calls(EigResult, "eig", x)


def eigvals(x, /):
    """Return the eigenvalues of square matrices, complex, in any order. LinAlgError for a matrix with NaN or infinite elements."""
    return _call("eigvals", x)


# ---- from singular values


def _with_tolerance(name, x, rtol):
    return _call(name, x) if rtol is None else _call(name, x, asarray(rtol))


def pinv(x, /, *, rtol=None):
    """Return the pseudo-inverses of matrices. Singular values up to rtol times the largest count as 0; rtol is max(M, N) * eps by default."""
    return _with_tolerance("pinv", x, rtol)


def matrix_rank(x, /, *, rtol=None):
    """Return how many singular values are above rtol times the largest, int64; rtol is max(M, N) * eps by default."""
    return _with_tolerance("matrix_rank", x, rtol)


# ---- norms


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Return the norms of vectors along axes, all by default; real numbers.

    ord: inf and -inf for the largest and the smallest magnitude, 0 counts the nonzero elements, p for the p-th root of the sum of p-th powers.
    """
    return _call("vector_norm", x, numbers=(float(ord), sum(1 << k for k in normalise_axes(axis, x.ndim)), bool(keepdims)))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Return the norms of matrices, real numbers.

    ord: "fro" for Frobenius, "nuc" for the sum of singular values, 2 and -2 for the largest and the smallest one, 1 and -1 for the largest and the
    smallest sum of magnitudes of a column, inf and -inf for those of a row.
    """
    if isinstance(ord, str) and ord in ("fro", "nuc"):
        return _call("named_norm", x, numbers=(ord == "nuc", bool(keepdims)))
    if ord not in (1, -1, 2, -2, math.inf, -math.inf):
        raise ValueError(f"matrix_norm: expected ord 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, given {ord!r}")
    return _call("matrix_norm", x, numbers=(float(ord), bool(keepdims)))


globals().update((_name, _of_arrays(globals()[_name])) for _name in __all__ if _name != "LinAlgError")
