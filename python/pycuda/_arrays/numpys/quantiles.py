"""Medians that ignore NaN, and quantiles."""

import math

import numpy as np

from pycuda._arrays import averages as _averages
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import rearrange as _rearrange
from pycuda._arrays import statistics as _statistics
from pycuda._arrays.axes import axes_mask, normalise_axes
from pycuda._arrays.copies import into
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array

__all__ = ["percentile"]

# ---- indices in order

#: Methods whose indices lie between elements, with Hyndman and Fan's parameters.
_BETWEEN = {"interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0), "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8)}

#: Methods whose results are elements, in their dtype.
_OF_ELEMENTS = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}

_METHODS = {*_BETWEEN, *_OF_ELEMENTS, "linear", "midpoint", "averaged_inverted_cdf"}


def _index_of(method, count, q, xp):
    """The index, which may be fractional, of the quantile q in `count` ordered elements. `xp` has the functions for its arguments: of NumPy or of the device."""
    if method in _BETWEEN:
        alpha, beta = _BETWEEN[method]
        return count * q + (alpha + q * (1 - alpha - beta)) - 1
    if method in ("linear", "lower", "higher", "nearest", "midpoint"):
        index = (count - 1) * q
        rounded = {"lower": xp.floor, "higher": xp.ceil, "nearest": xp.rint, "midpoint": lambda x: (xp.floor(x) + xp.ceil(x)) * 0.5}
        return rounded[method](index) if method in rounded else index
    index = count * q - (1.5 if method == "closest_observation" else 1)
    low = xp.floor(index)
    is_there = xp.equal(index, low)
    if method == "averaged_inverted_cdf":
        return xp.where(is_there, low + 0.5, low + 1)
    if method == "closest_observation":  # the even one, counted from 1
        is_there = xp.logical_and(is_there, xp.equal(xp.remainder(low, 2), 1))
    return xp.where(is_there, low, low + 1)


def _checked(name, a, q, method, weights):
    """The quantiles, floating-point numbers on the host, whether they are one number of Python's, and the method."""
    if method not in _METHODS:
        raise ValueError(f"{name}: expected a method of {', '.join(map(repr, sorted(_METHODS)))}, given {method!r}")
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"{name}: expected method 'inverted_cdf' with weights, given {method!r}")
    if a.dtype.kind == "c":
        raise TypeError(f"{name}: expected an array of real numbers, given {a.dtype}")
    is_number = type(q) in (int, float)
    q = q.get() if is_array(q) else np.asarray(q)
    if q.dtype.kind in "iu" and method == "linear" and name.endswith("quantile"):
        method = "nearest"  # of the first or the last element, in its dtype
    q = q if q.dtype.kind == "f" else q.astype(np.float64)
    if name.endswith("percentile"):
        q = np.true_divide(q, 100)
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError("Percentiles must be in the range [0, 100]" if name.endswith("percentile") else "Quantiles must be in the range [0, 1]")
    return q, is_number, method


def _weights_of(name, a, weights, axis):
    """The weights in the array's shape. Waits for the device, to find negative ones."""
    weights = _averages.weights_in_shape(exact.on_device(name, weights), a, axis)
    if exact.any_true(exact.less(weights, 0)):
        raise ValueError("Weights must be non-negative.")
    return weights


def _dtype_of(a, q, is_number):
    return a.dtype if kind_of(a.dtype) == "f" and is_number else np.result_type(a.dtype, q.dtype)


def _quantile(a, q, is_number, axis, out, method, keepdims):
    if a.dtype.kind in "bc":
        raise TypeError(f"quantile: expected an array of real numbers, given {a.dtype}")
    axes = normalise_axes(axis, a.ndim)
    dtype = _dtype_of(a, q, is_number)
    count = math.prod(a.shape[k] for k in axes)
    indices = np.clip(_index_of(method, count, q.ravel(), np), 0, max(count - 1, 0))
    if method in _OF_ELEMENTS and not exact.is_inexact(a):
        rows = _rows(a, axes)[0]
        result = np.moveaxis(_operations.index(rows, ...)[..., indices.astype(np.int64)], -1, 0)
        result = _with_axes(result, axes, a.ndim, keepdims)
    else:
        keeps = keepdims is not np._NoValue and bool(keepdims)
        result = _operations.call("take_sorted", (a,), (axes_mask(axes, a.ndim), keeps, dtype, *map(float, indices)))
        result = result.astype(a.dtype, copy=False) if method in _OF_ELEMENTS else result
    return into(out, exact.shaped(result, (*q.shape, *result.shape[1:])))


def _named(name, unweighted, default):
    """The function of this name, whose results without weights are those of `unweighted`."""
    def call(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=default, *, weights=None):
        q, is_number, method = _checked(name, a, q, method, weights)
        if weights is not None:
            return _weighted(a, q, _weights_of(name, a, weights, axis), axis, out, keepdims, name.startswith("nan"))
        return unweighted(a, q, is_number, axis, out, method, keepdims)

    return implements(name)(call)


_named("quantile", _quantile, False)
percentile = _named("percentile", _quantile, False)


# ---- by weights


