"""Variances, sums without NaN, and histograms."""

import functools

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axes
from pycuda._arrays.copies import into
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array, operate
from pycuda._arrays.rounding import complex_of
from pycuda._arrays.search import searchsorted

__all__ = ["FUNCTIONS", "std", "var"]


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    """The variance along axes: the sum of the squares of the deviations from the mean, over the number of elements less `correction` (or `ddof`)."""
    return _spread(False, a, axis, dtype, out, ddof if correction is None else correction, keepdims, where)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    """The standard deviation along axes, the root of var()."""
    return _spread(True, a, axis, dtype, out, ddof if correction is None else correction, keepdims, where)


def _spread(is_root, a, axis, dtype, out, correction, keepdims, where):
    axes = sum(1 << k for k in normalise_axes(axis, a.ndim))
    arrays = (a,) if where is True else (a, where)
    result = _operations.call("spread", arrays, (is_root, axes, bool(keepdims), float(correction), dtype))
    return into(out, result)


# ---- without NaN


def _isnan(a):
    return operate("isnan", a, type=np.dtype(np.bool_))


def _without(a, number):
    """The elements, with a number in place of each NaN."""
    return operate("where", _isnan(a), number, a, type=a.dtype) if kind_of(a.dtype) in "fc" else a


def _present(a, where=True):
    """Return a mask of the selected elements that are not NaN; True if the dtype has no NaN."""
    if kind_of(a.dtype) not in "fc":
        return where
    present = operate("logical_not", _isnan(a))
    return present if where is True else operate("logical_and", present, where)


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return _reductions.sum(_without(a, 0), dtype=dtype, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return _reductions.prod(_without(a, 1), dtype=dtype, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    return _reductions.mean(a, dtype=dtype, axis=axis, out=out, keepdims=keepdims, where=_present(a, where))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    return var(a, axis, dtype, out, ddof, keepdims, where=_present(a, where), correction=correction)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    return std(a, axis, dtype, out, ddof, keepdims, where=_present(a, where), correction=correction)


def _nan_extremum(reduction, a, axis=None, out=None, keepdims=False, initial=None, where=True):
    result = reduction(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    if kind_of(a.dtype) == "f" and initial is None:  # if all are NaN, it is NaN
        result = operate("where", _reductions.any(_present(a, where), axis=axis, keepdims=keepdims), result, float("nan"), type=a.dtype)
    return into(out, result)


def _nan_place(reduction, number, a, axis=None, out=None, *, keepdims=False):
    if kind_of(a.dtype) == "f" and bool(_reductions.any(_reductions.all(_isnan(a), axis=axis))):
        raise ValueError("All-NaN slice encountered")
    return reduction(_without(a, number), axis=axis, out=out, keepdims=keepdims)


def _nan_running(scan, number, a, axis=None, dtype=None, out=None):
    return scan(_without(a, number), axis=axis, dtype=dtype, out=out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replace NaN and infinities by numbers; in both parts of complex elements."""
    if kind_of(x.dtype) == "c":
        result = complex_of(*(_finite(operate(part, x), nan, posinf, neginf) for part in ("real", "imag")))
    else:
        result = _finite(x, nan, posinf, neginf) if kind_of(x.dtype) == "f" else x
    return (x.copy() if result is x else result) if copy else result if result is x else into(x, result)


def _finite(x, nan, posinf, neginf):
    limits, result = np.finfo(x.dtype), _without(x, nan)
    for extreme, number in ((np.inf, limits.max if posinf is None else posinf), (-np.inf, limits.min if neginf is None else neginf)):
        result = operate("where", operate("eq", x, extreme, type=np.dtype(np.bool_)), float(number), result, type=x.dtype)
    return result


# ---- histograms


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins, ascending."""
    if is_array(bins):
        return _edges_of(bins, a)
    if not isinstance(bins, (int, np.integer)):
        if isinstance(bins, str):
            raise TypeError(f"histogram: expected a number of bins or their edges, given {bins!r}; estimators are not available for arrays on the device")
        return to_gpu(np.histogram_bin_edges(np.empty(0), bins))
    if range is None and a.size:
        range = tuple(reduction(a).get()[()] for reduction in (_reductions.least, _reductions.greatest))
        sample = np.array(range, a.dtype)
    else:
        sample = np.empty(0, a.dtype)
    return to_gpu(np.histogram_bin_edges(sample, bins, range))


def _edges_of(bins, a):
    if bins.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if bins.size > 1 and not bool(_reductions.all(operate("le", bins[:-1], bins[1:], type=np.dtype(np.bool_)))):
        raise ValueError("`bins` must increase monotonically, when an array")
    return bins


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Return the number of elements, or the sum of weights, in each bin, and the edges. The last bin includes its right edge."""
    edges = histogram_bin_edges(a, bins, range)
    dtype = np.result_type(edges.dtype, a.dtype)
    flat = _operations.call("flat", (a if a.dtype == dtype else operate("copy", a, type=dtype),))
    limits = edges if edges.dtype == dtype else operate("copy", edges, type=dtype)
    if weights is not None:
        if weights.shape != a.shape:
            raise ValueError(f"weights should have the same shape as a: expected {a.shape}, given {weights.shape}")
        order = _ordering.argsort(flat)
        flat = _operations.call("taken", (flat, order)) if flat.size else flat
    else:
        flat = _ordering.sort(flat)
    below = _joined(searchsorted(flat, limits[:-1]), searchsorted(flat, limits[-1:], "right"))
    if weights is not None:
        sums = _sums_before(_operations.call("flat", (weights,)), order)
        below = _operations.call("taken", (sums, below))
    counts = operate("sub", below[1:], below[:-1])
    if weights is not None and weights.dtype.kind != "b" and counts.dtype != weights.dtype:
        counts = operate("copy", counts, type=weights.dtype)
    if density:
        dtype = np.result_type(counts.dtype, np.float64)
        widths = operate("sub", edges[1:], edges[:-1], type=np.dtype(np.float64))
        counts = operate("div", operate("div", counts, widths, type=dtype), _reductions.sum(counts, dtype=dtype))
    return counts, edges


def _joined(*parts):
    return _operations.call("concatenated", parts, (0,))


def _sums_before(weights, order):
    """The sums of the weights before each position of an order, and of all weights."""
    weights = operate("copy", weights, type=np.dtype(np.int64)) if weights.dtype.kind == "b" else weights
    dtype = np.result_type(weights.dtype, np.int64 if weights.dtype.kind in "iu" else np.float64)
    start = _operations.new_array((1,), dtype).fill(0)
    return _joined(start, _ordering.cumsum(_operations.call("taken", (weights, order)), dtype=dtype)) if weights.size else start


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {
    np.var: var, np.std: std, np.nansum: nansum, np.nanprod: nanprod, np.nanmean: nanmean, np.nanvar: nanvar, np.nanstd: nanstd,
    np.nanmin: functools.partial(_nan_extremum, _reductions.least_number), np.nanmax: functools.partial(_nan_extremum, _reductions.greatest_number),
    np.nanargmin: functools.partial(_nan_place, _reductions.argmin, float("inf")), np.nanargmax: functools.partial(_nan_place, _reductions.argmax, float("-inf")),
    np.nancumsum: functools.partial(_nan_running, _ordering.cumsum, 0), np.nancumprod: functools.partial(_nan_running, _ordering.cumprod, 1),
    np.nan_to_num: nan_to_num, np.histogram: histogram, np.histogram_bin_edges: histogram_bin_edges,
}
