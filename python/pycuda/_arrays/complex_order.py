"""Extrema of complex numbers and searches among them, in NumPy's order: by real parts, then by imaginary parts, and NaN last. Linear in the number of
elements, except for running extrema and searches, which sort."""

import math

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axes
from pycuda._arrays.operations import operate

__all__ = ["REDUCTIONS", "reduced", "scanned", "searched"]

#: The reductions here: whether each is of the greatest element, and whether numbers win over NaN.
REDUCTIONS = {"min": (False, False), "max": (True, False), "fmin": (False, True), "fmax": (True, True), "nanmin": (False, True), "nanmax": (True, True),
              "argmin": (False, False), "argmax": (True, False), "nanargmin": (False, True), "nanargmax": (True, True)}

_BOOL = np.dtype(np.bool_)

#: The core's Scan of the least and of the greatest element.
_SCANS = (2, 3)


def _rows(a, axes):
    """The elements along the axes in one last axis."""
    kept = [k for k in range(a.ndim) if k not in axes]
    moved = _operations.call("flatten", (_operations.transpose(a, (*kept, *axes)),))
    return _operations.reshape(moved, (*(a.shape[k] for k in kept), math.prod(a.shape[k] for k in axes)), "C")


def _last(name, rows, keepdims):
    return _operations.reduced(name, (rows,), 1 << (rows.ndim - 1), keepdims)


def _arg_extremes(rows, greatest, skips_nan):
    """The index in each row of its first extreme element, with the axis."""
    is_nan = operate("isnan", rows)
    worst, best = (-math.inf, "max") if greatest else (math.inf, "min")
    candidates = operate("logical_not", is_nan, type=_BOOL)
    for part in ("real", "imag"):
        numbers = operate(part, rows)
        extreme = _last(best, operate("where", candidates, numbers, worst, type=numbers.dtype), True)
        candidates = operate("logical_and", candidates, operate("eq", numbers, extreme, type=_BOOL), type=_BOOL)
    if skips_nan:  # rows of NaN have their first one
        return _last("argmax", operate("copy", candidates, type=np.dtype(np.uint8)), True)
    has_nan = _last("any", is_nan, True)
    return _last("argmax", operate("where", has_nan, is_nan, candidates, type=np.dtype(np.uint8)), True)


def reduced(name, a, axis, keepdims):
    """The reduction along axes: elements, or for "argmin" and others int64."""
    greatest, skips_nan = REDUCTIONS[name]
    axes = normalise_axes(axis, a.ndim)
    if 0 in (a.shape[k] for k in axes):
        raise ValueError(f"{name} of an empty axis is not defined")
    rows = _rows(a, axes)
    indices = _arg_extremes(rows, greatest, skips_nan)
    result = indices if "arg" in name else _operations.call("take_along_axis", (rows, indices), (rows.ndim - 1,))
    shape = tuple(1 if k in axes else length for k, length in enumerate(a.shape) if keepdims or k not in axes)
    return _operations.reshape(result, shape, "C")


def scanned(a, axis, greatest):
    """The running extrema along an axis: NaN from the first NaN on."""
    order = _operations.call("argsort", (a,), (axis,))
    ranks = _operations.call("argsort", (order,), (axis,))
    if not greatest:  # NaN is last in order, but the least: the same ranks, counted from the end
        ranks = operate("where", operate("isnan", a), operate("sub", ranks, a.shape[axis]), ranks)
    running = _operations.call("scanned", (ranks,), (_SCANS[greatest], axis))
    return _operations.call("take_along_axis", (_operations.call("sort", (a,), (axis,)), running), (axis,))


def searched(ordered, wanted, right):
    """The indices, int64, at which elements would be inserted into ascending elements of one axis."""
    dtype = np.result_type(ordered.dtype, wanted.dtype)
    flat = _operations.call("ravel", (wanted,))
    # In a stable order, equal elements keep theirs: for `right`, those that are there come first.
    parts = [operate("copy", part, type=dtype) for part in ((ordered, flat) if right else (flat, ordered))]
    order = _operations.call("argsort", (_operations.call("concatenate", tuple(parts), (0,)),), (0,))
    is_there = operate("lt", order, ordered.size, type=_BOOL) if right else operate("ge", order, flat.size, type=_BOOL)
    counts = _operations.call("scanned", (operate("copy", is_there, type=np.dtype(np.int64)),), (0, 0))
    found = _operations.new_array(counts.shape, np.int64, allocator=wanted.allocator)
    if found.size:
        _operations.call("put_into", (found, order, counts))
    result = found[ordered.size:] if right else found[:flat.size]
    return _operations.reshape(result, wanted.shape, "C")
