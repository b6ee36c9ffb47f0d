"""Running sums, sorting, and what is made of it."""

import numpy as np

from pycuda._arrays import matrices
from pycuda._arrays import operations as _operations
from pycuda._arrays import copies as _copies
from pycuda._arrays import gather as _gather
from pycuda._arrays.copies import packed_copy
from pycuda._arrays.axes import normalise_axis

__all__ = ["argsort", "cumprod", "cumsum", "matmul", "nonzero", "sort", "unique"]


def _cumulative(name, a, dtype, axis, out, stream):
    if axis is None:
        if a.ndim != 1:
            a = _copies.in_c_order(a)
        axis = 0
    axis = normalise_axis(axis, len(a.shape))
    if out is None:
        out = _operations.new_array(a.shape, a.dtype if dtype is None else dtype, allocator=a.allocator)
    elif out.shape != a.shape:
        raise ValueError(f"out must have shape {a.shape}, not {out.shape}")
    if out.size:
        _operations.call(name, (out, a), (axis,), stream)
    return out


def cumsum(a, axis=None, dtype=None, out=None, stream=None):
    """The sums of the entries up to each: of all, in C order and one dimension, or along `axis`. Of the dtype of `a` unless given."""
    return _cumulative("cumulative_sum", a, dtype, axis, out, stream)


def cumprod(a, axis=None, dtype=None, out=None, stream=None):
    """The products, like cumsum."""
    return _cumulative("cumulative_product", a, dtype, axis, out, stream)


def _rows(a, axis):
    """A packed copy whose last axis is `axis`, and how its axes are to be permuted back; of None one dimension."""
    if axis is None:
        return packed_copy(a).reshape(a.size), None
    axis = normalise_axis(axis, len(a.shape))
    order = [k for k in range(len(a.shape)) if k != axis] + [axis]
    return packed_copy(a.transpose(order)), None if order == sorted(order) else tuple(int(k) for k in np.argsort(order))


def sort(a, axis=-1, keys=None, stream=None):
    """A copy sorted along `axis`, ascending and stable, NaN last; with None in one dimension. By `keys`, of one shape, if given."""
    if keys is not None:
        if a.ndim != 1 or keys.shape != a.shape:
            raise ValueError(f"sorting by keys needs arrays of one dimension and shape, given {a.shape} and {keys.shape}")
        return _gather.take(a, argsort(keys, stream=stream), stream=stream)
    rows, back = _rows(a, axis)
    if rows.size:
        _operations.call("sort", (rows, None, rows), stream=stream)
    return rows if back is None else rows.transpose(back)


def argsort(a, axis=-1, stream=None):
    """Where in `a` the entries of sort(a, axis) are, int64."""
    rows, back = _rows(a, axis)
    places = _operations.new_array(rows.shape, np.int64, allocator=a.allocator)
    if rows.size:
        _operations.call("sort", (None, places, rows), stream=stream)
    return places if back is None else places.transpose(back)


def unique(a, stream=None):
    """The different entries, ascending."""
    _operations.call("prepare_distinct", (a,))
    ordered = sort(a, None, stream=stream)
    if not ordered.size:
        return ordered
    mask = _operations.new_array(ordered.shape, np.bool_, allocator=a.allocator)
    _operations.call("mark_first", (mask, ordered), stream=stream)
    return _gather.compress(ordered, mask, stream)


def nonzero(a, stream=None):
    """Where `a` is not zero, in C order: a tuple of int64 arrays, one an axis."""
    if a.ndim == 0:
        raise ValueError("nonzero: expected an array with axes, given one of shape ()")
    flat = _copies.in_c_order(a)
    _operations.call("prepare_selection", (None, flat))
    places = _operations.new_array((_gather.count_nonzero(flat, stream),), np.int64, allocator=a.allocator)
    if places.size:
        _operations.call("nonzero", (places, flat), stream=stream)
    along = []
    for length in a.shape[:0:-1]:
        along.append(_operations.operate("mod", places, length, stream=stream))
        places = _operations.operate("floor_div", places, length, stream=stream)
    return (places, *along[::-1])


def matmul(a, b, out=None, stream=None):
    """The product of two matrices, or of a matrix and a vector, on either side. Large ones are cuBLAS's, if it is installed."""
    return matrices.matmul(a, b, out, stream)
