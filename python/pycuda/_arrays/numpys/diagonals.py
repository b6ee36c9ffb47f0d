"""Diagonals and triangles of matrices, and matrices made of vectors."""

import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays.copies import copy_on_device
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import new_array

__all__ = ["cycled", "diag"]

_FAR = 2**62


def _diagonal_number(k):
    """The number of a diagonal: all outside the matrix are equivalent."""
    return max(-_FAR, min(operator.index(k), _FAR))


@implements("diag")
def diag(v, k=0):
    """The k-th diagonal of a matrix, a view; of a vector, the matrix with it as that diagonal."""
    if v.ndim == 2:
        return _operations.call("diagonal", (v,), (_diagonal_number(k),))
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    length = v.size + abs(operator.index(k))
    result = exact.zeros((length, length), v.dtype, v)
    copy_on_device(_operations.call("diagonal", (result,), (operator.index(k),)), v)
    return result


@implements("diagflat")
def _diagflat(v, k=0):
    return diag(exact.flat(v), k)


def cycled(values, length):
    """The elements in C order, repeated or cut to this length."""
    values = exact.flat(values)
    if values.size < length:
        values = _operations.call("tile", (values,), (-(-length // values.size),))
    return values[:length]


@implements("fill_diagonal")
def _fill_diagonal(a, val, wrap=False):
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    if not a.size:
        return
    length = min(a.shape)
    starts = range(0, a.shape[0], a.shape[1] + 1) if a.ndim == 2 and wrap else (0,)
    parts = [_operations.strided(a[start:], (min(length, a.shape[0] - start),), (sum(a.strides),), a.dtype) for start in starts]
    values = exact.on_device("fill_diagonal", val)
    if not values.size:
        raise ValueError("fill_diagonal: expected at least one value, given none")
    values = cycled(values, sum(part.size for part in parts)) if values.size > 1 else exact.shaped(values, ())
    for part in parts:
        copy_on_device(part, values[:part.size] if values.ndim else values)
        values = values[part.size:] if values.ndim else values


@implements("vander")
def _vander(x, N=None, increasing=False):
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    columns = x.size if N is None else operator.index(N)
    result = new_array((x.size, columns), np.promote_types(x.dtype, np.int64), allocator=x.allocator)
    powers = result if increasing else result[:, ::-1]
    if result.size:
        powers[:, 0] = 1
    if result.size and columns > 1:
        powers[:, 1:] = x[:, None]
        _ordering.cumprod(powers[:, 1:], axis=1, out=powers[:, 1:])
    return result


# ---- indices


@implements("diag_indices_from")
def _diag_indices_from(arr):
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (exact.arange(arr.shape[0], arr),) * arr.ndim


def _triangle_of(arr, k, upper):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    ones = exact.filled(arr.shape, True, np.bool_, arr)
    return _ordering.nonzero(_operations.call("triangle", (ones,), (_diagonal_number(k), upper)))


@implements("tril_indices_from")
def _tril_indices_from(arr, k=0):
    return _triangle_of(arr, k, False)


@implements("triu_indices_from")
def _triu_indices_from(arr, k=0):
    return _triangle_of(arr, k, True)
