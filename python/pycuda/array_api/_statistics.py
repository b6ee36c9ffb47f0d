"""Sums, products, extrema and other statistics."""

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import statistics as _statistics
from pycuda._arrays.axes import normalise_axis
from pycuda.array_api._array import Array, in_dtype, wrap
from pycuda.array_api._dtypes import bool as _bool
from pycuda.array_api._dtypes import checked_dtype, int64, isdtype, uint64

__all__ = ["all", "any", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std", "sum", "var"]


def _check(name, x, *kinds):
    if not isdtype(x.dtype, kinds):
        raise TypeError(f"{name}: expected an array of {' or '.join(kinds)} elements, given {x.dtype}")


def _sum_dtype(x, dtype):
    """The dtype of a sum: 64 bits for integers, unless it is given."""
    if dtype is not None:
        return checked_dtype(dtype)
    return {"b": int64, "i": int64, "u": uint64}.get(x.dtype.kind, x.dtype)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """Return the sum along axes, all by default; integers are summed in 64 bits unless a dtype is given."""
    _check("sum", x, "numeric")
    dtype = _sum_dtype(x, dtype)
    return wrap(_reductions.sum(in_dtype(x, dtype), dtype=dtype, axis=axis, keepdims=keepdims))


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """Return the product along axes, all by default; integers are multiplied in 64 bits unless a dtype is given."""
    _check("prod", x, "numeric")
    dtype = _sum_dtype(x, dtype)
    return wrap(_reductions.prod(in_dtype(x, dtype), dtype=dtype, axis=axis, keepdims=keepdims))


def max(x, /, *, axis=None, keepdims=False):
    """Return the largest element along axes; NaN if there is one. ValueError if there are no elements."""
    _check("max", x, "integral", "real floating")
    return wrap(_reductions.amax(x, axis=axis, keepdims=keepdims))


def min(x, /, *, axis=None, keepdims=False):
    """Return the smallest element along axes; NaN if there is one. ValueError if there are no elements."""
    _check("min", x, "integral", "real floating")
    return wrap(_reductions.amin(x, axis=axis, keepdims=keepdims))


def mean(x, /, *, axis=None, keepdims=False):
    """Return the mean along axes, all by default."""
    _check("mean", x, "real floating", "complex floating")
    return wrap(_reductions.mean(x, axis=axis, keepdims=keepdims))


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Return the variance along axes: the sum of squared deviations from the mean, divided by N - correction."""
    _check("var", x, "real floating", "complex floating")
    return wrap(_statistics.var(x, axis, correction=correction, keepdims=keepdims))


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """Return the standard deviation along axes, the square root of var()."""
    _check("std", x, "real floating", "complex floating")
    return wrap(_statistics.std(x, axis, correction=correction, keepdims=keepdims))


def all(x, /, *, axis=None, keepdims=False):
    """Return whether every element along axes is not zero, as bool."""
    return wrap(_reductions.all(x, axis=axis, keepdims=keepdims))


def any(x, /, *, axis=None, keepdims=False):
    """Return whether any element along axes is not zero, as bool."""
    return wrap(_reductions.any(x, axis=axis, keepdims=keepdims))


def _cumulative(name, x, axis, dtype, include_initial):
    _check(name, x, "numeric", "bool")
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{name}: axis is needed for an array of {x.ndim} axes")
        axis = 0
    axis = normalise_axis(axis, x.ndim)
    dtype = _sum_dtype(x, dtype)
    if include_initial:
        return wrap(_operations.call("scanned_from_start", (in_dtype(x, dtype),), (name == "cumulative_prod", axis)))
    scan = _ordering.cumprod if name == "cumulative_prod" else _ordering.cumsum
    return wrap(scan(in_dtype(x, dtype), axis=axis, dtype=dtype))


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Return the cumulative sums along an axis; with include_initial, preceded by 0."""
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Return the cumulative products along an axis; with include_initial, preceded by 1."""
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Return the n-th differences of neighbours along an axis. Before that, `prepend` and `append` are joined to x along the axis."""
    from pycuda.array_api import concat

    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis=normalise_axis(axis, x.ndim)) if len(parts) > 1 else x
    return wrap(_operations.call("diff", (x,), (n, axis)))
