"""Variances, sums without NaN, and histograms."""

import functools

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import axes_mask
from pycuda._arrays.copies import into
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array, operate
from pycuda._arrays.rounding import complex_of

__all__ = ["FUNCTIONS", "std", "var"]


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    """The variance along axes: the sum of the squares of the deviations from the mean, over the number of elements less `correction` (or `ddof`)."""
    return _spread(False, a, axis, dtype, out, ddof if correction is None else correction, keepdims, where)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    """The standard deviation along axes, the root of var()."""
    return _spread(True, a, axis, dtype, out, ddof if correction is None else correction, keepdims, where)


def _spread(is_root, a, axis, dtype, out, correction, keepdims, where, name="spread"):
    result = _operations.call(name, _masked(a, where), (is_root, axes_mask(axis, a.ndim), bool(keepdims), float(correction), dtype))
    return into(out, result)


def _masked(a, where):
    return (a,) if where is True else (a, where)


# ---- without NaN


def _without_nan(a, number):
    """The elements, with a number in place of each NaN; the same array if its dtype has none."""
    return _operations.call("without_nan", (a,), (float(number),)) if kind_of(a.dtype) in "fc" else a


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    return into(out, _operations.call("mean_without_nan", _masked(a, where), (axes_mask(axis, a.ndim), bool(keepdims), dtype)))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    return _spread(False, a, axis, dtype, out, ddof if correction is None else correction, keepdims, where, "spread_without_nan")


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=None):
    return _spread(True, a, axis, dtype, out, ddof if correction is None else correction, keepdims, where, "spread_without_nan")


def _nan_place(greatest, a, axis=None, out=None, *, keepdims=False):
    return into(out, _operations.call("place_without_nan", (a,), (greatest, axes_mask(axis, a.ndim), bool(keepdims))))


def _nan_running(scan, number, a, axis=None, dtype=None, out=None):
    return scan(_without_nan(a, number), axis=axis, dtype=dtype, out=out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replace NaN and infinities by numbers; in both parts of complex elements."""
    if kind_of(x.dtype) == "c":
        result = complex_of(*(_finite(operate(part, x), nan, posinf, neginf) for part in ("real", "imag")))
    else:
        result = _finite(x, nan, posinf, neginf) if kind_of(x.dtype) == "f" else x
    return (x.copy() if result is x else result) if copy else result if result is x else into(x, result)


def _finite(x, nan, posinf, neginf):
    limits, result = np.finfo(x.dtype), _without_nan(x, nan)
    for extreme, number in ((np.inf, limits.max if posinf is None else posinf), (-np.inf, limits.min if neginf is None else neginf)):
        result = operate("where", operate("eq", x, extreme, type=np.dtype(np.bool_)), float(number), result, type=x.dtype)
    return result


# ---- histograms


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins, ascending."""
    if is_array(bins):
        _operations.call("require_bin_edges", (bins,))
        return bins
    if isinstance(bins, (int, np.integer)):
        first, last = (0, 0) if range is None else range
        dtype = _dtype_of_edges(first, last, a) if range is not None else None
        return _operations.call("bin_edges", (a,), (bins, range is not None, float(first), float(last), dtype))
    if isinstance(bins, str):
        raise TypeError(f"histogram: expected a number of bins or their edges, given {bins!r}; estimators are not available for arrays on the device")
    return to_gpu(np.histogram_bin_edges(np.empty(0), bins))


def _dtype_of_edges(first, last, a):
    """Bounds with a dtype count as arrays do; None: as Python's numbers."""
    if not isinstance(first, np.generic) and not isinstance(last, np.generic):
        return None
    dtype = np.result_type(first, last, a.dtype)
    return dtype if kind_of(dtype) in "fc" else np.dtype(np.float64)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Return the number of elements, or the sum of weights, in each bin, and the edges. The last bin includes its right edge."""
    edges = histogram_bin_edges(a, bins, range)
    return _operations.call("histogram", (a, edges) if weights is None else (a, edges, weights), (bool(density),)), edges


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {
    np.var: var, np.std: std, np.nansum: _reductions.nansum, np.nanprod: _reductions.nanprod, np.nanmean: nanmean, np.nanvar: nanvar, np.nanstd: nanstd,
    np.nanmin: _reductions.nanmin, np.nanmax: _reductions.nanmax, np.nanargmin: functools.partial(_nan_place, False),
    np.nanargmax: functools.partial(_nan_place, True),
    np.nancumsum: functools.partial(_nan_running, _ordering.cumsum, 0), np.nancumprod: functools.partial(_nan_running, _ordering.cumprod, 1),
    np.nan_to_num: nan_to_num, np.histogram: histogram, np.histogram_bin_edges: histogram_bin_edges,
}
