"""New arrays: from host data, filled with one number, evenly spaced."""

import operator
import warnings

import numpy as np

from pycuda import _dlpack, _driver
from pycuda._arrays import orders as _orders
from pycuda._arrays.described import described
from pycuda._arrays.operations import apply, index, is_array, new_array, packed_strides, zero

__all__ = ["adopted", "arange", "array_like", "asarray", "empty_like", "fill", "ones", "ones_like", "to_gpu", "to_gpu_async", "zeros", "zeros_like"]


def _like_host(ary, allocator):
    strides = packed_strides(ary.shape, ary.strides, ary.itemsize)
    return new_array(ary.shape, ary.dtype, allocator=allocator, strides=strides)


def to_gpu(ary, allocator=None):
    """Create an array with the elements of a NumPy array, in the same order of axes.

    Parameters
    ----------
    ary : array_like
        The NumPy array.
    allocator : callable, optional
        @allocator

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        @too_little_memory

    Examples
    --------
    >>> gpuarray.to_gpu(np.arange(3)).get().tolist()
    [0, 1, 2]
    """
    ary = np.asarray(ary)
    result = _like_host(ary, allocator)
    result.set(ary)
    return result


def asarray(a, dtype=None):
    """Return an array of the elements of any array-like object, without a copy if that is on the device.

    Parameters
    ----------
    a : object
        A GPUArray, another library's array with ``__cuda_array_interface__`` or ``__dlpack__``, a NumPy array, or nested sequences of numbers.
    dtype : dtype, optional
        @dtype_of_elements

    Returns
    -------
    GPUArray
        `a` itself if it is a GPUArray of the dtype; an array over the memory of another library's array on the device, or of one of
        `pycuda.array_api`, which stays alive; otherwise a new array.

    Raises
    ------
    BufferError
        The memory on the device cannot be shared.
    TypeError
        The elements' dtype is not supported.

    Examples
    --------
    >>> gpuarray.asarray([1, 2, 3]).get().tolist()
    [1, 2, 3]
    >>> a = gpuarray.zeros(3, np.float32)
    >>> gpuarray.asarray(a) is a
    True
    """
    result = adopted(a)
    if result is None:
        return to_gpu(np.asarray(a, dtype))
    if hasattr(result, "__array_namespace__"):
        result = index(result, ...)
    if dtype is not None and result.dtype != dtype:
        return result.astype(dtype)
    is_read_only = not is_array(a) and getattr(a, "__cuda_array_interface__", {"data": (0, False)})["data"][1]
    return result.copy() if is_read_only else result


def adopted(other, default=None):
    """A GPUArray unchanged; for another library's array on the device, a GPUArray over its memory; else `default`."""
    if is_array(other):
        return other
    if isinstance(other, (np.ndarray, np.generic)):
        return default
    interface = getattr(other, "__cuda_array_interface__", None)
    if hasattr(other, "__dlpack__") and (interface is not None or other.__dlpack_device__()[0] in (_dlpack.DeviceType.CUDA, _dlpack.DeviceType.CUDA_MANAGED)):
        return _dlpack.from_dlpack(other)
    return default if interface is None else _of_interface(other, interface)


def _of_interface(owner, interface):
    if interface.get("mask") is not None:
        raise BufferError("a masked array cannot be shared, because some of its elements are invalid")
    typestr = interface["typestr"]
    dtype = np.dtype([tuple(field) for field in interface["descr"]] if typestr[1] == "V" and interface.get("descr") else typestr)
    shape, (address, _) = interface["shape"], interface["data"]
    if 0 in shape:
        return new_array(shape, dtype)
    _driver._wait_for_producer(interface, owner)
    return new_array(shape, dtype, gpudata=address, base=owner, strides=interface.get("strides"))


@described
def to_gpu_async(ary, allocator=None, stream=None):
    """Create an array with the elements of a NumPy array, in stream order.

    Parameters
    ----------
    ary : array_like
        The NumPy array. It should be page-locked, and must not be modified before the copy is complete.

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        @too_little_memory

    Examples
    --------
    >>> stream = drv.Stream()
    >>> a = gpuarray.to_gpu_async(drv.pagelocked_zeros(3, np.float32), stream=stream)
    >>> stream.synchronize()
    """
    ary = np.asarray(ary)
    result = _like_host(ary, allocator)
    result.set_async(ary, stream)
    return result


def fill(ary, value, stream=None):
    """Sets every element of `ary`, which may be of any dtype, to `value`."""
    if ary.dtype.kind not in "biufc":
        value = to_gpu(np.asarray(value, ary.dtype).reshape(()))
    elif not isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        value = np.asarray(value)
        if value.ndim:
            raise ValueError(f"expected a number to fill with, given an array of shape {value.shape}")
    elif isinstance(value, int) and not -2**63 <= value < 2**64 and ary.dtype.kind in "iu":
        raise OverflowError(f"{value} does not fit into {ary.dtype}")
    apply("copy", ary, value, stream=stream)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """Create an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
        @shape
    dtype : dtype, optional
        dtype of the elements, by default float64.
    allocator : callable, optional
        @allocator
    order : "C" or "F", optional
        @order

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        @too_little_memory

    Examples
    --------
    >>> gpuarray.zeros((2, 2), np.float32).get().tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    return _zeroed(new_array(shape, dtype, allocator=allocator, order=order))


def _zeroed(ary):
    if ary.size:
        zero(ary)
    return ary


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """Create an array of ones.

    Parameters
    ----------
    shape : int or tuple of int
        @shape
    dtype : dtype, optional
        dtype of the elements, by default float64.
    allocator : callable, optional
        @allocator
    order : "C" or "F", optional
        @order

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        @too_little_memory

    Examples
    --------
    >>> gpuarray.ones(3, np.int32).get().tolist()
    [1, 1, 1]
    """
    return new_array(shape, dtype, allocator=allocator, order=order).fill(1)


def array_like(other_ary, dtype=None, order="K", shape=None):
    """An uninitialised array like another one. Order "K" follows the other's, unless `shape` has another number of axes."""
    other_ary = other_ary if hasattr(other_ary, "dtype") else np.asarray(other_ary)
    dtype = other_ary.dtype if dtype is None else np.dtype(dtype)
    shape = other_ary.shape if shape is None else tuple(shape) if hasattr(shape, "__iter__") else (operator.index(shape),)
    order, strides = _orders.resolved(other_ary, order), None
    if order == "K":
        order = "C"
        if len(shape) == other_ary.ndim > 1 and not other_ary.flags.c_contiguous:
            strides = packed_strides(shape, other_ary.strides, dtype.itemsize)
    return new_array(shape, dtype, allocator=getattr(other_ary, "allocator", None), strides=strides, order=order)


