"""Elements deleted, inserted, cut off and repeated: new arrays."""

import operator

import numpy as np

from pycuda._arrays import join as _join
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import copy_on_device
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.diagonals import cycled
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import is_array, new_array

__all__ = []


def _at(axis, part):
    return (*(slice(None),) * axis, part)


def _along(arr, axis):
    """The array and the axis; for None, its elements in one dimension."""
    return (exact.flat(arr), 0) if axis is None else (arr, normalise_axis(axis, arr.ndim))


def _host_indices(obj, name, length):
    """Indices of an axis, which determine the size of the result, as a NumPy array of integers. Waits for the device if they are there."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(length))
    indices = obj.get() if is_array(obj) else np.array(obj)
    if not indices.size and not is_array(obj) and not isinstance(obj, np.ndarray):
        indices = indices.astype(np.intp)
    if indices.dtype.kind == "b":
        if indices.ndim != 1:
            raise ValueError(f"boolean array argument obj to {name} must be one dimensional")
        if name == "delete" and indices.size != length:
            raise ValueError(f"boolean array argument obj to delete must be one-dimensional and match the axis length of {length}")
        return np.flatnonzero(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return indices


def _in_order_of(arr, result):
    """The result, in Fortran order if the array is."""
    return result.copy("F") if arr.flags.fnc else result


@implements("delete")
def _delete(arr, obj, axis=None):
    arr, axis = _along(arr, axis)
    keep = np.ones(arr.shape[axis], np.bool_)
    indices = _host_indices(obj, "delete", keep.size)
    if indices.size == 1 and not -keep.size <= indices.item() < keep.size:
        raise IndexError(f"index {indices.item()} is out of bounds for axis {axis} with size {keep.size}")
    keep[indices] = False
    return _in_order_of(arr, arr[_at(axis, np.flatnonzero(keep))])


@implements("insert")
def _insert(arr, obj, values, axis=None):
    arr, axis = _along(arr, axis)
    length = arr.shape[axis]
    indices = _host_indices(obj, "insert", length)
    if indices.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    for index in indices.ravel():
        if not -length <= index <= length:
            raise IndexError(f"index {index} is out of bounds for axis {axis} with size {length}")
    targets = np.where(indices < 0, indices + length, indices)
    values = exact.on_device("insert", values)
    if indices.size == 1:
        values = values[(None,) * (arr.ndim - values.ndim) + (...,)]
        values = np.moveaxis(values, 0, axis) if not indices.ndim else values
        added = values.shape[axis]
        targets = targets.item() + np.arange(added)
    else:
        added = targets.size
        targets[np.argsort(targets, kind="stable")] += np.arange(added)
    result = new_array((*arr.shape[:axis], length + added, *arr.shape[axis + 1:]), arr.dtype, allocator=arr.allocator)
    is_old = np.ones(length + added, np.bool_)
    is_old[targets] = False
    if added:
        result[_at(axis, targets)] = values
    if length:
        result[_at(axis, np.flatnonzero(is_old))] = arr
    return _in_order_of(arr, result)


@implements("resize")
def _resize(a, new_shape):
    shape = tuple(map(operator.index, new_shape)) if isinstance(new_shape, (tuple, list)) else (operator.index(new_shape),)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    if not a.size:
        return exact.zeros(shape, a.dtype, a)
    result = new_array(shape, a.dtype, allocator=a.allocator)
    if result.size:
        copy_on_device(result, exact.shaped(cycled(a, result.size), shape))
    return result


@implements("trim_zeros")
def _trim_zeros(filt, trim="fb", axis=None):
    """The part between the first and the last element that is not zero. Waits for the device."""
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = normalise_axes(axis, filt.ndim)
    if not axes:
        return filt
    parts = [slice(None)] * filt.ndim
    is_set = exact.truth(filt)
    for axis in axes:
        others = tuple(k for k in range(filt.ndim) if k != axis)
        nonzero = _ordering.nonzero(_reductions.any(is_set, axis=others) if others else is_set)[0]
        if not nonzero.size:
            return filt[(slice(0, 0),) * len(axes) if len(axes) == filt.ndim else tuple(slice(0, 0) if k in axes else slice(None) for k in range(filt.ndim))]
        first, last = nonzero[[0, -1]].tolist()
        parts[axis] = slice(first if "f" in trim else None, last + 1 if "b" in trim else None)
    return filt[tuple(parts)]


@implements("ediff1d")
def _ediff1d(ary, to_end=None, to_begin=None):
    ary = exact.flat(exact.on_device("ediff1d", ary))
    parts = [exact.subtract(ary[1:], ary[:-1])]
    for name, extra in (("to_begin", to_begin), ("to_end", to_end)):
        if extra is None:
            continue
        extra = exact.on_device("ediff1d", extra)
        if not np.can_cast(extra.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.insert(0 if name == "to_begin" else len(parts), exact.flat(extra).astype(ary.dtype, copy=False))
    return _join.concatenate(parts) if len(parts) > 1 else parts[0]
