"""Linear algebra that needs no decomposition of matrices."""

import builtins
import operator

from pycuda._arrays import operations as _operations
from pycuda.array_api._array import wrap
from pycuda.array_api._dtypes import isdtype, result_type
from pycuda.array_api._manipulation import stack
from pycuda.array_api._statistics import sum

__all__ = ["cross", "diagonal", "outer", "trace"]


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