def empty_like(other_ary, dtype=None, order="K"):
    """Create an array with the shape of another one, without initialising it.

    Parameters
    ----------
    other_ary : GPUArray or numpy.ndarray
        The array whose shape the result has.
    dtype : dtype, optional
        dtype of the elements; None: that of `other_ary`.
    order : "C", "F", "A" or "K", optional
        Order of the elements; "A" and "K" follow `other_ary`.

    Returns
    -------
    GPUArray
        The new array.

    Examples
    --------
    >>> gpuarray.empty_like(gpuarray.zeros((2, 3), np.float32)).shape
    (2, 3)
    """
    return array_like(other_ary, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    """Create an array of zeros with the shape of another one.

    Parameters
    ----------
    other_ary : GPUArray or numpy.ndarray
        The array whose shape the result has.
    dtype : dtype, optional
        dtype of the elements; None: that of `other_ary`.
    order : "C", "F", "A" or "K", optional
        Order of the elements; "A" and "K" follow `other_ary`.

    Returns
    -------
    GPUArray
        The new array.

    Examples
    --------
    >>> gpuarray.zeros_like(gpuarray.ones(2, np.int32)).get().tolist()
    [0, 0]
    """
    return _zeroed(array_like(other_ary, dtype, order))


def ones_like(other_ary, dtype=None, order="K"):
    """Create an array of ones with the shape of another one.

    Parameters
    ----------
    other_ary : GPUArray or numpy.ndarray
        The array whose shape the result has.
    dtype : dtype, optional
        dtype of the elements; None: that of `other_ary`.
    order : "C", "F", "A" or "K", optional
        Order of the elements; "A" and "K" follow `other_ary`.

    Returns
    -------
    GPUArray
        The new array.

    Examples
    --------
    >>> gpuarray.ones_like(gpuarray.zeros(2, np.int32)).get().tolist()
    [1, 1]
    """
    return array_like(other_ary, dtype, order).fill(1)


def arange(*args, start=None, stop=None, step=None, dtype=None, stream=None, allocator=None):
    """Create an array of evenly spaced numbers: ``arange([start,] stop[, step[, dtype]])``.

    Parameters
    ----------
    args : object
        `start`, `stop`, `step` and `dtype` by position.
    start : object
        First number, by default 0.
    stop : object
        End of the interval, which is excluded.
    step : object
        Difference of neighbours, by default 1.
    dtype : dtype
        dtype of the result; None: guessed from the numbers, with a warning.
    stream : Stream
        @stream
    allocator : callable
        @allocator

    Returns
    -------
    GPUArray
        The new one-dimensional array.

    Raises
    ------
    ValueError
        `stop` is missing, `step` is 0, or a value is given twice.

    Examples
    --------
    >>> gpuarray.arange(4, dtype=np.float32).get().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    args = list(args)
    given = {"start": start, "stop": stop, "step": step}
    if args and isinstance(args[-1], np.dtype):
        if dtype is not None:
            raise ValueError("may not specify dtype twice, by position and by keyword")
        dtype = args.pop()
    if len(args) > 3:
        raise TypeError(f"arange takes start, stop, step and dtype, given {len(args)} numbers")
    names = {1: ("stop",), 2: ("start", "stop"), 3: ("start", "stop", "step")}.get(len(args), ())
    for name, value in zip(names, args):
        if given[name] is not None:
            raise ValueError(f"may not specify {name} twice, by position and by keyword")
        given[name] = value
    if given["stop"] is None:
        raise ValueError("stop is a required argument")
    start = 0 if given["start"] is None else given["start"]
    step = 1 if given["step"] is None else given["step"]
    stop = given["stop"]
    if dtype is None:
        dtype = np.array([start, stop, step]).dtype
        if dtype != np.float32:
            warnings.warn(f"arange: dtype is guessed to be {dtype}; give dtype= to choose one", stacklevel=2)
    dtype = np.dtype(dtype)
    if step == 0:
        raise ValueError("step must not be zero")
    if dtype.kind in "iu" and int(step) == 0:  # as in NumPy: the exact number of elements, and the step from the first to the second
        count = int(np.ceil((stop - start) / step))
        start, step = int(start), int(start + step) - int(start)
    elif dtype.kind in "iu":
        start, step = int(start), int(step)
        count = -((start - int(np.ceil(stop))) // step) if step > 0 else -((int(np.floor(stop)) - start) // -step)
    else:
        start, step = (dtype.type(value).item() if dtype.kind in "fc" else float(value) for value in (start, step))
        count = int(np.ceil(((stop - start) / step).real))
    result = new_array((max(count, 0),), dtype, allocator=allocator)
    if result.size:
        apply("arange", result, start, step, stream=stream)
    return result
