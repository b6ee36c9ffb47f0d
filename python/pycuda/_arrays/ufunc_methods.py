"""Methods of universal functions: NAME.reduce, NAME.accumulate, NAME.outer, NAME.at."""

import functools

import numpy as np

from pycuda._arrays import indexing as _indexing
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.copies import copy_on_device, in_c_order, into, packed_copy
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array, new_array
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import dtype_to_ctype

__all__ = ["call_method"]

_REDUCTIONS = {"add": _reductions.sum, "multiply": _reductions.prod, "minimum": _reductions.least, "maximum": _reductions.greatest,
               "fmin": _reductions.least_number, "fmax": _reductions.greatest_number, "logical_and": _reductions.all, "logical_or": _reductions.any}
_SCANS = {"add": _ordering.cumsum, "multiply": _ordering.cumprod, "minimum": _ordering.cummin, "maximum": _ordering.cummax}

#: C text of the new value of an element x with a value y, for NAME.at.
_UPDATES = {"add": "x + y", "subtract": "x - y", "multiply": "x * y", "divide": "x / y", "minimum": "y < x || y != y ? y : x", "maximum": "y > x || y != y ? y : x",
            "fmin": "y < x || x != x ? y : x", "fmax": "y > x || x != x ? y : x", "bitwise_and": "x & y", "bitwise_or": "x | y", "bitwise_xor": "x ^ y"}
_UPDATES_OF_BOOL = {"add": "x || y", "multiply": "x && y"}


def call_method(ufunc, method, inputs, out, keywords):
    """ufunc.method(*inputs, out=out, **keywords), if it has a counterpart; else NotImplemented."""
    name, array = ufunc.__name__, inputs[0]
    if method == "at":
        return _update_at(name, *inputs) if is_array(array) and len(inputs) == 3 and not keywords else NotImplemented
    if method == "reduce" and name in _REDUCTIONS:
        result = _REDUCTIONS[name](array, **{"axis": 0 if array.ndim else None, **keywords})
    elif method == "accumulate" and name in _SCANS:
        result = _SCANS[name](array, **{"axis": 0, **keywords})
    elif method == "outer" and not keywords and all(map(is_array, inputs)):
        return ufunc(array[(Ellipsis, *[None] * inputs[1].ndim)], inputs[1], out=out)
    else:
        return NotImplemented
    return into(out, result)


@functools.cache
def _kernel(update, dtype):
    """The kernel: one thread for each distinct index, which applies the values in their order."""
    number = dtype_to_ctype(dtype)
    return ElementwiseKernel(
        f"long long *place, long long *order, {number} *values, {number} *array",
        f"if (i == 0 || place[i] != place[i - 1]) {{ {number} x = array[place[i]]; for (long long k = i; k < n && place[k] == place[i]; ++k) "
        f"{{ const {number} y = values[order[k]]; x = {update}; }} array[place[i]] = x; }}", "update_at")


def _update_at(name, array, index, values):
    """array[index] op= values, applied as often as an element occurs in the index, in C order of the index."""
    dtype = array.dtype
    update = _UPDATES_OF_BOOL.get(name) if dtype.kind == "b" else _UPDATES.get(name)
    if update is None or dtype.kind not in "biufc" or dtype.kind == "c" and name not in ("add", "subtract", "multiply", "divide") \
            or dtype.kind == "f" and name.startswith("bitwise") or dtype.kind in "iu" and name == "divide" or not (is_array(values) or is_scalar(values)):
        return NotImplemented
    if not np.can_cast(np.result_type(dtype, values.dtype if is_array(values) else values), dtype, "same_kind"):
        raise TypeError(f"numpy.{name}.at: values of {values.dtype if is_array(values) else type(values).__name__} cannot be stored in an array of {dtype}; convert them with astype()")
    places = _indexing.places(array, index)
    if not places.size:
        return None
    work = np.dtype(np.float32) if dtype == np.float16 else dtype
    spread = new_array(places.shape, work)
    _indexing.assign(spread, values)
    places = in_c_order(places)
    order = _ordering.argsort(places)
    target = array if work == dtype and array.flags.c_contiguous else _operations.operate("copy", packed_copy(array), type=work)
    _kernel(update, work)(_operations.call("taken", (places, order)), order, in_c_order(spread), in_c_order(target))
    if target is not array:
        copy_on_device(array, target)
    return None