def _weighted(a, q, weights, axis, out, keepdims, ignores_nan):
    """The first element in order up to which the weights are at least the share q of all. Waits for the device, to find weights without a sum."""
    axes = normalise_axes(axis, a.ndim)
    rows, weights = _lined_up(a, axes), _lined_up(weights, axes).astype(np.float64)
    is_nan = exact.isnan(rows) if exact.is_inexact(rows) else None
    if is_nan is not None and ignores_nan:
        weights = exact.where(is_nan, 0.0, weights)
    order = _ordering.argsort(rows)
    rows, weights = (_rearrange.take_along_axis(each, order, -1) for each in (rows, weights))
    shares = np.cumsum(weights, axis=-1)
    total = shares[..., -1:]
    has_none = None if is_nan is None else np.all(is_nan, axis=-1) if ignores_nan else np.any(is_nan, axis=-1)
    is_usable = exact.logical_and(exact.isfinite(total), exact.greater(total, 0))[..., 0]
    if exact.any_true(exact.logical_not(exact.logical_or(is_usable, has_none) if ignores_nan and is_nan is not None else is_usable)):
        raise ValueError("Weights included NaN, inf or were all zero.")
    shares = exact.divide(shares, total)
    found = []
    for share in q.ravel().tolist():
        is_before = exact.less(shares, share) if share else exact.equal(shares, 0)
        result = _at(rows, exact.summed(is_before, -1, keepdims=True))
        if is_nan is not None:
            result = exact.where(has_none, math.nan, result).astype(a.dtype, copy=False)
        found.append(result)
    result = exact.shaped(np.stack(found), (*q.shape, *found[0].shape)) if q.ndim else found[0]
    return into(out, _with_axes(result, axes, a.ndim, keepdims))


# ---- without NaN


def _lined_up(a, axes):
    """The elements along the axes along a last axis."""
    kept = [k for k in range(a.ndim) if k not in axes]
    return exact.shaped(a.transpose((*kept, *axes)).copy("C"), (*(a.shape[k] for k in kept), math.prod(a.shape[k] for k in axes)))


def _rows(a, axis):
    """The elements along the axes in order, NaN last, along a last axis; how many are not NaN; the axes."""
    axes = normalise_axes(axis, a.ndim)
    rows = _lined_up(a, axes)
    return _ordering.sort(rows), exact.subtract(rows.shape[-1], exact.summed(exact.isnan(rows), -1, keepdims=True)), axes


def _at(rows, indices):
    """The elements of each row at indices, which are clamped."""
    return _rearrange.take_along_axis(rows, exact.minimum(exact.maximum(indices, 0), rows.shape[-1] - 1), -1)[..., 0]


def _with_axes(result, axes, ndim, keepdims):
    """The result, for `keepdims` with axes of length 1; others come first."""
    if keepdims is np._NoValue or not keepdims:
        return result
    more = result.ndim + len(axes) - ndim
    return np.expand_dims(result, tuple(k + more for k in axes))


@implements("nanmedian")
def _nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=np._NoValue):
    if not exact.is_inexact(a) or not a.size:
        return _averages._median(a, axis, out, overwrite_input, keepdims)
    rows, count, axes = _rows(a, axis)
    low, high = _at(rows, exact.floor_divide(exact.subtract(count, 1), 2)), _at(rows, exact.floor_divide(count, 2))
    middle = exact.where(exact.equal(low, high), low, exact.divide(exact.add(low, high), 2))
    result = exact.where(exact.equal(count[..., 0], 0), math.nan, middle)
    return into(out, _with_axes(result, axes, a.ndim, keepdims))


def _quantile_of_rows(rows, count, q, method, dtype):
    """The quantile q, a number, of each row; its index is computed in the dtype."""
    index = _index_of(method, count.astype(dtype), q, exact)
    index = exact.minimum(exact.maximum(index, 0), exact.subtract(count, 1).astype(index.dtype))
    low = exact.floor(index)
    share = exact.subtract(index, low)[..., 0].astype(rows.dtype, copy=False)
    low = low.astype(np.int64)
    first, second = _at(rows, low), _at(rows, exact.minimum(exact.add(low, 1), exact.subtract(count, 1)))
    if method in _OF_ELEMENTS:
        result = first
    else:
        distance = exact.subtract(second, first)
        from_above = exact.subtract(second, exact.multiply(distance, exact.subtract(1, share)))
        result = exact.where(exact.greater_equal(share, 0.5), from_above, exact.add(first, exact.multiply(distance, share)))
    return exact.where(exact.equal(count[..., 0], 0), math.nan, result)


def _without_nan(a, q, is_number, axis, out, method, keepdims):
    if not a.size:  # as NumPy, whatever the number of quantiles
        return _statistics.nanmean(a, axis, out=out, keepdims=keepdims is not np._NoValue and keepdims)
    if not exact.is_inexact(a) or a.dtype.kind == "c":
        return _quantile(a, q, is_number, axis, out, method, keepdims)
    dtype = _dtype_of(a, q, is_number)
    rows, count, axes = _rows(a.astype(dtype, copy=False), axis)
    found = [_quantile_of_rows(rows, count, each, method, q.dtype) for each in q.ravel().tolist()]
    result = exact.shaped(np.stack(found), (*q.shape, *found[0].shape)) if q.ndim else found[0]
    result = result.astype(a.dtype, copy=False) if method in _OF_ELEMENTS else result
    return into(out, _with_axes(result, axes, a.ndim, keepdims))


for _name in ("nanquantile", "nanpercentile"):
    _named(_name, _without_nan, np._NoValue)
