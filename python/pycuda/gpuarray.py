"""Arrays on the device that compute as NumPy's do."""

import builtins
import warnings

import numpy as np

from pycuda import _driver
from pycuda import compiler as _compiler  # noqa: F401  gives the core the device headers
from pycuda import driver as drv  # noqa: F401  client programs import it from here
from pycuda._arrays import operations as _operations
from pycuda._arrays import protocols as _protocols
from pycuda._arrays.choice import (  # noqa: F401
    clip, if_positive, logical_and, logical_not, logical_or, maximum, minimum, where,
)
from pycuda._arrays.copies import memcpy_discontig as _memcpy_discontig  # noqa: F401
from pycuda._arrays.gather import multi_put, multi_take, multi_take_put, take  # noqa: F401
from pycuda._arrays.indexing import packed_strides as _packed_strides
from pycuda._arrays.join import concatenate, stack  # noqa: F401
from pycuda._arrays.methods import ArrayMethods as _ArrayMethods
from pycuda._arrays.ordering import argsort, cumprod, cumsum, matmul, nonzero, sort, unique  # noqa: F401
from pycuda._arrays.reductions import (  # noqa: F401
    all, any, argmax, argmin, dot, max, mean, min, prod, subset_dot, subset_max, subset_min, subset_sum, sum,
)
from pycuda._arrays.vector_types import vec
from pycuda._dlpack import from_dlpack  # noqa: F401
from pycuda.compyte.array import get_common_dtype as _get_common_dtype_base

__all__ = [
    "GPUArray", "all", "any", "arange", "argmax", "argmin", "argsort", "clip", "concatenate", "cumprod", "cumsum", "dot", "empty", "empty_like",
    "from_dlpack", "if_positive",
    "logical_and", "logical_not", "logical_or", "matmul", "max", "maximum", "mean", "min", "minimum", "multi_put", "multi_take",
    "multi_take_put", "nonzero", "ones", "ones_like", "prod", "reshape", "sort", "splay", "stack", "subset_dot", "subset_max", "subset_min",
    "subset_sum", "sum", "take", "to_gpu", "to_gpu_async", "transpose", "unique", "vec", "where", "zeros", "zeros_like",
]


def _get_common_dtype(obj1, obj2):
    return _get_common_dtype_base(obj1, obj2, True)


def splay(n, dev=None):
    """Return a grid and a block for a kernel whose loop steps by its number of threads.

    Parameters
    ----------
    n : int
        Number of elements.
    dev : Device, optional
        The device; None: the current context's.

    Returns
    -------
    tuple[tuple[int, int], tuple[int, int, int]]
        The grid, and the block.

    Raises
    ------
    TypeError
        `dev` is not a device.

    Examples
    --------
    >>> grid, block = gpuarray.splay(1000)
    """
    if not isinstance(dev, (_driver.Device, type(None))):
        raise TypeError(f"dev must be a Device, not {type(dev).__name__}")
    return _driver._native.splay(n) if dev is None else _driver._native.splay(n, dev.multiprocessor_count, dev.warp_size)


@_driver._native.array_type
class GPUArray(_ArrayMethods):
    """An array on the device with NumPy's behaviour.

    The memory comes from the context's pool unless `allocator` or `gpudata` is given, and is not initialised.

    Parameters
    ----------
    shape : int or tuple of int
        Length of each axis.
    dtype : dtype
        dtype of the elements.
    allocator : callable, optional
        Called with a number of bytes, returns memory; None: the operand's allocator, or the context's pool.
    base : object, optional
        Object to keep alive with `gpudata`.
    gpudata : object, optional
        Existing device memory to use.
    strides : sequence of int, optional
        Distance in bytes between elements along each axis; None: packed in `order`.
    order : "C" or "F", optional
        "C" or "F": the order of the elements in memory.

    Attributes
    ----------
    shape
        Length of each axis.
    dtype
        dtype of the elements.
    size
        Number of elements.
    nbytes
        Bytes of all elements.
    gpudata
        The device memory.

    Raises
    ------
    MemoryError
        The device has too little free memory.
    ValueError
        `order` is unknown, or a length is negative.

    Examples
    --------
    >>> a = gpuarray.GPUArray((2, 3), np.float32)
    >>> a.fill(1).sum().get().item()
    6.0
    """

    __slots__ = ()


# ---- new arrays

empty = GPUArray


def to_gpu(ary, allocator=None):
    """Create an array with the elements of a NumPy array, in the same order of axes.

    Parameters
    ----------
    ary : array_like
        The NumPy array.
    allocator : callable, optional
        Called with a number of bytes, returns memory; None: the operand's allocator, or the context's pool.

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        The device has too little free memory.

    Examples
    --------
    >>> gpuarray.to_gpu(np.arange(3)).get().tolist()
    [0, 1, 2]
    """
    ary = np.asarray(ary)
    result = GPUArray(ary.shape, ary.dtype, allocator=allocator, strides=_packed_strides(ary.shape, ary.strides, ary.itemsize))
    result.set(ary)
    return result


