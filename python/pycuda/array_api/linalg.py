"""The linear algebra extension of the array API standard, for stacks of matrices in the last two axes.

Elements are float32, float64, complex64 or complex128, others a TypeError; matrices of the wrong shape are a ValueError. One thread block
decomposes a matrix, and a stack of matrices is one launch.

>>> import pycuda.autoinit
>>> import pycuda.array_api as xp
>>> float(xp.linalg.det(xp.asarray([[2.0, 1.0], [1.0, 3.0]])))
5.0
"""

import builtins
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from pycuda.array_api import _decompositions
from pycuda.array_api._array import converted, in_dtype, packed
from pycuda.array_api._creation import eye, full, tril, triu, zeros
from pycuda.array_api._dtypes import finfo, int64, result_type
from pycuda.array_api._elementwise import abs, conj, imag, log, maximum, real, sign
from pycuda.array_api._manipulation import broadcast_shapes, broadcast_to, concat, flip, reshape
from pycuda.array_api._products import matmul, matrix_transpose, tensordot, vecdot
from pycuda.array_api._searching import count_nonzero, where
from pycuda.array_api._statistics import max, min, prod, sum
from pycuda.array_api._vectors import check_floating, cross, diagonal, largest, outer, trace, vector_norm

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]

#: numpy.linalg.LinAlgError, a ValueError: a matrix is singular, or not positive definite.
LinAlgError = np.linalg.LinAlgError


class EigResult(NamedTuple):
    """Of eig()."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """Of eigh()."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """Of qr()."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """Of slogdet()."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """Of svd()."""

    U: Any
    S: Any
    Vh: Any


# ---- arguments


def _check(name, x, *, square=False):
    """That x is a stack of matrices of floating-point numbers."""
    check_floating(name, x)
    if x.ndim < 2:
        raise ValueError(f"{name}: expected matrices in the last two axes, given shape {x.shape}")
    if square and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}: expected square matrices, given {x.shape[-2]} x {x.shape[-1]} ones, shape {x.shape}")


def _own(x):
    """Matrices that a kernel may overwrite: a copy, of three axes."""
    fresh = packed(x)
    return reshape(fresh.copy() if fresh is x else fresh, (math.prod(x.shape[:-2]), *x.shape[-2:]))


def _adjoint(x):
    return conj(x.mT) if x.dtype.kind == "c" else x.mT


def _refuse(name, is_wrong, what):
    """LinAlgError where a matrix is wrong."""
    count = int(count_nonzero(is_wrong))
    if count:
        raise LinAlgError(f"{name}: {count} of {is_wrong.size} matrices are {what}" if is_wrong.size > 1 else f"{name}: the matrix is {what}")


# ---- LU


def _determinants(name, x):
    """The diagonals of U, and the parities."""
    _check(name, x, square=True)
    factors = _own(x)
    _, parity = _decompositions.lu(factors)
    return reshape(diagonal(factors), x.shape[:-1]), reshape(converted(parity, x.dtype), x.shape[:-2])


def det(x, /):
    """Return the determinants of square matrices, in the dtype of x."""
    pivots, parity = _determinants("det", x)
    return prod(pivots, axis=-1) * parity


def slogdet(x, /):
    """Return (sign, logabsdet): signs of determinants, of complex ones numbers of magnitude 1, and logarithms of their magnitudes.

    Of a singular matrix 0 and -inf.
    """
    pivots, parity = _determinants("slogdet", x)
    return SlogdetResult(prod(sign(pivots), axis=-1) * parity, sum(log(abs(pivots)), axis=-1))


def solve(x1, x2, /):
    """Return the solutions x of x1 @ x = x2: x2 is a vector, for all matrices of x1, or a stack of matrices. LinAlgError for a singular x1."""
    return _solve("solve", x1, x2)


def _solve(name, x1, x2):
    _check(name, x1, square=True)
    columns = reshape(x2, (x2.shape[0], 1)) if x2.ndim == 1 else x2
    _check(name, columns)
    n = x1.shape[-1]
    if columns.shape[-2] != n:
        raise ValueError(f"{name}: right-hand sides of shape {x2.shape} do not fit {n} x {n} matrices")
    dtype = result_type(x1, x2)
    shape = broadcast_shapes(x1.shape[:-2], columns.shape[:-2])
    factors, b = (_own(broadcast_to(in_dtype(x, dtype), (*shape, *x.shape[-2:]))) for x in (x1, columns))
    pivots, parity = _decompositions.lu(factors)
    _refuse(name, parity == 0, "singular")
    _decompositions.solve(factors, pivots, b)
    return reshape(b, (*shape, n) if x2.ndim == 1 else (*shape, n, columns.shape[-1]))


def inv(x, /):
    """Return the inverses of square matrices. LinAlgError for a singular one."""
    return _inverse("inv", x)


def _inverse(name, x):
    _check(name, x, square=True)
    return _solve(name, x, eye(x.shape[-1], dtype=x.dtype))


def matrix_power(x, n, /):
    """Return the powers of square matrices: the identity for n = 0, and powers of inverses for n < 0.

    LinAlgError for n < 0 and a singular matrix.
    """
    _check("matrix_power", x, square=True)
    n = operator.index(n)
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
    base, n = (_inverse("matrix_power", x), -n) if n < 0 else (x, n)
    result = None
    while n:
        if n % 2:
            result = base if result is None else matmul(result, base)
        n //= 2
        base = matmul(base, base) if n else base
    return result.copy() if result is x else result


# ---- Cholesky, QR


def cholesky(x, /, *, upper=False):
    """Return lower triangular matrices L with x = L @ L^H, or, with `upper`, their adjoints. Only the lower triangle of x is read.

    LinAlgError for a matrix that is not positive definite.
    """
    _check("cholesky", x, square=True)
    factors = _own(x)
    _refuse("cholesky", _decompositions.cholesky(factors) == 0, "not positive definite")
    factors = reshape(factors, x.shape)
    return packed(_adjoint(factors)) if upper else factors


def qr(x, /, *, mode="reduced"):
    """Return (Q, R): matrices with orthonormal columns and upper triangular ones, of which x is the product.

    mode: "reduced" for Q of min(M, N) columns, "complete" for square ones.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: expected mode 'reduced' or 'complete', given {mode!r}")
    _check("qr", x)
    return QRResult(*_qr(x, x.shape[-2] if mode == "complete" else builtins.min(x.shape[-2:])))


