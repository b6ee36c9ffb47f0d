"""The native engine's functions for the modules beside this one."""

import collections
import functools

import numpy as np
import pycuda.driver as drv
from pycuda import _driver
from pycuda._arrays.operands import kind_of

__all__ = [
    "ARRAYS", "COMMON", "FIRST", "Operation", "apply", "broadcast_to", "call", "code_of", "field", "index", "is_array", "lowest", "mask_of", "new_array", "operate", "packed_strides",
    "answer_functions", "fast_function", "remember_operation", "remember_operator", "of_lists", "reduce_all", "require_one_kind", "reduced", "reduction_code", "reshape", "squeeze", "strided", "table", "traced_copy", "transpose", "ufuncs", "view", "zero",
]

_native = _driver._native

#: is_array(object): whether it is a GPUArray. new_array(shape, dtype, ...): one, with GPUArray's parameters.
is_array, new_array = _native.is_array, _native.new_array

#: require_one_kind(kind, *values): TypeError for arrays among the values that follow other rules than a class of arrays, or an array of it: the
#: array API standard's instead of PyCUDA's, or the reverse.
require_one_kind = _native.require_one_kind

#: Rules for a result's dtype other than the operation's own: the operands' common dtype, that of the arrays among them, and the
#: first operand's. As ResultType::Rule.
COMMON, ARRAYS, FIRST = 1, 2, 3

#: lowest(array, stream): the address of the first byte of all elements, for work on the stream, which the array's pool records.
lowest = _native.array_lowest

#: Views: index(array, index) at a basic index, reshape(array, shape, order) with elements in memory order or, for orders "indices C" and
#: "indices F", in that of their indices, transpose(array, axes), squeeze(array, axes), view(array, dtype),
#: broadcast_to(array, shape), field(array, dtype, offset) of each element, strided(array, shape, strides, dtype).
index, reshape, transpose, squeeze = _native.array_index, _native.array_reshape, _native.array_transpose, _native.array_squeeze
view, field, strided, broadcast_to = _native.array_view, _native.array_field, _native.array_strided, _native.array_broadcast_to

#: packed_strides(shape, strides, itemsize): strides without gaps, with axes in the order of `strides`.
packed_strides = _native.packed_strides

#: fast_function(name, doc, slow, module): a built-in function of one array; any other call goes to the function `slow`.
fast_function = _native.fast_function

#: What the native type needs to answer NumPy's protocols without Python code: the methods of an operator that answer a universal function of any
#: operands, the operation that answers it for arrays of these dtypes, and our functions by NumPy's.
remember_operator, remember_operation, answer_functions = _native.remember_operator, _native.remember_operation, _native.answer_functions

#: reduce_all(reduction_code(name), x): the reduction of a plain array to a 0-d array of its dtype; None where it is not plain.
reduce_all, reduction_code = _native.reduce_all, functools.cache(_native.reduction_code)

def traced_copy(ary, dtype, order):
    """A copy with this dtype and order, "C", "F" or "K", of an array of a function that is fused; None of other arrays."""
    return _native.traced_copy(ary, dtype, "CFK".index(order))


#: A row of operations.def: the core's name of the operation, and its public names.
Operation = collections.namedtuple("Operation", "name arity python ufunc java sentence")

#: All of them, by name.
table = {row[0]: Operation(*row) for row in _native.operation_table()}

#: The operation of each universal function of NumPy, by name. If a function has two names, one is the operator's.
ufuncs = {row.ufunc: row.name for row in table.values() if row.ufunc}
ufuncs |= {"degrees": "rad2deg", "radians": "deg2rad"}

#: The code of an operation for array_operate, by name.
code_of = functools.cache(_native.operation_code)


#: NumPy's rules of casting that operate() knows, as the core's Casting.
_CASTING = {"no": 0, "same_kind": 1, "unsafe": 2}


def of_lists(value):
    """Nested lists or tuples of numbers, and of arrays on the device, as an array on the device; another value unchanged."""
    if not isinstance(value, (list, tuple)):
        return value
    if _holds_arrays(value):
        return np.stack([each if is_array(each) else of_lists(each) if isinstance(each, (list, tuple)) else _from_host(each) for each in value])
    return _from_host(value)


def _from_host(value):
    host = np.asarray(value)
    if kind_of(host.dtype) not in "biufc":
        raise TypeError(f"expected numbers in a list, given {value!r}")
    result = new_array(host.shape, host.dtype)
    result.set(host)
    return result


def mask_of(where):
    """of_lists() of where=, of bool: integers in lists are true unless they are 0, as in NumPy."""
    mask = of_lists(where)
    if mask is not where and mask.dtype.kind in "iu":
        return operate("copy", mask, type=np.dtype(np.bool_))
    return mask


def _holds_arrays(value):
    return is_array(value) or isinstance(value, (list, tuple)) and any(map(_holds_arrays, value))


def operate(name, *operands, type=None, out=None, stream=None, casting="same_kind"):
    """operation(operands), of GPUArrays and numbers, in a new array or in `out`, to whose dtype it is converted. TypeError if `casting` does not
    allow that. `type` is a rule or a dtype, instead of what the operation gives."""
    result = _native.array_operate(code_of(name), operands, type, out, stream, _CASTING[casting])
    if result is NotImplemented:
        raise TypeError(f"{name}: expected GPUArrays and numbers, given {', '.join(operand.__class__.__name__ for operand in operands)}")
    return result


def apply(name, out, *operands, stream=None):
    """out[...] = operation(operands), each a GPUArray that broadcasts to out's shape, or a number."""
    _native.array_write(code_of(name), out, operands, stream)


def zero(ary, stream=None):
    """Sets every byte of a packed array to 0, whatever its dtype."""
    stream = _driver._native.stream_of_operation(stream)
    drv.memset_d8_async(lowest(ary, stream), 0, ary.nbytes, stream)


def call(name, arrays, numbers=(), stream=None, allocator=None):
    """Call a function of the core, by its name there (calls.cpp), on arrays of any layout. If it writes to an array, that is the first one."""
    return _native.array_call(name, arrays, numbers, stream, allocator)


def reduced(name, arrays, axes, keepdims=False, dtype=None, stream=None, allocator=None):
    """Return arrays reduced over the axes in a bit mask; dtype None is the reduction's own."""
    return _native.array_call("reduced", arrays, (reduction_code(name), axes, keepdims, None if dtype is None else np.dtype(dtype)), stream, allocator)
