"""Blocks, and other views and joins of arrays."""

import operator

import numpy as np

from pycuda._arrays import join as _join
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import is_array, new_array, strided

__all__ = []


def _depth_of(arrays):
    """How deep the lists are nested."""
    if isinstance(arrays, tuple):
        raise TypeError("arrays is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit conversion from tuple to ndarray.")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("List at arrays cannot be empty")
    depths = {_depth_of(part) for part in arrays}
    if len(depths) != 1:
        raise ValueError(f"List depths are mismatched: {sorted(depths)}")
    return 1 + depths.pop()


def _leaves(arrays):
    return [leaf for part in arrays for leaf in _leaves(part)] if isinstance(arrays, list) else [arrays]


@implements("block")
def _block(arrays):
    depth = _depth_of(arrays)
    ndim = max(depth, *(np.ndim(leaf) for leaf in _leaves(arrays)))
    dtype = np.result_type(*(leaf.dtype if is_array(leaf) else np.asarray(leaf).dtype for leaf in _leaves(arrays)))

    def joined(part, level):
        if not isinstance(part, list):
            part = exact.on_device("block", part).astype(dtype, copy=False)
            return part[(None,) * (ndim - part.ndim) + (...,)]
        return _join.concatenate([joined(each, level + 1) for each in part], level - depth + ndim)

    result = joined(arrays, 0)
    return result if depth else result.copy()


@implements("unstack")
def _unstack(x, /, *, axis=0):
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(np.moveaxis(x, axis, 0))


@implements("fliplr")
def _fliplr(m):
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


@implements("flipud")
def _flipud(m):
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]


@implements("rollaxis")
def _rollaxis(a, axis, start=0):
    axis = normalise_axis(axis, a.ndim)
    start = normalise_axis(start, a.ndim + 1) if start >= 0 else normalise_axis(start, a.ndim)
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


# ---- functions of Python


@implements("lib.stride_tricks.sliding_window_view")
def _sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view, to which can be written."""
    lengths = tuple(map(operator.index, window_shape if hasattr(window_shape, "__iter__") else (window_shape,)))
    if any(length < 0 for length in lengths):
        raise ValueError(f"`window_shape` cannot contain negative values, given {lengths}")
    axes = tuple(range(x.ndim)) if axis is None else tuple(normalise_axis(each, x.ndim) for each in (axis if hasattr(axis, "__iter__") else (axis,)))
    if len(lengths) != len(axes):
        raise ValueError(f"`window_shape` must have one length for each of the axes {axes}, given {lengths}")
    shape = list(x.shape)
    for k, length in zip(axes, lengths):
        if length > shape[k]:
            raise ValueError(f"window shape cannot be larger than input array shape, given {lengths} for shape {x.shape}")
        shape[k] -= length - 1
    return strided(x, (*shape, *lengths), (*x.strides, *(x.strides[k] for k in axes)), x.dtype)


@implements("apply_along_axis")
def _apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """One call, of an array on the device, for each line."""
    axis = normalise_axis(axis, arr.ndim)
    lines = np.moveaxis(arr, axis, -1)
    before = lines.shape[:-1]
    if 0 in before:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    result = None
    for index in np.ndindex(before):
        part = exact.on_device("apply_along_axis", func1d(lines[index], *args, **kwargs))
        if result is None:
            result = new_array((*before, *part.shape), part.dtype, allocator=arr.allocator)
        result[index] = part
    added = result.ndim - len(before)
    order = list(range(result.ndim))
    return result.transpose(order[:axis] + order[result.ndim - added:] + order[axis:result.ndim - added])


@implements("apply_over_axes")
def _apply_over_axes(func, a, axes):
    for axis in axes if hasattr(axes, "__iter__") else (axes,):
        axis = axis + a.ndim if axis < 0 else axis
        result = func(a, axis)
        if result.ndim != a.ndim:
            result = np.expand_dims(result, axis)
        if result.ndim != a.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        a = result
    return a