def _qr(x, width):
    factors = _own(x)
    q = _decompositions.qr(factors, width)
    return reshape(q, (*x.shape[:-1], width)), triu(reshape(factors, x.shape)[..., :width, :])


# ---- singular values, eigenvalues


def _scaled(x):
    """x / scale and scale, so that no element of a matrix is above 1; of zeros 1."""
    if 0 in x.shape:
        return x, full((*x.shape[:-2], 1, 1), 1, dtype=x.dtype.type(0).real.dtype)
    size = abs(x) if x.dtype.kind == "f" else maximum(abs(real(x)), abs(imag(x)))
    largest = max(size, axis=(-2, -1), keepdims=True)
    scale = where(largest == 0, 1.0, largest)
    return x / converted(scale, x.dtype), scale


def _is_wide(x):
    return x.shape[-2] < x.shape[-1]


def _identities(shape, dtype):
    """A stack of unit matrices that may be overwritten."""
    return _own(broadcast_to(eye(shape[-1], dtype=dtype), (*shape, shape[-1])))


def svd(x, /, *, full_matrices=True):
    """Return (U, S, Vh): x is U @ diag(S) @ Vh, S descending, the columns of U and the rows of Vh orthonormal.

    With `full_matrices`, U and Vh are square; else they have as many columns and rows as S has elements.
    """
    _check("svd", x)
    if _is_wide(x):
        u, s, vh = svd(_adjoint(x), full_matrices=full_matrices)
        return SVDResult(_adjoint(vh), s, _adjoint(u))
    rows, columns = x.shape[-2:]
    scaled, scale = _scaled(x)
    # Rows of w are columns of x @ V, and rows of v those of V.
    s, w, v = _decompositions.orthogonal_rows(_own(scaled.mT), _identities((*x.shape[:-2], columns), x.dtype))
    w = reshape(w, (*x.shape[:-2], columns, rows))
    q, r = _qr(w.mT, rows if full_matrices else columns)  # r is diagonal: the singular values, but for their signs
    signs = sign(diagonal(r))
    signs = where(signs == 0, 1.0, signs)
    if full_matrices and rows > columns:
        signs = concat([signs, full((*x.shape[:-2], rows - columns), 1, dtype=x.dtype)], axis=-1)
    s = reshape(s, (*x.shape[:-2], columns)) * scale[..., 0]
    v = reshape(v, (*x.shape[:-2], columns, columns))
    return SVDResult(q * signs[..., None, :], s, conj(v) if x.dtype.kind == "c" else v)


def svdvals(x, /):
    """Return the singular values of matrices, descending."""
    _check("svdvals", x)
    scaled, scale = _scaled(x)
    s = _decompositions.orthogonal_rows(_own(scaled if _is_wide(x) else scaled.mT))
    return reshape(s, (*x.shape[:-2], builtins.min(x.shape[-2:]))) * scale[..., 0]


def _shifted(name, x):
    """Matrices that are not negative, of the eigenvectors of x; what was added to each eigenvalue, and by what they were divided before."""
    _check(name, x, square=True)
    scaled, scale = _scaled(x)
    hermitian = tril(scaled) + _adjoint(tril(scaled, k=-1))
    if x.dtype.kind == "c":  # a diagonal is real
        hermitian = hermitian - converted(imag(hermitian), x.dtype) * (1j * eye(x.shape[-1], dtype=x.dtype))
    if 0 in x.shape:
        return hermitian, scale, scale
    bound = max(sum(abs(hermitian), axis=-1, keepdims=True), axis=-2, keepdims=True)
    return hermitian + converted(bound, x.dtype) * eye(x.shape[-1], dtype=x.dtype), bound, scale


