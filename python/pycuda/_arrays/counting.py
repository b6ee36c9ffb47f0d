"""Indices of elements that are not zero, counts of integers, and numbers of bins."""

import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.copies import in_c_order
from pycuda._arrays.creation import asarray
from pycuda._arrays.operations import new_array
from pycuda._arrays.search import searchsorted

__all__ = ["FUNCTIONS"]


def _flatnonzero(a):
    return _ordering.nonzero(_operations.call("ravel", (a,)))[0]


def _argwhere(a):
    """One row of indices for each element that is not zero."""
    if a.ndim == 0:
        return new_array((int(bool(a.get())), 0), np.int64, allocator=a.allocator)
    return np.stack(_ordering.nonzero(a), axis=1)


def _bincount(x, /, weights=None, minlength=0):
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array" if x.ndim == 0 else "object too deep for desired array")
    x = x.astype(np.int64) if x.dtype == np.uint64 else x  # as NumPy 2.3; large ones are negative then, and refused
    if not np.can_cast(x.dtype, np.int64):
        raise TypeError(f"Cannot cast array data from {x.dtype} to dtype('int64') according to the rule 'safe'")
    length = operator.index(minlength)
    if length < 0:
        raise ValueError("'minlength' must not be negative")
    weights = _operations.of_lists(weights)
    if weights is not None and not np.can_cast(weights.dtype, np.float64):
        raise TypeError(f"Cannot cast array data from {weights.dtype} to dtype('float64') according to the rule 'safe'")
    if weights is not None and weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    if not x.size:
        return new_array((length,), np.int64, allocator=x.allocator).fill(0)  # also with weights, as in NumPy
    return _operations.call("bincount", (x,) if weights is None else (x, weights), (length,))


def _digitize(x, bins, right=False):
    x, bins = asarray(x), asarray(bins)
    if "c" in (x.dtype.kind, bins.dtype.kind):
        raise TypeError(f"digitize: expected real numbers, given x of {x.dtype} and bins of {bins.dtype}")
    if bins.ndim != 1:
        raise ValueError("object of too small depth for desired array" if bins.ndim == 0 else "object too deep for desired array")
    side = "left" if right else "right"
    if _falls(bins):
        return bins.size - searchsorted(in_c_order(bins[::-1]), x, side)
    return searchsorted(bins, x, side)


def _falls(bins):
    """Whether bins decrease. As in NumPy, those with NaN go the way of their first step, which is down if either side is NaN."""
    before, after = bins[:-1], bins[1:]
    if not before.size:
        return False
    rises = np.less(before, after)
    if bool(_reductions.any(np.greater(before, after)).get()):
        if bool(_reductions.any(rises).get()):
            raise ValueError("bins must be monotonically increasing or decreasing")
        return True
    if bins.dtype.kind != "f":
        return False
    steps = np.not_equal(before, after)
    first = int(np.argmax(steps).get())
    return bool(steps[first].get()) and not bool(rises[first].get())


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.flatnonzero: _flatnonzero, np.argwhere: _argwhere, np.bincount: _bincount, np.digitize: _digitize}
