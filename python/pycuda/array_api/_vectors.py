"""Linear algebra that needs no decomposition of matrices."""

import builtins
import math
import operator

from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axes
from pycuda.array_api._array import converted, wrap
from pycuda.array_api._dtypes import isdtype, result_type
from pycuda.array_api._elementwise import abs, sqrt
from pycuda.array_api._manipulation import stack
from pycuda.array_api._searching import count_nonzero
from pycuda.array_api._statistics import max, min, sum

__all__ = ["cross", "diagonal", "outer", "trace", "vector_norm"]


def check_floating(name, x):
    """TypeError for other elements than floating-point numbers."""
    if not isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError(f"{name}: expected an array of floating-point numbers, given {x.dtype}; convert it with astype()")


def largest(x, **along):
    """max() of magnitudes, and 0 of none."""
    return max(x, **along) if x.size else sum(x, **along)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Return the norms of vectors along axes, all by default; real numbers.

    ord: inf and -inf for the largest and the smallest magnitude, 0 for how many are not 0, p for the p-th root of the sum of p-th powers.
    """
    check_floating("vector_norm", x)
    along = {"axis": normalise_axes(axis, x.ndim), "keepdims": keepdims}
    magnitudes = abs(x)
    if ord in (math.inf, -math.inf):
        return (largest if ord > 0 else min)(magnitudes, **along)
    if ord == 0:
        return converted(count_nonzero(x, **along), magnitudes.dtype)
    if ord == 1:
        return sum(magnitudes, **along)
    if ord == 2:
        return sqrt(sum(magnitudes * magnitudes, **along))
    return sum(magnitudes ** float(ord), **along) ** (1 / ord)


def cross(x1, x2, /, *, axis=-1):
    """Return the cross products of vectors of three elements along an axis, which is negative; the other axes broadcast."""
    dtype = result_type(x1, x2)
    if not isdtype(dtype, "numeric"):
        raise TypeError(f"cross: expected arrays of numbers, given {x1.dtype} and {x2.dtype}")
    axis = operator.index(axis)
    if not -builtins.min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"cross: expected an axis from {-builtins.min(x1.ndim, x2.ndim)} to -1, given {axis}")
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross: expected 3 elements along axis {axis}, given {x1.shape[axis]} and {x2.shape[axis]}")
    (a0, a1, a2), (b0, b1, b2) = ([x[(..., k, *(slice(None),) * (-axis - 1))] for k in range(3)] for x in (x1, x2))
    parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
    return stack(parts, axis=parts[0].ndim + 1 + axis)


def outer(x1, x2, /):
    """Return the products of each element of the vector x1, by rows, and each of the vector x2."""
    for x in (x1, x2):
        if x.ndim != 1:
            raise ValueError(f"outer: expected vectors, given shapes {x1.shape} and {x2.shape}")
        if not isdtype(x.dtype, "numeric"):
            raise TypeError(f"outer: expected arrays of numbers, given {x1.dtype} and {x2.dtype}")
    return x1[:, None] * x2[None, :]


def diagonal(x, /, *, offset=0):
    """Return a view of the diagonals of matrices, or of those `offset` columns to the right."""
    if x.ndim < 2:
        raise ValueError(f"diagonal: expected matrices in the last two axes, given shape {x.shape}")
    return wrap(_operations.call("diagonal", (x,), (offset,)))


def trace(x, /, *, offset=0, dtype=None):
    """Return the sums of the diagonals of matrices; of integers in 64 bits unless a dtype is given."""
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)
