"""Elements by their places, and places by their elements."""

import functools

import numpy as np

from pycuda import gpuarray
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axis
from pycuda.array_api import _indices
from pycuda.array_api._array import Array, as_operand, converted, flat, packed, run, wrap
from pycuda.array_api._dtypes import bool as _bool
from pycuda.array_api._dtypes import int64, result_type
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import dtype_to_ctype

__all__ = ["argmax", "argmin", "argsort", "count_nonzero", "nonzero", "searchsorted", "sort", "take", "take_along_axis", "where"]


def take(x, indices, /, *, axis=None):
    """Return the elements of x at these places of an axis, which may be left out for arrays of one axis."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: axis is needed for an array of {x.ndim} axes")
        axis = 0
    axis = normalise_axis(axis, x.ndim)
    return _indices.get(x, (slice(None),) * axis + (indices,))


def take_along_axis(x, indices, /, *, axis=-1):
    """Return the elements of x at places of an axis that differ from row to row; other axes broadcast."""
    from pycuda.array_api._creation import arange
    from pycuda.array_api._manipulation import broadcast_to, moveaxis

    axis = normalise_axis(axis, x.ndim)
    if indices.ndim != x.ndim:
        raise ValueError(f"expected indices of {x.ndim} axes, as the array has, given {indices.ndim}")
    x, indices = moveaxis(x, axis, -1), moveaxis(indices, axis, -1)
    shape = np.broadcast_shapes(x.shape[:-1], indices.shape[:-1])
    length, count = x.shape[-1], indices.shape[-1]
    table, places = packed(broadcast_to(x, (*shape, length))), broadcast_to(indices, (*shape, count))
    places = _indices.from_start(places, length)
    rows = int(np.prod(shape, dtype=np.int64))
    result = _indices.gathered(table, flat(places.reshape(rows, count) + (arange(rows) * length)[:, None]), 1)
    return moveaxis(result.reshape((*shape, count)), -1, axis)


def _place(name, x, axis, keepdims):
    if x.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected an array of real numbers, given {x.dtype}")
    return wrap(getattr(_reductions, name)(x, axis=axis, keepdims=keepdims))


def argmax(x, /, *, axis=None, keepdims=False):
    """Return the place of the first largest element, int64; NaN counts as largest."""
    return _place("argmax", x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Return the place of the first smallest element, int64; NaN counts as smallest."""
    return _place("argmin", x, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """Return how many elements are not zero, int64."""
    return wrap(_reductions.sum(run("ne", _bool, x, x.dtype.type(0)) if x.size else converted(x, _bool), dtype=int64, axis=axis, keepdims=keepdims))


def nonzero(x, /):
    """Return a tuple of the places where x is not zero, one array an axis."""
    return tuple(map(wrap, gpuarray.nonzero(x)))


def where(condition, x1, x2, /):
    """Return the elements of x1 where the condition is true, and those of x2 elsewhere; shapes broadcast."""
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
    """Return the places, int64, of the elements of sort(x); equal ones in their order."""
    from pycuda.array_api._manipulation import flip

    if not descending:
        return wrap(gpuarray.argsort(x, axis))
    places = flip(wrap(gpuarray.argsort(packed(flip(x, axis=axis)), axis)), axis=axis)
    return x.shape[axis] - 1 - places


@functools.cache
def _search_kernel(dtype):
    """Where, in ascending numbers, each of others is to be put."""
    number = dtype_to_ctype(dtype)
    is_less = "a < b || (b != b && a == a)" if dtype.kind == "f" else "a < b"  # NaN comes last
    return ElementwiseKernel(
        f"long long *place, {number} *wanted, {number} *ordered, long long count, int right",
        "long long low = 0, high = count; while (low < high) { long long middle = low + (high - low) / 2; "
        "if (right ? !is_less(wanted[i], ordered[middle]) : is_less(ordered[middle], wanted[i])) low = middle + 1; else high = middle; } place[i] = low;",
        "searchsorted", preamble=f"__device__ bool is_less({number} a, {number} b) {{ return {is_less}; }}")


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Return the places, int64, at which the elements of x2 go into x1, of one axis and ascending, or so by `sorter`."""
    if side not in ("left", "right"):
        raise ValueError(f"expected side 'left' or 'right', given {side!r}")
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: expected x1 of one axis, given {x1.ndim}")
    from pycuda.array_api._creation import asarray

    dtype = result_type(x1, x2)
    x2 = x2 if isinstance(x2, Array) else asarray(x2, dtype=dtype)
    ordered = x1 if sorter is None else take(x1, sorter)
    work = np.dtype(np.uint8) if dtype == _bool else dtype
    ordered, wanted = packed(as_operand(ordered, work)), packed(as_operand(x2, work))
    result = Array(wanted.shape, int64)
    if not wanted.size:
        return result
    if not ordered.size:
        return result.fill(0)
    _search_kernel(work)(flat(result), flat(wanted), flat(ordered), np.int64(ordered.size), np.int32(side == "right"))
    return result
