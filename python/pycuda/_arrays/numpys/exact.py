"""NumPy's arithmetic on GPUArrays with NumPy's dtypes: comparisons return bool, quotients of integers are floating-point numbers, and sums of
integers have 64 bits."""

import functools

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import orders as _orders
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import is_array, new_array, of_lists, operate, zero
from pycuda._arrays.universal_functions import call_ufunc

__all__ = ["any_true", "arange", "calculate", "flat", "filled", "on_device", "prod", "shaped", "sum_dtype", "summed", "truth", "where", "zeros"]


def calculate(ufunc, *operands, dtype=None, out=None):
    """ufunc(*operands), one of which is a GPUArray, with NumPy's dtypes."""
    return call_ufunc(ufunc, "__call__", operands, None if out is None else (out,), {} if dtype is None else {"dtype": dtype}, has_numpys_dtypes=True)


for _name in """absolute add arctan2 bitwise_and bitwise_or ceil conjugate copysign divide equal exp floor floor_divide greater greater_equal isfinite isinf isnan
        left_shift less less_equal log10 logical_and logical_not logical_or maximum minimum multiply negative nextafter not_equal power remainder right_shift rint
        sign signbit sin sqrt square subtract trunc""".split():
    globals()[_name] = functools.partial(calculate, getattr(np, _name))
    __all__.append(_name)


def on_device(name, value):
    """A GPUArray itself; numbers and lists of numbers copied to the device, lists of arrays stacked. TypeError for NumPy's arrays with axes."""
    if is_array(value):
        return value
    if isinstance(value, (list, tuple)):
        return of_lists(value)
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"numpy.{name} of a GPUArray and a NumPy array, which is on the host: copy that with gpuarray.to_gpu(), or the GPUArray with its method get()")
    return to_gpu(np.asarray(value))


def sum_dtype(dtype):
    """The dtype of NumPy's sum of elements of a dtype."""
    return np.dtype({"b": np.int64, "i": np.int64, "u": np.uint64}.get(dtype.kind, dtype))


def summed(a, axis=None, dtype=None, keepdims=False, out=None):
    """numpy.sum()."""
    return _reductions.sum(a, dtype=sum_dtype(a.dtype) if dtype is None and out is None else dtype, axis=axis, keepdims=keepdims, out=out)


def prod(a, axis=None):
    """numpy.prod()."""
    return _reductions.prod(a, dtype=sum_dtype(a.dtype), axis=axis)


def truth(a):
    """Whether each element is not zero, as bool."""
    return a if a.dtype.kind == "b" else operate("copy", a, type=np.dtype(np.bool_))


def any_true(a):
    """Whether an element is not zero. Waits for the device."""
    return bool(_reductions.any(a).get())


def where(condition, x, y):
    """numpy.where() of arrays and numbers, in NumPy's common dtype."""
    dtype = np.result_type(*(value.dtype if is_array(value) else value for value in (x, y)))
    return operate("where", condition, x, y, type=dtype)


def flat(a):
    """The elements in C order in one dimension, without a copy if possible."""
    return _operations.call("ravel", (a,))


def shaped(a, shape):
    """The elements in C order in another shape, without a copy if possible. (An array's own reshape() keeps the order in memory, as PyCUDA's.)"""
    return _orders.reshaped(a, shape, "C", None)


def zeros(shape, dtype, like):
    """An array of zeros, from the allocator of `like`."""
    result = new_array(shape, dtype, allocator=like.allocator)
    if result.size:
        zero(result)
    return result


def filled(shape, value, dtype, like):
    """An array of one value, from the allocator of `like`."""
    return new_array(shape, dtype, allocator=like.allocator).fill(value)


def arange(length, like, dtype=np.int64, start=0):
    """start, start + 1, ... of this many numbers."""
    result = new_array((length,), dtype, allocator=like.allocator)
    if length:
        _operations.apply("arange", result, start, 1)
    return result


def is_inexact(a):
    """Whether the elements are floating-point or complex numbers."""
    return kind_of(a.dtype) in "fc"
