"""Methods of universal functions: NAME.reduce, NAME.accumulate, NAME.outer, NAME.at."""

import functools
import math
import operator

import numpy as np

from pycuda._arrays import indexing as _indexing
from pycuda._arrays import join as _join
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import orders as _orders
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import into
from pycuda._arrays.operands import is_scalar, type_of
from pycuda._arrays.operations import is_array, new_array

__all__ = ["call_method"]

_REDUCTIONS = {"add": _reductions.sum, "multiply": _reductions.prod, "minimum": _reductions.amin, "maximum": _reductions.amax,
               "fmin": _reductions.fmin, "fmax": _reductions.fmax, "logical_and": _reductions.all, "logical_or": _reductions.any}
_SCANS = {"add": _ordering.cumsum, "multiply": _ordering.cumprod, "minimum": _ordering.cummin, "maximum": _ordering.cummax}


def call_method(ufunc, method, inputs, out, keywords):
    """ufunc.method(*inputs, out=out, **keywords), if it has a counterpart; else NotImplemented."""
    name, array = ufunc.__name__, inputs[0]
    if method == "at":
        return _AT[ufunc.nin](ufunc, *inputs) if is_array(array) and len(inputs) == ufunc.nin + 1 and ufunc.nin in _AT and not keywords else NotImplemented
    if method == "reduce" and name in _REDUCTIONS:
        return _REDUCTIONS[name](array, **{"axis": 0 if array.ndim else None, "out": out, **keywords})
    if method == "accumulate" and name in _SCANS:
        return _SCANS[name](array, **{"axis": 0, "out": out, **keywords})
    if method in _FOLDS and name not in (_REDUCTIONS if method == "reduce" else _SCANS) and is_array(array) and _is_composed(ufunc):
        return _FOLDS[method](ufunc, array, **{"axis": 0 if array.ndim or method == "accumulate" else None, "out": out, **keywords})
    if method == "reduceat" and is_array(array) and name not in _REDUCTIONS and _is_composed(ufunc):
        return _reduce_at(functools.partial(_reduced, ufunc), array, *inputs[1:], out=out, **keywords)
    if method == "reduceat" and name in _REDUCTIONS:
        return _reduce_at(_REDUCTIONS[name], array, *inputs[1:], out=out, **keywords)
    if method == "outer" and not keywords and all(map(is_array, inputs)):
        return ufunc(array[(Ellipsis, *[None] * inputs[1].ndim)], inputs[1], out=out)
    return NotImplemented


def _reduce_at(reduce, array, indices, axis=0, dtype=None, out=None):
    """The reductions from each index to the next one, or the element there if that is not greater. One launch for each."""
    axis = normalise_axis(axis, array.ndim)
    starts = np.asarray(indices.get() if is_array(indices) else indices)
    if starts.ndim != 1 or starts.size and starts.dtype.kind not in "iu":
        raise TypeError(f"reduceat: expected a sequence of integers as indices, given {indices!r}")
    length, before = array.shape[axis], (slice(None),) * axis
    for start in starts.tolist():
        if not 0 <= start < length:
            raise IndexError(f"index {start} out-of-bounds in reduceat [0, {length})")
    ends = [end if end > start else start + 1 for start, end in zip(starts.tolist(), [*starts.tolist()[1:], length])]
    options = {} if dtype is None else {"dtype": dtype}
    if not ends:
        like = reduce(_operations.new_array((1,), array.dtype, allocator=array.allocator).fill(0), axis=0, **options)
        return into(out, _operations.new_array((*array.shape[:axis], 0, *array.shape[axis + 1:]), like.dtype, allocator=array.allocator))
    parts = [reduce(array[(*before, slice(start, end))], axis=axis, keepdims=True, **options) for start, end in zip(starts.tolist(), ends)]
    return into(out, _operations.call("concatenate", tuple(parts), (axis,)))


def _update_at(ufunc, array, index, values):
    """array[index] = ufunc(array[index], values), as often as an element occurs in the index, in C order of the index. Computed in the dtype of
    ufunc(array, values), and converted to the array's after each step."""
    name = _operations.ufuncs.get(ufunc.__name__)
    if name is None or not (is_array(values) or is_scalar(values)):
        return NotImplemented
    result = ufunc.resolve_dtypes((type_of(array), type_of(values), None))[2]
    _check_stored(ufunc, array, result)
    if ufunc is np.divide:  # also of integers, as in NumPy
        values = values.astype(result, copy=False) if is_array(values) else result.type(values)
    indices = _indexing.flat_indices(array, index)
    if indices.size:
        given = values if is_array(values) else new_array((), _dtype_of(values), allocator=array.allocator).fill(values)
        _operations.call("update_at", (array, indices, given), (_operations.code_of(name),))
    return None


def _apply_at(ufunc, array, index):
    """array[index] = ufunc(array[index]), as often as an element occurs in the index. A launch or more for each time."""
    if ufunc.__name__ not in _operations.ufuncs:
        return NotImplemented
    _check_stored(ufunc, array, ufunc.resolve_dtypes((array.dtype, None))[1])
    indices = _indexing.flat_indices(array, index)
    if indices.size:
        counts = _orders.reshaped(np.bincount(_orders.flattened(indices, "C"), minlength=array.size), array.shape, "C", None)
        for time in range(int(np.max(counts).get())):
            _operations.apply("where", array, counts > time, ufunc(array).astype(array.dtype, copy=False), array)
    return None


#: Implementations of at() by the number of operands.
_AT = {1: _apply_at, 2: _update_at}


def _check_stored(ufunc, array, result):
    """TypeError for complex results that would lose their imaginary parts in an array."""
    if result.kind == "c" and array.dtype.kind != "c":
        raise TypeError(f"numpy.{ufunc.__name__}.at: results of {result} cannot be stored in an array of {array.dtype}; convert the values with astype()")


def _dtype_of(number):
    """The dtype of NumPy's array of a number."""
    return np.dtype(np.uint64 if type(number) is int and number >= 2**63 else type_of(number))


# ---- reductions and scans by functions that the core does not reduce by, composed of calls of the function


#: Functions for which the order of elements does not matter: halves are combined, with a launch for each halving. Others take one for each element.
_OF_ANY_ORDER = {"bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "gcd", "hypot", "logaddexp", "logaddexp2"}


def _is_composed(ufunc):
    """Whether there are reductions by the function: it has two operands and one result, on the device."""
    return ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None and (ufunc.__name__ in _operations.ufuncs or ufunc is np.float_power)


def _dtype_of_fold(ufunc, array, dtype):
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


def _reduced(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """ufunc.reduce()."""
    name, dtype, axes = ufunc.__name__, _dtype_of_fold(ufunc, array, dtype), normalise_axes(axis, array.ndim)
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


def _accumulated(ufunc, array, axis=0, dtype=None, out=None):
    """ufunc.accumulate(): two launches for each element along the axis."""
    dtype = _dtype_of_fold(ufunc, array, dtype)
    if not array.ndim:
        raise TypeError("cannot accumulate on a scalar")
    array, axis = array.astype(dtype, copy=False), normalise_axis(operator.index(axis), array.ndim)
    result = array.copy("C")
    rows = np.moveaxis(result, axis, 0)
    for k in range(1, rows.shape[0] if array.size else 0):
        rows[k:k + 1] = _called(ufunc, rows[k - 1:k], rows[k:k + 1], dtype)
    return into(out, result)


_FOLDS = {"reduce": _reduced, "accumulate": _accumulated}
