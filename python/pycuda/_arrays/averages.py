"""Averages, composed of sorting and reductions."""

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import axes_mask, normalise_axis
from pycuda._arrays.copies import in_c_order, into
from pycuda._arrays.operations import is_array, new_array

__all__ = ["FUNCTIONS", "weights_in_shape"]


def _median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return into(out, _operations.call("median", (a,), (axes_mask(axis, a.ndim), _keeps(keepdims))))


def _keeps(keepdims):
    return keepdims is not np._NoValue and bool(keepdims)


def _average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    keepdims = _keeps(keepdims)
    if weights is None:
        result = _reductions.mean(a, axis=axis, keepdims=keepdims)
        total = a.size / result.size  # ZeroDivisionError without rows, as in NumPy
    else:
        weights = _operations.of_lists(weights)
        if not is_array(weights):
            raise TypeError(f"average: expected weights in a GPUArray, given {type(weights).__name__}; copy them with gpuarray.to_gpu()")
        dtype = np.result_type(a.dtype, weights.dtype, *([np.float64] if a.dtype.kind in "biu" else []))
        weights = weights_in_shape(weights, a, axis).astype(dtype)
        total = _reductions.sum(weights, axis=axis, keepdims=keepdims)
        if bool(_reductions.any(_operations.operate("logical_not", total)).get()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = _reductions.sum(a.astype(dtype) * weights, axis=axis, keepdims=keepdims) / total
    if not returned:
        return result
    return result, new_array(result.shape, result.dtype, allocator=a.allocator).fill(total) if weights is None else total


def weights_in_shape(weights, a, axis):
    """The weights in the shape of the array: they have that, or the lengths of the axes."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes = [normalise_axis(k, a.ndim) for k in axes]
    if weights.shape != tuple(a.shape[k] for k in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    weights = weights.transpose(np.argsort(axes).tolist())
    return _operations.broadcast_to(in_c_order(weights).reshape(tuple(length if k in axes else 1 for k, length in enumerate(a.shape))), a.shape)


def _ptp(a, axis=None, out=None, keepdims=False):
    keepdims = _keeps(keepdims)
    largest, smallest = (function(a, axis=axis, keepdims=keepdims) for function in (_reductions.amax, _reductions.amin))
    return np.subtract(largest, smallest, out=out)


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.median: _median, np.average: _average, np.ptp: _ptp}