def eigh(x, /):
    """Return (eigenvalues, eigenvectors) of Hermitian matrices: ascending, and the columns of unitary ones. Only the lower triangle of x is read."""
    shifted, bound, scale = _shifted("eigh", x)
    s, _, v = _decompositions.orthogonal_rows(_own(shifted.mT), _identities(x.shape[:-1], x.dtype))
    values = flip(reshape(s, x.shape[:-1]), axis=-1)
    return EighResult((values - bound[..., 0]) * scale[..., 0], packed(flip(reshape(v, x.shape), axis=-2).mT))


def eigvalsh(x, /):
    """Return the eigenvalues of Hermitian matrices, ascending. Only the lower triangle of x is read."""
    shifted, bound, scale = _shifted("eigvalsh", x)
    s = _decompositions.orthogonal_rows(_own(shifted.mT))
    return (flip(reshape(s, x.shape[:-1]), axis=-1) - bound[..., 0]) * scale[..., 0]


def _schur(name, x):
    """Triangular matrices, unitary ones, and what x was divided by before."""
    _check(name, x, square=True)
    scaled, scale = _scaled(x)
    triangular = _own(converted(scaled, np.result_type(x.dtype, np.complex64)))
    z = _identities(x.shape[:-1], triangular.dtype)
    _refuse(name, _decompositions.schur(triangular, z) == 0, "without eigenvalues that the QR algorithm finds, as with NaN or infinite elements")
    return triangular, z, scale


def eig(x, /):
    """Return (eigenvalues, eigenvectors) of square matrices, both complex, in any order; the eigenvectors are columns of norm 1.

    LinAlgError for a matrix with NaN or infinite elements.
    """
    triangular, z, scale = _schur("eig", x)
    vectors = matmul(z, _decompositions.triangular_eigenvectors(triangular))
    vectors = vectors / converted(vector_norm(vectors, axis=-2, keepdims=True), vectors.dtype)
    return EigResult(_of_diagonal(triangular, x, scale), reshape(vectors, x.shape))


def eigvals(x, /):
    """Return the eigenvalues of square matrices, complex, in any order. LinAlgError for a matrix with NaN or infinite elements."""
    triangular, _, scale = _schur("eigvals", x)
    return _of_diagonal(triangular, x, scale)


def _of_diagonal(triangular, x, scale):
    return reshape(diagonal(triangular), x.shape[:-1]) * converted(scale[..., 0], triangular.dtype)


# ---- from singular values


def _tolerance(x, s, rtol):
    """Singular values up to which ones count as 0."""
    if rtol is None:
        rtol = builtins.max(x.shape[-2:]) * finfo(s.dtype).eps
    elif isinstance(rtol, (int, float)):
        rtol = float(rtol)
    else:
        rtol = rtol[..., None]
    return s[..., :1] * rtol


def pinv(x, /, *, rtol=None):
    """Return the pseudo-inverses of matrices. Singular values up to rtol times the largest count as 0; rtol is max(M, N) * eps by default."""
    _check("pinv", x)
    if 0 in x.shape:
        return zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype)
    u, s, vh = svd(x, full_matrices=False)
    is_zero = s <= _tolerance(x, s, rtol)
    inverse = where(is_zero, 0.0, 1 / where(is_zero, 1.0, s))
    return matmul(_adjoint(vh) * converted(inverse, x.dtype)[..., None, :], _adjoint(u))


def matrix_rank(x, /, *, rtol=None):
    """Return how many singular values are above rtol times the largest, int64; rtol is max(M, N) * eps by default."""
    _check("matrix_rank", x)
    if 0 in x.shape:
        return zeros(x.shape[:-2], dtype=int64)
    s = svdvals(x)
    return count_nonzero(s > _tolerance(x, s, rtol), axis=-1)


# ---- norms


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Return the norms of matrices, real numbers.

    ord: "fro" for Frobenius, "nuc" for the sum of singular values, 2 and -2 for the largest and the smallest one, 1 and -1 for the largest and the
    smallest sum of magnitudes of a column, inf and -inf for those of a row.
    """
    _check("matrix_norm", x)
    if isinstance(ord, str) and ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        s = svdvals(x)
        result = {"nuc": sum, 2: largest, -2: min}[ord](s, axis=-1)
    elif ord in (1, -1, math.inf, -math.inf):
        columns = builtins.abs(ord) == 1
        sums = sum(abs(x), axis=-2 if columns else -1)
        result = (largest if ord > 0 else min)(sums, axis=-1)
    else:
        raise ValueError(f"matrix_norm: expected ord 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, given {ord!r}")
    return result[..., None, None] if keepdims else result
