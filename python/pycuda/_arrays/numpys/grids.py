"""Grids, and evenly spaced numbers between bounds on the device."""

import operator

import numpy as np

from pycuda._arrays import ordering as _ordering
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import broadcast_to, is_array

__all__ = []


@implements("meshgrid")
def _meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    xi = [exact.flat(exact.on_device("meshgrid", x)) for x in xi]
    axes = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = 1, 0
    views = [exact.shaped(x, tuple(-1 if k == axis else 1 for k in range(len(xi)))) for x, axis in zip(xi, axes)]
    if not sparse:
        shape = np.broadcast_shapes(*(view.shape for view in views))
        views = [broadcast_to(view, shape) for view in views]
    return tuple(view.copy("C") for view in views) if copy else tuple(views)


@implements("ix_")
def _ix(*args):
    views = []
    for number, each in enumerate(args):
        each = exact.on_device("ix_", each)
        if not is_array(args[number]) and not each.size:
            each = each.astype(np.int64)
        if each.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        each = _ordering.nonzero(each)[0] if each.dtype.kind == "b" else each
        views.append(exact.shaped(each, (1,) * number + (each.size,) + (1,) * (len(args) - number - 1)))
    return tuple(views)


def _count(num):
    count = operator.index(num)
    if count < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    return count


def _dtype_of(*values):
    return np.result_type(*(value.dtype if is_array(value) else value for value in values))


@implements("linspace")
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """Evenly spaced numbers between bounds, of which at least one is an array."""
    like = start if is_array(start) else stop
    if device not in (None, "cpu") and device != like.device:
        raise ValueError(f"linspace: expected device=None or {like.device}, given {device!r}")
    count = _count(num)
    parts = count - 1 if endpoint else count
    start, stop = (exact.multiply(exact.on_device("linspace", bound), 1.0) for bound in (start, stop))
    wide = np.result_type(start.dtype, stop.dtype, np.float64 if start.dtype.itemsize > 4 or stop.dtype.itemsize > 4 else start.dtype)
    given = wide if dtype is None else np.dtype(dtype)
    delta = exact.subtract(stop, start)
    numbers = exact.arange(count, like, np.result_type(delta.dtype, np.float32) if delta.dtype.kind == "c" else delta.dtype)
    numbers = exact.shaped(numbers, (-1,) + (1,) * delta.ndim)
    step = exact.divide(delta, parts) if parts > 0 else exact.filled(delta.shape, np.nan, delta.dtype, like)
    ways = exact.where(exact.equal(step, 0), exact.multiply(exact.divide(numbers, parts), delta), exact.multiply(numbers, step)) if parts > 0 \
        else exact.multiply(numbers, delta)
    result = exact.add(ways, start)
    if endpoint and count > 1:
        result[-1] = stop
    result = np.moveaxis(result, 0, axis) if axis != 0 else result
    if given.kind in "iu":
        result = exact.floor(result)
    result = result.astype(given, copy=False)
    return (result, step) if retstep else result


@implements("logspace")
def _logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if not is_array(base) or not base.ndim:
        powers = linspace(*_with_array(start, stop, base), num, endpoint, axis=axis)
        result = exact.power(base, powers)
    else:
        ndim = max(getattr(value, "ndim", 0) for value in (start, stop, base))
        start, stop, base = (_with_axes(exact.on_device("logspace", value), ndim) for value in (start, stop, base))
        result = exact.power(np.expand_dims(base, axis), linspace(start, stop, num, endpoint, axis=axis))
    return result if dtype is None else result.astype(dtype, copy=False)


def _with_array(start, stop, base):
    """The bounds, of which one is an array."""
    return (start, stop) if is_array(start) or is_array(stop) else (exact.filled((), start, np.result_type(start, 1.0), base), stop)


def _with_axes(a, ndim):
    return a[(None,) * (ndim - a.ndim) + (...,)]


@implements("geomspace")
def _geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    start, stop = (exact.on_device("geomspace", bound) for bound in (start, stop))
    if any(exact.any_true(exact.equal(bound, 0)) for bound in (start, stop)):
        raise ValueError("Geometric sequence cannot include zero")
    common = np.result_type(start.dtype, stop.dtype, float(num), *(() if dtype is None else (np.dtype(dtype),)))
    start, stop = (bound.astype(common) for bound in (start, stop))
    sign = exact.sign(start)
    start, stop = exact.divide(start, sign), exact.divide(stop, sign)
    result = _logspace(exact.log10(start), exact.log10(stop), num, endpoint, 10.0, common)
    if result.shape[0]:
        result[0] = start
        if result.shape[0] > 1 and endpoint:
            result[-1] = stop
    result = exact.multiply(result, sign)
    result = np.moveaxis(result, 0, axis) if axis != 0 else result
    return result.astype(common if dtype is None else dtype, copy=False)
