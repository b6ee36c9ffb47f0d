"""Methods of universal functions: NAME.reduce, NAME.accumulate, NAME.outer, NAME.at."""

import functools

import numpy as np

from pycuda._arrays import indexing as _indexing
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import ufunc_folds as _ufunc_folds
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.copies import into
from pycuda._arrays.operands import is_scalar, type_of
from pycuda._arrays.operations import is_array, new_array

__all__ = ["call_method"]

_REDUCTIONS = {"add": _reductions.sum, "multiply": _reductions.prod, "minimum": _reductions.least, "maximum": _reductions.greatest,
               "fmin": _reductions.least_number, "fmax": _reductions.greatest_number, "logical_and": _reductions.all, "logical_or": _reductions.any}
_SCANS = {"add": _ordering.cumsum, "multiply": _ordering.cumprod, "minimum": _ordering.cummin, "maximum": _ordering.cummax}


_FOLDS = {"reduce": _ufunc_folds.reduced, "accumulate": _ufunc_folds.accumulated}


def call_method(ufunc, method, inputs, out, keywords):
    """ufunc.method(*inputs, out=out, **keywords), if it has a counterpart; else NotImplemented."""
    name, array = ufunc.__name__, inputs[0]
    if method == "at":
        return _update_at(ufunc, *inputs) if is_array(array) and len(inputs) == 3 and not keywords else NotImplemented
    if method == "reduce" and name in _REDUCTIONS:
        return _REDUCTIONS[name](array, **{"axis": 0 if array.ndim else None, "out": out, **keywords})
    if method == "accumulate" and name in _SCANS:
        return _SCANS[name](array, **{"axis": 0, "out": out, **keywords})
    if method in _FOLDS and name not in (_REDUCTIONS if method == "reduce" else _SCANS) and is_array(array) and _ufunc_folds.is_composed(ufunc):
        return _FOLDS[method](ufunc, array, **{"axis": 0 if array.ndim or method == "accumulate" else None, "out": out, **keywords})
    if method == "reduceat" and is_array(array) and name not in _REDUCTIONS and _ufunc_folds.is_composed(ufunc):
        return _reduce_at(functools.partial(_ufunc_folds.reduced, ufunc), array, *inputs[1:], out=out, **keywords)
    if method == "reduceat" and name in _REDUCTIONS:
        return _reduce_at(_REDUCTIONS[name], array, *inputs[1:], out=out, **keywords)
    if method == "outer" and not keywords and all(map(is_array, inputs)):
        return ufunc(array[(Ellipsis, *[None] * inputs[1].ndim)], inputs[1], out=out)
    return NotImplemented


def _reduce_at(reduce, array, indices, axis=0, dtype=None, out=None):
    """The reductions from each index to the next one, or the element there if that is not greater. One launch for each."""
    axis = normalise_axis(axis, array.ndim)
    starts = np.asarray(indices.get() if is_array(indices) else indices)
    if starts.ndim != 1 or starts.dtype.kind not in "iu":
        raise TypeError(f"reduceat: expected a sequence of integers as indices, given {indices!r}") if starts.size else ValueError("reduceat: expected indices, given none")
    length, before = array.shape[axis], (slice(None),) * axis
    for start in starts.tolist():
        if not 0 <= start < length:
            raise IndexError(f"index {start} out-of-bounds in reduceat [0, {length})")
    ends = [end if end > start else start + 1 for start, end in zip(starts.tolist(), [*starts.tolist()[1:], length])]
    options = {} if dtype is None else {"dtype": dtype}
    parts = [reduce(array[(*before, slice(start, end))], axis=axis, keepdims=True, **options) for start, end in zip(starts.tolist(), ends)]
    return into(out, _operations.call("concatenated", tuple(parts), (axis,)))


def _update_at(ufunc, array, index, values):
    """array[index] = ufunc(array[index], values), as often as an element occurs in the index, in C order of the index. Computed in the dtype of
    ufunc(array, values), and converted to the array's after each step."""
    name = _operations.ufuncs.get(ufunc.__name__)
    if name is None or not (is_array(values) or is_scalar(values)):
        return NotImplemented
    result = ufunc.resolve_dtypes((type_of(array), type_of(values), None))[2]
    if not np.can_cast(result, array.dtype, "same_kind"):
        raise TypeError(f"numpy.{ufunc.__name__}.at: results of {result} cannot be stored in an array of {array.dtype}; convert the values with astype()")
    places = _indexing.places(array, index)
    if places.size:
        given = values if is_array(values) else new_array((), _dtype_of(values), allocator=array.allocator).fill(values)
        _operations.call("update_at", (array, places, given), (_operations.code_of(name),))
    return None


def _dtype_of(number):
    """The dtype of NumPy's array of a number."""
    return np.dtype(np.uint64 if type(number) is int and number >= 2**63 else type_of(number))
