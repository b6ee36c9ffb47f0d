"""Averages and quantiles, composed of sorting and reductions."""

import math

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import in_c_order, into
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array, new_array

__all__ = ["FUNCTIONS"]


def _sorted_rows(a, axis):
    """The elements along the axes, sorted along one last axis; the shape of a result, and that with the axes kept as 1."""
    axes = normalise_axes(axis, a.ndim)
    kept = [k for k in range(a.ndim) if k not in axes]
    shape = tuple(a.shape[k] for k in kept)
    rows = in_c_order(a.transpose((*kept, *axes))).reshape((*shape, math.prod(a.shape[k] for k in axes)))
    return _ordering.sort(rows, axis=-1), shape, tuple(1 if k in axes else length for k, length in enumerate(a.shape))


def _is_nan(a):
    return _operations.operate("isnan", a)


def _with_nan(result, rows):
    """NaN where a row has one, which is then sorted to its end."""
    if kind_of(rows.dtype) not in "fc":
        return result
    last = rows[..., -1]
    return _operations.operate("where", _is_nan(last), last, result, type=result.dtype)


def _median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    rows, shape, kept = _sorted_rows(a, axis)
    length = rows.shape[-1]
    if length == 0:
        dtype = a.dtype if kind_of(a.dtype) in "fc" else np.dtype(np.float64)
        result = new_array(shape, dtype, allocator=a.allocator).fill(np.nan)
    else:
        middle = rows[..., (length - 1) // 2:length // 2 + 1]
        result = _with_nan(_reductions.mean(middle, axis=-1), rows)
    return into(out, result.reshape(kept) if keepdims and keepdims is not np._NoValue else result)


def _average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    keepdims = keepdims is not np._NoValue and bool(keepdims)
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
    keepdims = keepdims is not np._NoValue and bool(keepdims)
    greatest, least = (function(a, axis=axis, keepdims=keepdims) for function in (_reductions.greatest, _reductions.least))
    return np.subtract(greatest, least, out=out)


def _quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    if method != "linear" or weights is not None:
        raise TypeError("quantile: only method='linear' without weights is available for GPUArrays")
    if a.dtype.kind == "c":
        raise TypeError("quantile: expected real numbers, given complex ones")
    dtype = a.dtype if kind_of(a.dtype) == "f" and isinstance(q, (int, float)) else np.result_type(a.dtype, np.float64)
    q = np.asarray(q, dtype if dtype.kind == "f" else None)
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError("Quantiles must be in the range [0, 1]")
    if a.dtype.kind == "b":
        raise TypeError("quantile: expected numbers, given bool; convert them with astype()")
    rows, shape, kept = _sorted_rows(a, axis)
    length = rows.shape[-1]
    if length == 0:
        raise IndexError("quantile: the array is empty along the axes")
    places = q.ravel() * (length - 1)
    results = [_with_nan(_between(rows, float(place), dtype), rows) for place in places]
    results = [result.reshape(kept) for result in results] if keepdims else results
    if q.ndim == 0:
        return into(out, results[0])
    return into(out, np.stack(results).reshape((*q.shape, *results[0].shape)) if results else new_array((*q.shape, *(kept if keepdims else shape)), dtype))


def _between(rows, place, dtype):
    """Interpolate between the two neighbours of a place; from the nearer one, as NumPy does, so that the ends are exact."""
    first = min(int(place), rows.shape[-1] - 1)
    low, high = (rows[..., k].astype(dtype) for k in (first, min(first + 1, rows.shape[-1] - 1)))
    share = place - first
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


def _percentile(a, q, *args, **keywords):
    return _quantile(a, q / 100 if isinstance(q, (int, float)) else np.true_divide(q, 100), *args, **keywords)


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.median: _median, np.average: _average, np.ptp: _ptp, np.quantile: _quantile, np.percentile: _percentile}
