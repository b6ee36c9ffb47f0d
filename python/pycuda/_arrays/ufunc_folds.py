"""Reductions and scans of universal functions that the core does not reduce by: composed of calls of the function."""

import math
import operator

import numpy as np

from pycuda._arrays import join as _join
from pycuda._arrays import operations as _operations
from pycuda._arrays import orders as _orders
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import into

__all__ = ["accumulated", "is_composed", "reduced"]

#: Functions for which the order of elements does not matter: halves are combined, with a launch for each halving. Others take one for each element.
_OF_ANY_ORDER = {"bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd", "hypot", "logaddexp", "logaddexp2"}


def is_composed(ufunc):
    """Whether there are reductions by the function: it has two operands and one result, on the device."""
    return ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None and (ufunc.__name__ in _operations.ufuncs or ufunc is np.float_power)


def _dtype_of(ufunc, array, dtype):
    """The dtype in which NumPy computes. TypeError if there is none."""
    given = {} if dtype is None else {"signature": (np.dtype(dtype), None, None), "casting": "unsafe"}
    return ufunc.resolve_dtypes((None, array.dtype, None), reduction=True, **given)[0]


def _called(ufunc, x, y, dtype):
    from pycuda._arrays.universal_functions import call_ufunc

    return call_ufunc(ufunc, "__call__", (x, y), None, {}, has_numpys_dtypes=True).astype(dtype, copy=False)


def _halved(ufunc, rows, dtype):
    """All rows in one, in any order."""
    rest = []
    while rows.shape[0] > 1:
        half = rows.shape[0] // 2
        rest += [rows[2 * half:]] * (rows.shape[0] % 2)
        rows = _called(ufunc, rows[:half], rows[half:2 * half], dtype)
    for row in rest:
        rows = _called(ufunc, rows, row, dtype)
    return rows


def _folded(ufunc, rows, mask, dtype):
    """The first row with the second, then with the third, and so on; without those where the mask is false."""
    result = rows[:1]
    for k in range(1, rows.shape[0]):
        joined = _called(ufunc, result, rows[k:k + 1], dtype)
        result = joined if mask is None else _operations.operate("where", mask[k:k + 1], joined, result, type=dtype)
    return result


def _along_first(array, axes):
    """The elements along axes in a first axis."""
    others = tuple(length for k, length in enumerate(array.shape) if k not in axes)
    return _orders.reshaped(np.moveaxis(array, axes, range(len(axes))), (math.prod(array.shape[k] for k in axes), *others), "C", None)


def reduced(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """ufunc.reduce()."""
    name, dtype, axes = ufunc.__name__, _dtype_of(ufunc, array, dtype), normalise_axes(axis, array.ndim)
    if len(axes) > 1 and name not in _OF_ANY_ORDER:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    rows, mask, start = _along_first(array.astype(dtype, copy=False), axes), None, ufunc.identity if initial is None else initial
    if where is not True:
        mask = _along_first(_operations.broadcast_to(_operations.of_lists([where])[0] if isinstance(where, bool) else _operations.mask_of(where), array.shape), axes)
    if start is None and (mask is not None or not rows.shape[0]):
        raise ValueError(f"reduction operation '{name}' has no identity: without elements, and with where=, it needs initial=")
    if mask is not None or not rows.shape[0] or initial is not None:
        first = _operations.new_array((1, *rows.shape[1:]), dtype, allocator=array.allocator)
        first.fill(np.asarray(start).astype(dtype).item())
        rows = _join.concatenate([first, rows]) if rows.shape[0] else first
        mask = None if mask is None else _join.concatenate([mask[:1], mask])  # the first is not read
    if mask is not None and name in _OF_ANY_ORDER:
        neutral = np.asarray(ufunc.identity).astype(dtype).item()
        rows[1:] = _operations.operate("where", mask[1:], rows[1:], neutral, type=dtype)
        mask = None
    result = (_halved(ufunc, rows, dtype) if name in _OF_ANY_ORDER else _folded(ufunc, rows, mask, dtype))[0]
    return into(out, np.expand_dims(result, axes) if keepdims else result)


def accumulated(ufunc, array, axis=0, dtype=None, out=None):
    """ufunc.accumulate(): two launches for each element along the axis."""
    dtype = _dtype_of(ufunc, array, dtype)
    if not array.ndim:
        raise TypeError("cannot accumulate on a scalar")
    array, axis = array.astype(dtype, copy=False), normalise_axis(operator.index(axis), array.ndim)
    result = array.copy("C")
    rows = np.moveaxis(result, axis, 0)
    for k in range(1, rows.shape[0] if array.size else 0):
        rows[k:k + 1] = _called(ufunc, rows[k - 1:k], rows[k:k + 1], dtype)
    return into(out, result)
