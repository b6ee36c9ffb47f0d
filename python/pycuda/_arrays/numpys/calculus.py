"""Derivatives, integrals, interpolation and running sums."""

import math

import numpy as np

from pycuda._arrays import gather as _gather
from pycuda._arrays import join as _join
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import into
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import is_array, new_array, operate
from pycuda._arrays.rearrange import diff
from pycuda._arrays.search import searchsorted

__all__ = []


def _at(axis, part):
    return (*(slice(None),) * axis, part)


# ---- gradient


def _spacings(f, axes, varargs):
    """The distance of neighbours along each axis: a number, or an array of distances."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        return [*varargs] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings = []
    for axis, given in zip(axes, varargs):
        if np.ndim(given) == 0:
            spacings.append(given)
            continue
        given = exact.on_device("gradient", given)
        if given.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if given.size != f.shape[axis]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        spacings.append(diff(given.astype(np.float64) if given.dtype.kind in "iu" else given))
    return spacings


def _weighted(f, axis, parts, weights):
    """The sum of the products of weights and parts of an axis, in this order."""
    total = None
    for part, weight in zip(parts, weights):
        if is_array(weight) and weight.ndim:
            weight = exact.shaped(weight, tuple(-1 if k == axis else 1 for k in range(f.ndim)))
        product = exact.multiply(weight, f[_at(axis, part)])
        total = product if total is None else exact.add(total, product)
    return total


def _quotient(a, b):
    return exact.divide(a, b) if is_array(a) or is_array(b) else a / b


def _interior(f, axis, spacing):
    if np.ndim(spacing) == 0:
        difference = exact.subtract(f[_at(axis, slice(2, None))], f[_at(axis, slice(None, -2))])
        return exact.divide(difference, exact.multiply(2.0, spacing) if is_array(spacing) else 2.0 * spacing)
    before, after = spacing[:-1], spacing[1:]
    both = exact.add(before, after)
    weights = (exact.divide(exact.negative(after), exact.multiply(before, both)), exact.divide(exact.subtract(after, before), exact.multiply(before, after)),
               exact.divide(before, exact.multiply(after, both)))
    return _weighted(f, axis, (slice(None, -2), slice(1, -1), slice(2, None)), weights)


def _edge(f, axis, spacing, is_last, order):
    """The one-sided derivative at an end of an axis."""
    near, next_one, third = (-1, -2, -3) if is_last else (0, 1, 2)
    here = spacing if np.ndim(spacing) == 0 else spacing[near]
    if order == 1:
        high, low = (near, next_one) if is_last else (next_one, near)
        return exact.divide(exact.subtract(f[_at(axis, high)], f[_at(axis, low)]), here)
    if np.ndim(spacing) == 0:
        factors = (0.5, -2.0, 1.5) if is_last else (-1.5, 2.0, -0.5)
        weights = [_quotient(factor, spacing) for factor in factors]
    else:
        beside = spacing[next_one]
        both, twice = exact.add(here, beside), exact.add(exact.multiply(2.0, here), beside)
        weights = [exact.divide(exact.negative(twice), exact.multiply(here, both)), exact.divide(both, exact.multiply(here, beside)),
                   exact.divide(exact.negative(here), exact.multiply(beside, both))]
        weights = [exact.negative(weight) for weight in weights[::-1]] if is_last else weights
    return _weighted(f, axis, (third, next_one, near) if is_last else (near, next_one, third), weights)


@implements("gradient")
def _gradient(f, *varargs, axis=None, edge_order=1):
    axes = tuple(normalise_axis(k, f.ndim) for k in axis) if isinstance(axis, (tuple, list)) else normalise_axes(axis, f.ndim)
    spacings = _spacings(f, axes, varargs)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    f = f.astype(np.float64) if f.dtype.kind in "iu" else f
    results = []
    for k, spacing in zip(axes, spacings):
        if f.shape[k] < edge_order + 1:
            raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")
        if f.dtype.kind == "b":
            raise TypeError("gradient: expected numbers, whose differences are defined, given bool")
        result = new_array(f.shape, f.dtype if exact.is_inexact(f) else np.float64, allocator=f.allocator)
        if f.size:
            result[_at(k, slice(1, -1))] = _interior(f, k, spacing)
            result[_at(k, 0)] = _edge(f, k, spacing, False, edge_order)
            result[_at(k, -1)] = _edge(f, k, spacing, True, edge_order)
        results.append(result)
    return results[0] if len(axes) == 1 else tuple(results)


# ---- integrals


@implements("trapezoid", "trapz")
def _trapezoid(y, x=None, dx=1.0, axis=-1):
    y = exact.on_device("trapezoid", y)
    axis = normalise_axis(axis, y.ndim)
    distance = dx
    if x is not None:
        x = exact.on_device("trapezoid", x)
        distance = exact.shaped(diff(x), tuple(-1 if k == axis else 1 for k in range(y.ndim))) if x.ndim == 1 else diff(x, axis=axis)
    both = exact.add(y[_at(axis, slice(1, None))], y[_at(axis, slice(None, -1))])
    return exact.summed(exact.divide(exact.multiply(distance, both), 2.0), axis)


def _cumulative(name, x, axis, dtype, out, include_initial):
    x = x if x.ndim else x[None]
    if axis is None:
        if x.ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    axis = normalise_axis(axis, x.ndim)
    dtype = exact.sum_dtype(x.dtype) if dtype is None and out is None else np.dtype(dtype) if dtype is not None else np.result_type(x.dtype, out.dtype)
    if not include_initial:
        return getattr(_ordering, "cumprod" if name == "cumulative_prod" else "cumsum")(x, axis=axis, dtype=dtype, out=out)
    return into(out, _operations.call("scanned_from_start", (x.astype(dtype, copy=False),), (name == "cumulative_prod", axis)), casting="unsafe")


@implements("cumulative_sum")
def _cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _cumulative("cumulative_sum", x, axis, dtype, out, include_initial)


@implements("cumulative_prod")
def _cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _cumulative("cumulative_prod", x, axis, dtype, out, include_initial)


# ---- interpolation


def _periodic(x, xp, fp, period):
    """Points and values over one period, with a neighbour at either end."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    x, xp = exact.remainder(x, period), exact.remainder(xp, period)
    order = _ordering.argsort(xp)
    xp, fp = _gather.take(xp, order), _gather.take(fp, order)
    return x, _join.concatenate([exact.subtract(xp[-1:], period), xp, exact.add(xp[:1], period)]), _join.concatenate([fp[-1:], fp, fp[:1]])


