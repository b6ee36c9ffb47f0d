"""Reshaping, joining and splitting."""

import numpy as np

from pycuda import gpuarray
from pycuda._arrays import operations as _operations
from pycuda._arrays import orders as _orders
from pycuda._arrays import rearrange as _rearrange
from pycuda._arrays.axes import normalise_axis
from pycuda.array_api._array import check_device, converted, flat, in_dtype, wrap
from pycuda.array_api._dtypes import checked_dtype, result_type

__all__ = [
    "astype", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims", "repeat", "reshape",
    "roll", "squeeze", "stack", "tile", "unstack",
]


def astype(x, dtype, /, *, copy=True, device=None):
    """Return the elements converted to a dtype; x itself if `copy` is False and the dtype is the same."""
    check_device(device)
    dtype = checked_dtype(dtype)
    if dtype == x.dtype and not copy:
        return x
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        raise TypeError(f"complex elements cannot be converted to {dtype}; use real() or abs()")
    return converted(x, dtype)


def broadcast_shapes(*shapes):
    """Return the shape to which shapes broadcast. ValueError if they do not."""
    return np.broadcast_shapes(*shapes)


def broadcast_to(x, /, shape):
    """Return a view of x broadcast to a shape; its elements must not be assigned to."""
    return wrap(_operations.broadcast_to(x, shape))


def broadcast_arrays(*arrays):
    """Return a tuple of the arrays as views of one shape."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return tuple(broadcast_to(array, shape) for array in arrays)


def concat(arrays, /, *, axis=0):
    """Return the arrays joined along an axis; for axis None, flattened first."""
    arrays = list(arrays)
    dtype = result_type(*arrays)
    if axis is None:
        arrays, axis = [flat(array) for array in arrays], 0
    result = gpuarray.concatenate([in_dtype(array, dtype) for array in arrays], axis)
    return wrap(result)


def stack(arrays, /, *, axis=0):
    """Return the arrays, all of one shape, joined along a new axis."""
    arrays = list(arrays)
    dtype = result_type(*arrays)
    axis = normalise_axis(axis, arrays[0].ndim + 1)
    return concat([expand_dims(in_dtype(array, dtype), axis) for array in arrays], axis=axis)


def unstack(x, /, *, axis=0):
    """Return a tuple with the views at each index of an axis."""
    axis = normalise_axis(axis, x.ndim)
    return tuple(x[(slice(None),) * axis + (k,)] for k in range(x.shape[axis]))


def expand_dims(x, /, axis):
    """Return a view with new axes of length 1 at these positions of its shape."""
    return np.expand_dims(x, axis)


def squeeze(x, /, axis):
    """Return a view without these axes, which must have length 1."""
    return wrap(gpuarray.GPUArray.squeeze(x, axis))


def flip(x, /, *, axis=None):
    """Return a view in which elements along these axes, all by default, are in reverse order."""
    return np.flip(x, axis)


def permute_dims(x, /, axes):
    """Return a view whose axis k is axis axes[k] of x."""
    return x.transpose(tuple(axes))


def moveaxis(x, source, destination, /):
    """Return a view with the axes `source` moved to the positions `destination`; the others keep their order."""
    sources, destinations = (tuple(axes) if isinstance(axes, (tuple, list)) else (axes,) for axes in (source, destination))
    return wrap(_operations.call("moveaxis", (x,), (len(sources), *sources, *destinations)))


def reshape(x, /, shape, *, copy=None):
    """Return the elements in C order in another shape: a view where that is possible, unless copy is True.

    ValueError where copy is False and there is no such view. One length may be -1.
    """
    return wrap(_orders.reshaped(x, (shape,) if isinstance(shape, int) else tuple(shape), "C", copy))


def roll(x, /, shift, *, axis=None):
    """Return the elements rolled by `shift` along an axis, or several; elements that leave at the end enter at the start."""
    return wrap(_rearrange.roll(x, shift, axis))


def tile(x, repetitions, /):
    """Return x repeated `repetitions` times along each axis, as a whole."""
    return wrap(_rearrange.tile(x, repetitions))


def repeat(x, repeats, /, *, axis=None):
    """Return each element along an axis repeated `repeats` times: a number, or one for each index. For axis None, x is flattened first."""
    return wrap(_rearrange.repeat(x, repeats, axis))
