"""numpy.linalg, by the core's decompositions."""

import math
import operator
from typing import Any, NamedTuple

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import axes_mask, normalise_axes, normalise_axis
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import operate
from pycuda._arrays.rearrange import take_along_axis

__all__ = ["EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult", "eigvals", "inv", "lstsq", "svd"]

LinAlgError = np.linalg.LinAlgError
_LARGEST = 2**62  # of the core's exponents


class EigResult(NamedTuple):
    """The result of eig()."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """The result of eigh()."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """The result of qr()."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """The result of slogdet()."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """The result of svd()."""

    U: Any
    S: Any
    Vh: Any


_TYPES = "fdFD"


def _inexact(name, *arrays):
    """The arrays in a type of the core's decompositions: integers and bool count as float64."""
    arrays = [exact.on_device(name, a) for a in arrays]
    for a in arrays:
        if a.dtype.kind in "fcV" and a.dtype.char not in _TYPES:
            raise TypeError(f"array type {a.dtype} is unsupported in linalg")
    dtype = np.result_type(*(a.dtype if a.dtype.kind in "fc" else np.float64 for a in arrays))
    return [a.astype(dtype, copy=False) for a in arrays]


def _matrices(name, a, square=True, hermitian=False):
    """Stacks of matrices. Of Hermitian ones, the lower triangle counts."""
    (a,) = _inexact(name, a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if hermitian and a.size:
        return exact.add(_call("triangle", a, numbers=(0, False)), _adjoint(_call("triangle", a, numbers=(-1, False))))
    return a


def _adjoint(a):
    swapped = np.swapaxes(a, -1, -2)
    return exact.conjugate(swapped) if a.dtype.kind == "c" else swapped


def _call(name, *arrays, numbers=()):
    return _operations.call(name, arrays, numbers)


# ---- LU, Cholesky, QR


@implements("linalg.det")
def _det(a):
    return _call("det", _matrices("det", a))


@implements("linalg.slogdet")
def _slogdet(a):
    return SlogdetResult(*_call("slogdet", _matrices("slogdet", a)))


@implements("linalg.solve")
def _solve(a, b):
    a, b = _inexact("solve", a, b)
    a = _matrices("solve", a)
    is_vector = b.ndim == 1
    rows = b.shape[0] if is_vector else b.shape[-2] if b.ndim else None
    if rows != a.shape[-1]:
        raise ValueError(f"solve: expected as many rows in b as in a, given shapes {a.shape} and {b.shape}")
    return _call("solve", a, b)


@implements("linalg.inv")
def inv(a):
    """The inverses of square matrices. Waits for the device."""
    return _call("inv", _matrices("inv", a))


@implements("linalg.matrix_power")
def _matrix_power(a, n):
    a = exact.on_device("matrix_power", a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if abs(n) > _LARGEST:
        high, low = divmod(abs(n), _LARGEST)
        base = inv(a) if n < 0 else a
        return _ordering.matmul(_matrix_power(_matrix_power(base, _LARGEST), high), _matrix_power(base, low))
    if exact.is_inexact(a) and a.dtype.char in _TYPES or n < 0:
        return _call("matrix_power", _matrices("matrix_power", a), numbers=(n,))
    result, square = None, a
    if n == 0:
        result = exact.zeros(a.shape, a.dtype, a)
        if result.size:
            _call("diagonal", result, numbers=(0,))[...] = 1
        return result
    while n:
        if n & 1:
            result = square if result is None else _ordering.matmul(result, square)
        n >>= 1
        square = _ordering.matmul(square, square) if n else square
    return result.copy() if result is a else result


@implements("linalg.cholesky")
def _cholesky(a, /, *, upper=False):
    a = _matrices("cholesky", a)
    return _adjoint(_call("cholesky", _adjoint(a), numbers=(False,))) if upper else _call("cholesky", a, numbers=(False,))


@implements("linalg.qr")
def _qr(a, mode="reduced"):
    if mode not in ("reduced", "complete", "r"):
        if mode in ("raw", "full", "f", "economic", "e"):
            raise ValueError(f"qr: mode {mode!r} returns LAPACK's reflectors, which are not available for arrays on the device")
        raise ValueError(f"Unrecognized mode '{mode}'")
    result = QRResult(*_call("qr", _matrices("qr", a, False), numbers=(mode == "complete",)))
    return result.R if mode == "r" else result


# ---- singular values and eigenvalues


@implements("linalg.svd")
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular values of matrices, descending, with unitary matrices on both sides."""
    a = _matrices("svd", a, hermitian, hermitian)
    if not compute_uv:
        return _call("svdvals", a)
    return SVDResult(*_call("svd", a, numbers=(bool(full_matrices),)))


@implements("linalg.svdvals")
def _svdvals(x, /):
    return _call("svdvals", _matrices("svdvals", x, False))


def _triangle(UPLO, a):
    """The matrices whose lower triangles are read."""
    UPLO = UPLO.upper()
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return _adjoint(a) if UPLO == "U" else a


@implements("linalg.eigh")
def _eigh(a, UPLO="L"):
    return EighResult(*_call("eigh", _triangle(UPLO, _matrices("eigh", a))))


@implements("linalg.eigvalsh")
def _eigvalsh(a, UPLO="L"):
    return _call("eigvalsh", _triangle(UPLO, _matrices("eigvalsh", a)))


def _real_if_real(a, values):
    """The eigenvalues of real matrices as real numbers, if all are real up to rounding errors. Waits for the device."""
    if a.dtype.kind == "c" or not values.size:
        return values if a.dtype.kind == "c" else operate("real", values)
    limit = 16 * a.shape[-1] * float(np.finfo(a.dtype).eps)
    greatest = _reductions.amax(exact.absolute(values), axis=-1, keepdims=True)
    is_complex = exact.greater(exact.absolute(operate("imag", values)), exact.multiply(greatest, limit))
    return values if exact.any_true(is_complex) else operate("real", values)


def _with_real_components(vectors):
    """Complex vectors, turned so that the greatest component of each is real."""
    indices = _reductions.argmax(exact.absolute(vectors), axis=-2, keepdims=True)
    greatest = take_along_axis(vectors, indices, -2)
    return exact.multiply(vectors, exact.divide(exact.conjugate(greatest), exact.absolute(greatest)))


@implements("linalg.eig")
def _eig(a):
    a = _matrices("eig", a)
    values, vectors = _call("eig", a)
    values = _real_if_real(a, values)
    vectors = _with_real_components(vectors) if vectors.size else vectors
    return EigResult(values, vectors if values.dtype.kind == "c" else operate("real", vectors))


@implements("linalg.eigvals")
def eigvals(a):
    """The eigenvalues of square matrices, in any order; complex only if one is. Waits for the device."""
    a = _matrices("eigvals", a)
    return _real_if_real(a, _call("eigvals", a))


# ---- from singular values


@implements("linalg.pinv")
def _pinv(a, rcond=None, hermitian=False, *, rtol=np._NoValue):
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    a = _matrices("pinv", a, hermitian, hermitian)
    cutoff = rtol if rcond is None and rtol is not np._NoValue else rcond
    if cutoff is None:
        cutoff = max(a.shape[-2:]) * np.finfo(a.dtype).eps if rtol is None else 1e-15
    return _call("pinv", a, exact.on_device("pinv", cutoff))


@implements("linalg.matrix_rank")
def _matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = exact.on_device("matrix_rank", A)
    if A.ndim < 2:
        return operate("copy", _reductions.any(A), type=np.dtype(np.int64))
    A = _matrices("matrix_rank", A, hermitian, hermitian)
    if tol is None:
        return _call("matrix_rank", A) if rtol is None else _call("matrix_rank", A, exact.on_device("matrix_rank", rtol))
    tol = exact.on_device("matrix_rank", tol)[..., None]
    return exact.summed(exact.greater(_call("svdvals", A), tol), -1)


@implements("linalg.lstsq")
def lstsq(a, b, rcond=None):
    """The least-squares solution of a @ x = b, the sums of squared residuals, the rank and the singular values. Waits for the device."""
    a, b = _inexact("lstsq", a, b)
    is_vector = b.ndim == 1
    b = b[:, None] if is_vector else b
    for x in (a, b):
        if x.ndim != 2:
            raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be two-dimensional")
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    rcond = np.finfo(a.dtype).eps * max(rows, columns) if rcond is None else np.finfo(a.dtype).eps if rcond == -1 else rcond
    left, singular, right = _call("svd", a, numbers=(False,))
    rank = int(exact.summed(exact.greater(singular, exact.multiply(singular[:1], float(rcond)))).get()) if singular.size else 0
    shares = exact.divide(_ordering.matmul(_adjoint(left[:, :rank]), b), singular[:rank, None])
    x = _ordering.matmul(_adjoint(right[:rank]), shares)
    residuals = exact.zeros((0,), singular.dtype, a)
    if rank == columns and rows > columns:
        difference = exact.absolute(exact.subtract(b, _ordering.matmul(a, x)))
        residuals = exact.summed(exact.multiply(difference, difference), 0)
    return (x[:, 0] if is_vector else x), residuals, rank, singular


@implements("linalg.cond")
def _cond(x, p=None):
    x = exact.on_device("cond", x)
    if x.ndim >= 2 and not x.size and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        values = _call("svdvals", _matrices("cond", x, False))
        result = exact.divide(values[..., -1], values[..., 0]) if p == -2 else exact.divide(values[..., 0], values[..., -1])
    else:
        x = _matrices("cond", x)
        sign, _ = _call("slogdet", x)
        regular = exact.not_equal(sign, 0)
        eye = _matrix_power(x, 0)
        inverse = _call("inv", operate("where", regular[..., None, None], x, eye, type=x.dtype))
        result = exact.multiply(_norm(x, p, (-2, -1)), _norm(inverse, p, (-2, -1)))
        result = exact.where(regular, result, math.inf)
    is_new = exact.logical_and(exact.isnan(result), exact.logical_not(_has_nan(x)))
    return exact.where(is_new, math.inf, result)


def _has_nan(x):
    """Whether each matrix has NaN."""
    return _reductions.any(exact.isnan(x), axis=(-2, -1))


@implements("linalg.tensorsolve")
def _tensorsolve(a, b, axes=None):
    a, b = exact.on_device("tensorsolve", a), exact.on_device("tensorsolve", b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.append(axis)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim):] if a.ndim > b.ndim else ()
    if math.prod(a.shape[:b.ndim]) != math.prod(shape):
        raise LinAlgError("Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    size = math.prod(shape)
    return exact.shaped(_solve(exact.shaped(a, (size, size)), exact.flat(b)), shape)


@implements("linalg.tensorinv")
def _tensorinv(a, ind=2):
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    a = exact.on_device("tensorinv", a)
    shape = a.shape[ind:] + a.shape[:ind]
    return exact.shaped(inv(exact.shaped(a, (math.prod(a.shape[ind:]), -1))), shape)


# ---- norms


def _matrix_norm_of(x, ord, axes, keepdims):
    first, second = (normalise_axis(k, x.ndim) for k in axes)
    if first == second:
        raise ValueError("Duplicate axes given.")
    moved = np.moveaxis(x, (first, second), (-2, -1))
    if ord is None or isinstance(ord, str) and ord in ("fro", "f", "nuc"):
        result = _call("named_norm", moved, numbers=(ord == "nuc", False))
    elif isinstance(ord, str) or ord not in (1, -1, 2, -2, math.inf, -math.inf):
        raise ValueError("Invalid norm order for matrices.")
    else:
        result = _call("matrix_norm", moved, numbers=(float(ord), False))
    return np.expand_dims(result, (first, second)) if keepdims else result


def _is_of_singular_values(x, ord, axis):
    """Whether a norm needs them, which float16 does not have."""
    return ord in (2, -2, "nuc") and (x.ndim == 2 if axis is None else isinstance(axis, tuple) and len(axis) == 2)


@implements("linalg.norm")
def _norm(x, ord=None, axis=None, keepdims=False):
    x = exact.on_device("norm", x)
    if x.dtype == np.float16 and not _is_of_singular_values(x, ord, axis):
        return _norm(x.astype(np.float32), ord, axis, keepdims).astype(np.float16)
    (x,) = _inexact("norm", x)
    if axis is None and (ord is None or x.ndim in (1, 2) and ord in ("f", "fro") and x.ndim == 2 or x.ndim == 1 and ord == 2):
        return _call("vector_norm", x, numbers=(2.0, axes_mask(None, x.ndim), bool(keepdims)))
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (operator.index(axis),)
    if len(axes) == 2:
        return _matrix_norm_of(x, ord, axes, keepdims)
    if len(axes) != 1:
        raise ValueError("Improper number of dimensions to norm.")
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    return _call("vector_norm", x, numbers=(2.0 if ord is None else float(ord), axes_mask(axes, x.ndim), bool(keepdims)))


@implements("linalg.vector_norm")
def _vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    (x,) = _inexact("vector_norm", x)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    return _call("vector_norm", x, numbers=(float(ord), sum(1 << k for k in normalise_axes(axis, x.ndim)), bool(keepdims)))


@implements("linalg.matrix_norm")
def _matrix_norm(x, /, *, keepdims=False, ord="fro"):
    (x,) = _inexact("matrix_norm", x)
    return _matrix_norm_of(x, ord, (-2, -1), keepdims)


# ---- diagonals


def _require_matrices(x):
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")


@implements("linalg.diagonal")
def _diagonal(x, /, *, offset=0):
    _require_matrices(x)
    return _call("diagonal", x, numbers=(operator.index(offset),))


@implements("linalg.trace")
def _trace(x, /, *, offset=0, dtype=None):
    _require_matrices(x)
    return exact.summed(_diagonal(x, offset=offset), -1, dtype)
