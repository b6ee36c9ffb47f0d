"""Indexing, searching and sorting."""

import numpy as np

from pycuda import gpuarray
from pycuda._arrays import operations as _operations
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import search as _search
from pycuda._arrays.axes import normalise_axis
from pycuda.array_api import _indices
from pycuda.array_api._array import Array, as_operand, converted, in_dtype, packed, run, wrap
from pycuda.array_api._dtypes import bool as _bool
from pycuda.array_api._dtypes import int64, result_type

__all__ = ["argmax", "argmin", "argsort", "count_nonzero", "nonzero", "searchsorted", "sort", "take", "take_along_axis", "where"]


def take(x, indices, /, *, axis=None):
    """Return the elements of x at these indices of an axis, which may be omitted for arrays of one axis."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: axis is needed for an array of {x.ndim} axes")
        axis = 0
    axis = normalise_axis(axis, x.ndim)
    return _indices.get(x, (slice(None),) * axis + (indices,))


def take_along_axis(x, indices, /, *, axis=-1):
    """Return the elements of x at indices of an axis that differ from row to row; other axes broadcast."""
    return wrap(_operations.call("take_along_axis", (x, indices), (axis,)))


def _arg_extreme(name, x, axis, keepdims):
    if x.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected an array of real numbers, given {x.dtype}")
    return wrap(getattr(_reductions, name)(x, axis=axis, keepdims=keepdims))


def argmax(x, /, *, axis=None, keepdims=False):
    """Return the index of the first largest element, int64; NaN counts as the largest value."""
    return _arg_extreme("argmax", x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Return the index of the first smallest element, int64; NaN counts as the smallest value."""
    return _arg_extreme("argmin", x, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """Return the number of nonzero elements, int64."""
    return wrap(_reductions.sum(run("ne", _bool, x, x.dtype.type(0)) if x.size else converted(x, _bool), dtype=int64, axis=axis, keepdims=keepdims))


def nonzero(x, /):
    """Return the indices of the nonzero elements, as a tuple with one array for each axis."""
    return tuple(map(wrap, gpuarray.nonzero(x)))


def where(condition, x1, x2, /):
    """Return elements of x1 where the condition is true, and elements of x2 elsewhere; shapes broadcast."""
    if isinstance(x1, Array) or isinstance(x2, Array):
        dtype = result_type(x1, x2)
    else:
        dtype = np.result_type(type(x1), type(x2))
    return run("where", dtype, condition, as_operand(x1, dtype), as_operand(x2, dtype))


# ---- order


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """Return a copy sorted along an axis."""
    from pycuda.array_api._manipulation import flip

    result = wrap(gpuarray.sort(x, axis))
    return packed(flip(result, axis=axis)) if descending else result


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """Return the indices, int64, that sort x along an axis; the order of equal elements stays."""
    from pycuda.array_api._manipulation import flip

    if not descending:
        return wrap(gpuarray.argsort(x, axis))
    order = flip(wrap(gpuarray.argsort(packed(flip(x, axis=axis)), axis)), axis=axis)
    return x.shape[axis] - 1 - order


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Return the indices, int64, at which elements of x2 would be inserted into x1, which has one axis and is ascending, or is sorted by `sorter`."""
    from pycuda.array_api._creation import asarray

    dtype = result_type(x1, x2)
    x2 = x2 if isinstance(x2, Array) else asarray(x2, dtype=dtype)
    ordered = x1 if sorter is None else take(x1, sorter)
    return wrap(_search.searchsorted(in_dtype(ordered, dtype), in_dtype(x2, dtype), side))