def _between(x, xp, fp, index):
    """The line through the points around each x. NaN from infinities gives way to the other point's line, and to equal values."""
    low, high = (_gather.take(xp, each) for each in (index, exact.add(index, 1)))
    first, second = (_gather.take(fp, each) for each in (index, exact.add(index, 1)))
    slope = exact.divide(exact.subtract(second, first), exact.subtract(high, low))
    result = exact.add(exact.multiply(slope, exact.subtract(x, low)), first)
    result = exact.where(exact.isnan(result), exact.add(exact.multiply(slope, exact.subtract(x, high)), second), result)
    result = exact.where(exact.logical_and(exact.isnan(result), exact.equal(first, second)), first, result)
    return exact.where(exact.equal(x, low), first, result)


@implements("interp")
def _interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = (exact.on_device("interp", value) for value in (x, xp, fp))
    if fp.dtype.kind == "c":
        parts = [_interp(x, xp, operate(part, fp), *(None if end is None else getattr(end, part) for end in (left, right)), period) for part in ("real", "imag")]
        result = new_array(x.shape, np.complex128, allocator=x.allocator)
        result.real, result.imag = parts
        return result
    x, xp, fp = (value.astype(np.float64, copy=False) for value in (x, xp, fp))
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if not xp.size:
        raise ValueError("array of sample points is empty")
    if period is not None:
        (x, xp, fp), left, right = _periodic(x, xp, fp, period), None, None
    number = exact.subtract(exact.shaped(searchsorted(xp, exact.flat(x), "right"), x.shape), 1)
    last = xp.size - 1
    result = _between(x, xp, fp, exact.minimum(exact.maximum(number, 0), last))
    result = exact.where(exact.greater_equal(number, last), fp[last], result)
    result = exact.where(exact.greater(x, xp[last]), fp[last] if right is None else float(right), result)
    result = exact.where(exact.less(x, xp[0]), fp[0] if left is None else float(left), result)
    return exact.where(exact.isnan(x), x, result)


@implements("unwrap")
def _unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    axis = normalise_axis(axis, p.ndim)
    steps = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = np.result_type(steps.dtype, period)
    high, is_ambiguous = period / 2, True
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        is_ambiguous = rest == 0
    short = exact.add(exact.remainder(exact.add(steps, high), period), -high)
    if is_ambiguous:
        short = exact.where(exact.logical_and(exact.equal(short, -high), exact.greater(steps, 0)), high, short)
    correction = exact.where(exact.less(exact.absolute(steps), discont), 0, exact.subtract(short, steps))
    result = p.astype(dtype)
    result[_at(axis, slice(1, None))] = exact.add(p[_at(axis, slice(1, None))], _ordering.cumsum(correction, axis=axis))
    return result
