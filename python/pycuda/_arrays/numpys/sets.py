"""Sets: arrays of distinct elements."""

import math
from typing import Any, NamedTuple

import numpy as np

from pycuda._arrays import gather as _gather
from pycuda._arrays import join as _join
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import search as _search
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements

__all__ = []


class UniqueAllResult(NamedTuple):
    """The result of unique_all()."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """The result of unique_counts()."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """The result of unique_inverse()."""

    values: Any
    inverse_indices: Any


@implements("unique")
def _unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    if axis is None or normalise_axis(axis, ar.ndim) == 0 and ar.ndim == 1:
        return _search.unique(ar, return_index, return_inverse, return_counts, equal_nan=equal_nan, sorted=sorted)
    results = _distinct_parts(ar, normalise_axis(axis, ar.ndim))
    results = [part for part, is_wanted in zip(results, (True, return_index, return_inverse, return_counts)) if is_wanted]
    return tuple(results) if len(results) > 1 else results[0]


def _distinct_parts(ar, axis):
    """The distinct parts of an axis in lexicographic order, the index of the first of each, the index among them of each, and their counts.

    One sort for each element of a part; a part with NaN is distinct. Waits for the device.
    """
    moved = np.moveaxis(ar, axis, 0)
    count = moved.shape[0]
    rows = exact.shaped(moved, (count, math.prod(moved.shape[1:])))
    if 0 in rows.shape:
        found = min(count, 1)  # parts without elements are all equal
        return np.moveaxis(moved[:found], 0, axis), exact.arange(found, ar), exact.zeros((count,), np.int64, ar), exact.filled((found,), count, np.int64, ar)
    order = np.lexsort(tuple(rows[:, k] for k in range(rows.shape[1]))[::-1])
    rows = rows[order]
    differs = _reductions.any(exact.not_equal(rows[1:], rows[:-1]), axis=1)
    is_first = _join.concatenate([exact.filled((1,), True, np.bool_, ar), differs])
    starts = _ordering.nonzero(is_first)[0]
    values = np.moveaxis(moved[_gather.take(order, starts)], 0, axis)
    numbers = exact.subtract(_ordering.cumsum(is_first.astype(np.int64)), 1)
    inverse = exact.zeros((count,), np.int64, ar)
    _operations.call("put_into", (inverse, order, numbers))
    ends = _join.concatenate([starts[1:], exact.filled((1,), count, np.int64, ar)])
    return values, _gather.take(order, starts), inverse, exact.subtract(ends, starts)


@implements("unique_all")
def _unique_all(x):
    return UniqueAllResult(*_operations.call("unique_all", (x,)))


@implements("unique_counts")
def _unique_counts(x):
    found = _unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


@implements("unique_inverse")
def _unique_inverse(x):
    found = _unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


@implements("unique_values")
def _unique_values(x):
    return _unique_all(x).values


def _elements(name, *arrays):
    """The elements of each, in one dimension and the common dtype."""
    arrays = [exact.flat(exact.on_device(name, array)) for array in arrays]
    dtype = np.result_type(*(array.dtype for array in arrays))
    return [array.astype(dtype, copy=False) for array in arrays]


def _select(a, mask):
    return _operations.call("selected", (a, mask))


@implements("intersect1d")
def _intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    arrays, firsts = _elements("intersect1d", ar1, ar2), (None, None)
    if not assume_unique and return_indices:
        arrays, firsts = zip(*(np.unique(array, return_index=True) for array in arrays))
    elif not assume_unique:
        arrays = [np.unique(array) for array in arrays]
    size_of_first = arrays[0].size
    joined = _join.concatenate(arrays)
    order = _ordering.argsort(joined)
    joined = _gather.take(joined, order)
    is_twice = exact.equal(joined[1:], joined[:-1])
    common = _select(joined[:-1], is_twice)
    if not return_indices:
        return common
    indices = [_select(order[:-1], is_twice), exact.subtract(_select(order[1:], is_twice), size_of_first)]
    return (common, *(index if first is None else _gather.take(first, index) for first, index in zip(firsts, indices)))


@implements("union1d")
def _union1d(ar1, ar2):
    return np.unique(_join.concatenate(_elements("union1d", ar1, ar2)))


@implements("setdiff1d")
def _setdiff1d(ar1, ar2, assume_unique=False):
    ar1, ar2 = (exact.flat(exact.on_device("setdiff1d", array)) for array in (ar1, ar2))
    ar1 = ar1 if assume_unique else np.unique(ar1)
    return _select(ar1, _operations.call("isin", (ar1, ar2), (True,)))


@implements("setxor1d")
def _setxor1d(ar1, ar2, assume_unique=False):
    arrays = _elements("setxor1d", ar1, ar2)
    joined = _ordering.sort(_join.concatenate(arrays if assume_unique else [np.unique(array) for array in arrays]))
    if not joined.size:
        return joined
    end = exact.filled((1,), True, np.bool_, joined)
    changes = _join.concatenate([end, exact.not_equal(joined[1:], joined[:-1]), end])
    return _select(joined, exact.logical_and(changes[1:], changes[:-1]))
