"""Averages and quantiles, composed of sorting and reductions."""

import math

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import axes_mask, normalise_axes, normalise_axis
from pycuda._arrays.copies import in_c_order, into
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array, new_array

__all__ = ["FUNCTIONS"]


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
        if not is_array(weights):
            raise TypeError(f"average: expected weights in a GPUArray, given {type(weights).__name__}; copy them with gpuarray.to_gpu()")
        dtype = np.result_type(a.dtype, weights.dtype, *([np.float64] if a.dtype.kind in "biu" else []))
        weights = _spread(weights, a, axis).astype(dtype)
        total = _reductions.sum(weights, axis=axis, keepdims=keepdims)
        if bool(_reductions.any(_operations.operate("logical_not", total)).get()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = _reductions.sum(a.astype(dtype) * weights, axis=axis, keepdims=keepdims) / total
    if not returned:
        return result
    return result, new_array(result.shape, result.dtype, allocator=a.allocator).fill(total) if weights is None else total


def _spread(weights, a, axis):
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
    greatest, least = (function(a, axis=axis, keepdims=keepdims) for function in (_reductions.greatest, _reductions.least))
    return np.subtract(greatest, least, out=out)


def _quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    if method != "linear" or weights is not None:
        raise TypeError("quantile: only method='linear' without weights is available for GPUArrays")
    dtype = a.dtype if kind_of(a.dtype) == "f" and isinstance(q, (int, float)) else np.result_type(a.dtype, np.float64)
    q = np.asarray(q, dtype if dtype.kind == "f" else None)
    if a.dtype.kind != "c" and not ((q >= 0) & (q <= 1)).all():
        raise ValueError("Quantiles must be in the range [0, 1]")
    axes = normalise_axes(axis, a.ndim)
    places = q.ravel() * (math.prod(a.shape[k] for k in axes) - 1)
    result = _operations.call("in_order_at", (a,), (axes_mask(axes, a.ndim), _keeps(keepdims), dtype, *map(float, places)))
    return into(out, result.reshape((*q.shape, *result.shape[1:])))


def _percentile(a, q, *args, **keywords):
    return _quantile(a, q / 100 if isinstance(q, (int, float)) else np.true_divide(q, 100), *args, **keywords)


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.median: _median, np.average: _average, np.ptp: _ptp, np.quantile: _quantile, np.percentile: _percentile}
