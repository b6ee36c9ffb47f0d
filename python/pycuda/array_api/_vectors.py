"""Linear algebra that needs no decomposition of matrices."""

import operator

from pycuda._arrays import operations as _operations
from pycuda.array_api._array import wrap
from pycuda.array_api._products import of_one_dtype
from pycuda.array_api._statistics import sum

__all__ = ["cross", "diagonal", "outer", "trace"]


def cross(x1, x2, /, *, axis=-1):
    """Return the cross products of vectors of three elements along a (negative) axis; the other axes broadcast."""
    return wrap(_operations.call("cross", tuple(of_one_dtype("cross", x1, x2)), (operator.index(axis),)))


def outer(x1, x2, /):
    """Return the products of each element of x1 and each element of x2: vectors, which give the rows and the columns."""
    return wrap(_operations.call("outer", (x1, x2)))


def diagonal(x, /, *, offset=0):
    """Return a view of the diagonals of matrices, or of those `offset` columns to the right."""
    if x.ndim < 2:
        raise ValueError(f"diagonal: expected matrices in the last two axes, given shape {x.shape}")
    return wrap(_operations.call("diagonal", (x,), (offset,)))


def trace(x, /, *, offset=0, dtype=None):
    """Return the sums of the diagonals of matrices; integers are summed in 64 bits unless a dtype is given."""
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)
