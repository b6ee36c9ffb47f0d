"""New arrays."""

import math
import operator

import numpy as np

from pycuda import gpuarray
from pycuda._arrays import operations as _operations
from pycuda._arrays.creation import adopted
from pycuda.array_api._array import Array, as_operand, check_device, in_dtype, run, view_at, wrap
from pycuda.array_api._dtypes import checked_dtype, complex128, float64, int64

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid", "ones", "ones_like", "tril", "triu",
    "zeros", "zeros_like",
]


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """Return an array of numbers, nested sequences of them, NumPy arrays, or arrays on the device.

    copy: True for new memory, False for none (ValueError where that is impossible), None for new memory where it is needed.
    """
    check_device(device)
    dtype = checked_dtype(dtype)
    array = adopted(obj)
    if array is not None:
        return _of_array(array, dtype, copy)
    if copy is False:
        raise ValueError(f"copy=False, but {type(obj).__name__} is in host memory, and its elements must be copied to the device")
    host = np.asarray(_on_host(obj), dtype)
    checked_dtype(host.dtype)
    return wrap(gpuarray.to_gpu(host if host.flags.c_contiguous else np.ascontiguousarray(host).reshape(host.shape)))


def _on_host(obj):
    """Nested sequences, with arrays on the device copied to NumPy arrays."""
    if isinstance(obj, (list, tuple)):
        return [_on_host(each) for each in obj]
    return obj.get() if isinstance(obj, gpuarray.GPUArray) else obj


def _of_array(array, dtype, copy):
    checked_dtype(array.dtype)
    if dtype is not None and dtype != array.dtype:
        if copy is False:
            raise ValueError(f"copy=False, but converting {array.dtype} to {dtype} needs a copy")
        return run("copy", dtype, array)
    if copy:
        return wrap(array.copy())
    return array if isinstance(array, Array) else view_at(array, ...)


def from_dlpack(x, /, *, device=None, copy=None):
    """Return an array over the memory of another library's array on the device, or a copy of one in host memory."""
    check_device(device)
    if isinstance(x, gpuarray.GPUArray) or x.__dlpack_device__()[0] in (2, 13):
        return wrap(gpuarray.from_dlpack(x, copy=copy))
    if copy is False:
        raise ValueError("copy=False, but the array is in host memory, and its elements must be copied to the device")
    return asarray(np.from_dlpack(x))


def _new(shape, dtype, default=float64):
    shape = (shape,) if not isinstance(shape, (tuple, list)) else tuple(shape)
    return wrap(gpuarray.GPUArray(shape, checked_dtype(dtype, default)))


def empty(shape, *, dtype=None, device=None):
    """Return an uninitialised array; float64 unless a dtype is given."""
    check_device(device)
    return _new(shape, dtype)


def full(shape, fill_value, *, dtype=None, device=None):
    """Return an array filled with one number, with the default dtype of its kind unless a dtype is given."""
    check_device(device)
    return _filled(_new(shape, dtype, np.asarray(fill_value).dtype), fill_value)


def _filled(array, value):
    if array.size:
        array.fill(as_operand(value, array.dtype))
    return array


def zeros(shape, *, dtype=None, device=None):
    """Return an array of zeros; float64 unless a dtype is given."""
    return full(shape, 0, dtype=checked_dtype(dtype, float64), device=device)


def ones(shape, *, dtype=None, device=None):
    """Return an array of ones; float64 unless a dtype is given."""
    return full(shape, 1, dtype=checked_dtype(dtype, float64), device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """Return an uninitialised array with the shape and dtype of x."""
    return empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """Return an array filled with one number, with the shape and dtype of x."""
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """Return an array of zeros with the shape and dtype of x."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """Return an array of ones with the shape and dtype of x."""
    return full_like(x, 1, dtype=dtype, device=device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Return the numbers start, start + step, … below stop. A single number is stop, and start is 0."""
    check_device(device)
    start, stop = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise ValueError("step must not be zero")
    if dtype is None:
        dtype = int64 if all(isinstance(number, int) for number in (start, stop, step)) else float64
    dtype = checked_dtype(dtype)
    count = max(0, math.ceil((stop - start) / step)) if not all(isinstance(n, int) for n in (start, stop, step)) else len(range(start, stop, step))
    result = _new(count, dtype)
    if count:
        _operations.apply("arange", result, *((int(start), int(step)) if dtype.kind in "iu" else (start, step)))
    return result


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """Return `num` evenly spaced numbers from start to stop, which is the last one unless endpoint is False."""
    check_device(device)
    if num < 0:
        raise ValueError(f"num must not be negative, given {num}")
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    wanted = checked_dtype(dtype, complex128 if is_complex else float64)
    result = _new(num, complex128 if is_complex and wanted.kind != "c" else wanted)
    _operations.call("fill_linspace", (result,), (*_parts(start), *_parts(stop), bool(endpoint)))
    return in_dtype(result, wanted)


def _parts(number):
    number = complex(number)
    return number.real, number.imag


def _within_64_bits(k):
    """Clamp the number of a diagonal: all diagonals outside the matrix are equivalent."""
    return max(-2**62, min(operator.index(k), 2**62))


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Return a matrix of zeros with ones on its k-th diagonal."""
    result = zeros((n_rows, n_rows if n_cols is None else n_cols), dtype=dtype, device=device)
    _filled(wrap(_operations.call("diagonal", (result,), (_within_64_bits(k),))), 1)
    return result


def meshgrid(*arrays, indexing="xy"):
    """Return a tuple of arrays: one-dimensional coordinates, broadcast along the axes of a grid."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"expected indexing 'xy' or 'ij', given {indexing!r}")
    if any(array.ndim > 1 for array in arrays):
        raise ValueError("meshgrid: expected arrays of one dimension")
    if len({array.dtype for array in arrays}) > 1:
        raise ValueError("meshgrid: expected arrays of one dtype")
    made = _operations.call("meshgrid", arrays, (indexing == "xy",)) if arrays else ()
    return tuple(wrap(array) for array in (made if isinstance(made, tuple) else (made,)))


def tril(x, /, *, k=0):
    """Return the lower triangles of matrices, with zeros above the k-th diagonal."""
    return wrap(_operations.call("triangle", (x,), (_within_64_bits(k), False)))


def triu(x, /, *, k=0):
    """Return the upper triangles of matrices, with zeros below the k-th diagonal."""
    return wrap(_operations.call("triangle", (x,), (_within_64_bits(k), True)))
