"""Variances, and sums without NaN."""

import functools
import operator

import numpy as np

from pycuda._arrays import complex_order as _complex_order
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import axes_mask
from pycuda._arrays.copies import indices_into, into
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array, new_array, operate
from pycuda._arrays.rounding import complex_of

__all__ = ["FUNCTIONS", "std", "var"]


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The variance along axes: the sum of the squares of the deviations from the mean, over the number of elements less `correction` (or `ddof`)."""
    if mean is not None and mean is not np._NoValue:
        return into(out, _around(mean, a, axis, dtype, _less(ddof, correction), keepdims, where))
    return _deviation("var", a, axis, dtype, out, _less(ddof, correction), keepdims, where)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The standard deviation along axes, the root of var()."""
    if mean is not None and mean is not np._NoValue:
        return into(out, operate("sqrt", _around(mean, a, axis, dtype, _less(ddof, correction), keepdims, where)))
    return _deviation("std", a, axis, dtype, out, _less(ddof, correction), keepdims, where)


def _less(ddof, correction):
    """What is subtracted from the number of elements: one of the two."""
    if correction is None or correction is np._NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _deviation(name, a, axis, dtype, out, correction, keepdims, where):
    _require_inexact(name.removeprefix("nan"), dtype)
    result = _operations.call(name, _masked(a, where), (axes_mask(axis, a.ndim), bool(keepdims), float(correction), dtype))
    is_widened = dtype is not None and kind_of(np.dtype(dtype)) == "c" and kind_of(a.dtype) != "c"
    return into(out, result.astype(dtype) if is_widened else result)


def _around(mean, a, axis, dtype, correction, keepdims, where):
    """The variance, given the means, which broadcast."""
    _require_inexact("var", dtype)
    dtype = np.dtype(dtype) if dtype is not None else a.dtype if kind_of(a.dtype) in "fc" else np.dtype(np.float64)
    deviations = operate("abs", operate("sub", a, mean, type=np.result_type(dtype, mean.dtype) if is_array(mean) else dtype))
    squares = _reductions.sum(operate("mul", deviations, deviations), axis=axis, keepdims=keepdims, where=where)
    count = _reductions.count(where, a, axis, keepdims)
    divisor = operate("fmax", operate("sub", count, float(correction)), 0.0) if is_array(count) else max(float(count - correction), 0.0)
    real = np.empty(0, dtype).real.dtype
    return operate("div", squares, divisor, type=real)


def _require_inexact(name, dtype):
    if dtype is not None and kind_of(np.dtype(dtype)) not in "fc":
        raise TypeError(f"{name}: expected a floating-point or complex dtype, given {np.dtype(dtype)}")


def _masked(a, where):
    where = _operations.mask_of(where)
    if isinstance(where, (bool, np.bool_)):
        return (a,) if where else (a, new_array((), np.bool_).fill(False))
    return a, where


# ---- without NaN


def _without_nan(a, number):
    """The elements, with a number in place of each NaN; the same array if its dtype has none."""
    return _operations.call("without_nan", (a,), (float(number),)) if kind_of(a.dtype) in "fc" else a


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    _require_inexact("nanmean", dtype)
    return into(out, _operations.call("nanmean", _masked(a, where), (axes_mask(axis, a.ndim), bool(keepdims), dtype)))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return _nan_deviation("nanvar", a, axis, dtype, out, _less(ddof, correction), keepdims, where, mean)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return _nan_deviation("nanstd", a, axis, dtype, out, _less(ddof, correction), keepdims, where, mean)


def _nan_deviation(name, a, axis, dtype, out, correction, keepdims, where, mean):
    """NaN where there are not more elements than `correction`."""
    is_given = mean is not None and mean is not np._NoValue
    if not is_given and not correction:
        return _deviation(name, a, axis, dtype, out, correction, keepdims, where)
    where = operate("logical_not", operate("isnan", a)) if where is True else operate("logical_and", _operations.mask_of(where), operate("logical_not", operate("isnan", a)))
    if is_given:
        _require_inexact("nanvar", dtype)
        result = _around(mean, _without_nan(a, 0), axis, dtype, correction, keepdims, where)
        result = operate("sqrt", result) if name == "nanstd" else result
    else:
        result = _deviation(name, a, axis, dtype, None, correction, keepdims, where)
    is_enough = operate("gt", _reductions.count(where, a, axis, keepdims), float(correction), type=np.dtype(np.bool_))
    return into(out, operate("where", is_enough, result, np.nan, type=result.dtype))


def _nan_arg(name, a, axis=None, out=None, *, keepdims=False):
    axis = axis if axis is None else operator.index(axis)
    if kind_of(a.dtype) == "c":
        if bool(_reductions.any(_reductions.all(operate("isnan", a), axis=axis)).get()):
            raise ValueError("All-NaN slice encountered")
        return indices_into(out, _complex_order.reduced(name, a, axis, bool(keepdims)))
    return indices_into(out, _operations.call(name, (a,), (axes_mask(axis, a.ndim), bool(keepdims))))


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
    nan, posinf, neginf = map(_operations.of_lists, (nan, posinf, neginf))
    limits, result = np.finfo(x.dtype), _without_nan(x, nan) if not is_array(nan) else operate("where", operate("isnan", x), nan, x, type=x.dtype)
    for extreme, number in ((np.inf, limits.max if posinf is None else posinf), (-np.inf, limits.min if neginf is None else neginf)):
        number = number if is_array(number) else float(number)
        result = operate("where", operate("eq", x, extreme, type=np.dtype(np.bool_)), number, result, type=x.dtype)
    return result


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {
    np.var: var, np.std: std, np.nansum: _reductions.nansum, np.nanprod: _reductions.nanprod, np.nanmean: nanmean, np.nanvar: nanvar, np.nanstd: nanstd,
    np.nanmin: _reductions.nanmin, np.nanmax: _reductions.nanmax, np.nanargmin: functools.partial(_nan_arg, "nanargmin"),
    np.nanargmax: functools.partial(_nan_arg, "nanargmax"),
    np.nancumsum: functools.partial(_nan_running, _ordering.cumsum, 0), np.nancumprod: functools.partial(_nan_running, _ordering.cumprod, 1),
    np.nan_to_num: nan_to_num,
}
