"""Indexing: views by integers and slices, copies by arrays of bool and of integers."""

from typing import NamedTuple

import numpy as np

from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import copy_on_device
from pycuda.array_api._array import Array, flat, in_dtype, packed, run, view_at, wrap
from pycuda.array_api._dtypes import bool as _bool
from pycuda.array_api._dtypes import int64
from pycuda.gpuarray import GPUArray

__all__ = ["from_start", "gathered", "get", "put"]


def _is_index_array(part):
    return isinstance(part, (Array, np.ndarray, list)) or isinstance(part, (bool, np.bool_))


def _as_index(part):
    from pycuda.array_api import asarray

    part = part if isinstance(part, Array) else asarray(part)
    if part.dtype != _bool and part.dtype.kind not in "iu":
        raise IndexError(f"expected integers or bool in an array of indices, given {part.dtype}")
    return part


def get(array, index):
    """array[index]."""
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(_is_index_array, parts)):
        return view_at(array, _plain(parts))
    if _is_whole_mask(array, parts):
        return wrap(_gather.compress(array, parts[0]))
    if _is_single_bool(parts):
        return get(array[None], _as_index(parts[0]).reshape(1))
    view, indices, first = _split(array, parts)
    return _rows(view, indices, first)


def _is_whole_mask(array, parts):
    """Whether an index is one mask of the array's shape, which has axes."""
    return len(parts) == 1 and isinstance(parts[0], Array) and parts[0].dtype == _bool and parts[0].shape == array.shape and array.ndim > 0


def _is_single_bool(parts):
    """Whether an index is one bool without axes, which takes all of an array or nothing."""
    return len(parts) == 1 and (isinstance(parts[0], (bool, np.bool_)) or parts[0].dtype == _bool and not parts[0].shape)


def put(array, index, value):
    """array[index] = value."""
    from pycuda.array_api import asarray

    if not isinstance(value, GPUArray) and not isinstance(value, (bool, int, float, complex, np.generic)):
        value = asarray(value, dtype=array.dtype)
    parts = index if isinstance(index, tuple) else (index,)
    if not any(map(_is_index_array, parts)):
        return _assign(view_at(array, _plain(parts)), value)
    if _is_whole_mask(array, parts):
        return _gather.expand(array, parts[0], value)
    if _is_single_bool(parts):
        return put(array[None], _as_index(parts[0]).reshape(1), value)
    from pycuda.array_api import arange

    places = get(arange(array.size).reshape(array.shape), index)
    if not places.size:
        return None
    values = Array(places.shape, array.dtype)
    _assign(values, value)
    _operations.call("put_into", (array, places, values))
    return None


def _assign(view, value):
    if not view.size:
        return
    if isinstance(value, GPUArray):
        np.broadcast_shapes(value.shape, view.shape)
        if value.ndim > view.ndim:  # leading axes of length 1
            value = value.reshape(value.shape[value.ndim - view.ndim:])
        copy_on_device(view, value)
    else:
        view.fill(np.array(value, view.dtype)[()])


def _plain(parts):
    """Integers of any kind as Python's."""
    return tuple(part if part is None or part is Ellipsis or isinstance(part, slice) else part.__index__() for part in parts)


def _split(array, parts):
    """(the view by all but arrays, [(axis of it, its index)], the axis of the result at which those of the arrays begin)."""
    parts = [each for part in parts for each in _parts_of(part)]
    taken = sum(1 for part in parts if part is not None and part is not Ellipsis)
    if Ellipsis not in [part for part in parts if part is None or part is Ellipsis]:
        parts.append(Ellipsis)
    basic, indices, places, axis = [], [], [], 0
    for place, part in enumerate(parts):
        if part is None or part is Ellipsis or isinstance(part, slice):
            basic.append(part)
            axis += array.ndim - taken if part is Ellipsis else 1
        else:
            indices.append((axis, part))
            basic.append(slice(None))
            places.append(place)
            axis += 1
    view = view_at(array, tuple(basic))
    for axis, part in indices:
        if isinstance(part, _OfMask) and part.length not in (0, view.shape[axis]):  # as in NumPy, a mask without elements fits any axis
            raise IndexError(f"a mask of length {part.length} does not fit axis {axis}, of length {view.shape[axis]}")
    indices = [(axis, part.places if isinstance(part, _OfMask) else part) for axis, part in indices]
    together = places == list(range(places[0], places[0] + len(places)))
    return view, indices, indices[0][0] if together else 0


class _OfMask(NamedTuple):
    """Where a mask is true along one of its axes, and how long that is."""

    places: Array
    length: int


def _parts_of(part):
    """A part of an index, arrays as Arrays; a mask is one part an axis of it."""
    if not _is_index_array(part):
        return [part]
    part = _as_index(part)
    if part.dtype != _bool:
        return [part]
    if part.ndim == 0:
        raise IndexError("a bool without axes is no index beside others; use where()")
    from pycuda.array_api import nonzero

    return list(map(_OfMask, nonzero(part), part.shape))


def _rows(view, indices, first):
    """The elements of a view at arrays of indices of some axes; the axes of the arrays come at axis `first` of the result."""
    axes = [axis for axis, _ in indices]
    lengths = [view.shape[axis] for axis in axes]
    shape = np.broadcast_shapes(*(index.shape if isinstance(index, Array) else () for _, index in indices))
    rest = [axis for axis in range(view.ndim) if axis not in axes]
    rest_shape = tuple(view.shape[axis] for axis in rest)
    rows = _flat_index([index for _, index in indices], lengths, shape)
    table = packed(view.transpose((*axes, *rest)))
    result = gathered(table, rows, int(np.prod(rest_shape, dtype=np.int64)))
    result = result.reshape(shape + rest_shape)
    if first and shape:
        order = [*range(len(shape), len(shape) + first), *range(len(shape)), *range(len(shape) + first, result.ndim)]
        result = result.transpose(order)
    return result


def from_start(index, length):
    """An array of indices as int64, negative ones, which count from the end, replaced."""
    index = in_dtype(index, int64)
    return run("where", int64, index < 0, index + length, index) if index.size else index


def _flat_index(indices, lengths, shape):
    """The row of each element, of arrays of indices of the axes of a table; negative ones count from the end."""
    from pycuda.array_api import full

    rows = None
    for index, length in zip(indices, lengths):
        if isinstance(index, Array):
            index = from_start(index, length)
        else:
            number = index.__index__()
            if not -length <= number < length:
                raise IndexError(f"index {number} is out of bounds for an axis of length {length}")
            index = full((), number + length if number < 0 else number, dtype=int64)
        rows = index if rows is None else rows * length + index
    from pycuda.array_api import broadcast_to

    return flat(broadcast_to(rows, shape))


def gathered(table, rows, width):
    """Rows of `width` elements of a packed table, by their numbers."""
    from pycuda.array_api import arange

    result = Array((rows.size, width), table.dtype)
    if not result.size:
        return result
    if not table.size:
        raise IndexError("cannot take elements from an axis without any")
    places = rows if width == 1 else flat(rows[:, None] * width + arange(width))
    _operations.call("take_into", (flat(result), table, places))
    return result