def to_gpu_async(ary, allocator=None, stream=None):
    """Create an array with the elements of a NumPy array, in stream order.

    Parameters
    ----------
    ary : array_like
        The NumPy array. It should be page-locked, and must not be modified before the copy is complete.
    allocator : callable, optional
        Called with a number of bytes, returns memory; None: the operand's allocator, or the context's pool.
    stream : Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        The device has too little free memory.

    Examples
    --------
    >>> stream = drv.Stream()
    >>> a = gpuarray.to_gpu_async(drv.pagelocked_zeros(3, np.float32), stream=stream)
    >>> stream.synchronize()
    """
    ary = np.asarray(ary)
    result = GPUArray(ary.shape, ary.dtype, allocator=allocator, strides=_packed_strides(ary.shape, ary.strides, ary.itemsize))
    result.set_async(ary, stream)
    return result


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """Create an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
        Length of each axis.
    dtype : dtype, optional
        dtype of the elements, by default float64.
    allocator : callable, optional
        Called with a number of bytes, returns memory; None: the operand's allocator, or the context's pool.
    order : "C" or "F", optional
        "C" or "F": the order of the elements in memory.

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        The device has too little free memory.

    Examples
    --------
    >>> gpuarray.zeros((2, 2), np.float32).get().tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    return _zeroed(GPUArray(shape, dtype, allocator=allocator, order=order))


def _zeroed(ary):
    if ary.size:
        _operations.zero(ary)
    return ary


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """Create an array of ones.

    Parameters
    ----------
    shape : int or tuple of int
        Length of each axis.
    dtype : dtype, optional
        dtype of the elements, by default float64.
    allocator : callable, optional
        Called with a number of bytes, returns memory; None: the operand's allocator, or the context's pool.
    order : "C" or "F", optional
        "C" or "F": the order of the elements in memory.

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    MemoryError
        The device has too little free memory.

    Examples
    --------
    >>> gpuarray.ones(3, np.int32).get().tolist()
    [1, 1, 1]
    """
    return GPUArray(shape, dtype, allocator=allocator, order=order).fill(1)


def _array_like(other_ary, dtype, order):
    dtype = other_ary.dtype if dtype is None else np.dtype(dtype)
    strides = None
    flags = other_ary.flags
    if order == "A":
        order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    elif order == "K":
        if flags.c_contiguous or len(other_ary.shape) <= 1:
            order = "C"
        elif flags.f_contiguous:
            order = "F"
        else:
            order, strides = "C", _packed_strides(other_ary.shape, other_ary.strides, dtype.itemsize)
    elif order not in ("C", "F"):
        raise ValueError(f"expected order 'C', 'F', 'A' or 'K', given {order!r}")
    return GPUArray(other_ary.shape, dtype, allocator=getattr(other_ary, "allocator", None), strides=strides, order=order)


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
    return _array_like(other_ary, dtype, order)


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
    return _zeroed(_array_like(other_ary, dtype, order))


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
    return _array_like(other_ary, dtype, order).fill(1)


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
        The stream to run on; None is the default stream.
    allocator : callable
        Called with a number of bytes, returns memory; None: the operand's allocator, or the context's pool.

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
    if dtype.kind in "iu" and int(step) == 0:  # as NumPy: as many elements as without rounding, and a step from the first to the second
        count = int(np.ceil((stop - start) / step))
        start, step = int(start), int(start + step) - int(start)
    elif dtype.kind in "iu":
        start, step = int(start), int(step)
        count = -((start - int(np.ceil(stop))) // step) if step > 0 else -((int(np.floor(stop)) - start) // -step)
    else:
        start, step = (dtype.type(value).item() if dtype.kind in "fc" else float(value) for value in (start, step))
        count = int(np.ceil(((stop - start) / step).real))
    result = GPUArray((builtins.max(count, 0),), dtype, allocator=allocator)
    if result.size:
        _operations.arange(result, start, step, stream)
    return result


# ---- shape functions


def transpose(a, axes=None):
    """Return a view with permuted axes: ``a.transpose(axes)``.

    Parameters
    ----------
    a : GPUArray
        The array.
    axes : sequence of int, optional
        The permutation; None: reversed.

    Returns
    -------
    GPUArray
        The view.

    Raises
    ------
    ValueError
        `axes` is not a permutation.

    Examples
    --------
    >>> gpuarray.transpose(gpuarray.zeros((2, 3), np.float32)).shape
    (3, 2)
    """
    return a.transpose(axes)


def reshape(a, *shape, order="C"):
    """Return a view with another shape: ``a.reshape(*shape, order=order)``.

    Parameters
    ----------
    a : GPUArray
        The array.
    shape : object
        Length of each axis; one may be -1.
    order : str
        Order in which elements are read and placed.

    Returns
    -------
    GPUArray
        The view.

    Raises
    ------
    ValueError
        The number of elements differs.
    RuntimeError
        The array is not contiguous.

    Examples
    --------
    >>> gpuarray.reshape(gpuarray.arange(6, dtype=np.int32), 2, 3).shape
    (2, 3)
    """
    return a.reshape(*shape, order=order)


_protocols.register(globals())
