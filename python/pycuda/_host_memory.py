"""NumPy arrays over memory that devices can access: page-locked, aligned, registered, managed, pooled."""

import ctypes
import functools
import math
import operator
from collections.abc import Iterable

import numpy as np

from pycuda import _driver

__all__ = [
    "PageLockedAllocator", "PageLockedMemoryPool", "aligned_empty", "aligned_empty_like", "aligned_zeros", "aligned_zeros_like",
    "managed_empty", "managed_empty_like", "managed_zeros", "managed_zeros_like", "pagelocked_empty", "pagelocked_empty_like",
    "pagelocked_zeros", "pagelocked_zeros_like", "register_host_memory",
]


def _extents(shape):
    """`shape`, an integer or a sequence of them, as a tuple."""
    try:
        extents = (operator.index(shape),)
    except TypeError:
        if not isinstance(shape, Iterable):
            raise TypeError(f"shape must be an integer or a sequence of integers, not {type(shape).__name__}") from None
        extents = tuple(operator.index(extent) for extent in shape)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"negative dimensions are not allowed: {shape}")
    return extents


def _array_dtype(dtype):
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"an array of {dtype} holds Python objects, which a device cannot use")
    return dtype


def _empty(allocate, shape, dtype, order):
    """Return an array over the result of `allocate(nbytes)`, which becomes its base."""
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', not {order!r}")
    shape, dtype = _extents(shape), _array_dtype(dtype)
    return np.ndarray(shape, dtype, allocate(dtype.itemsize * math.prod(shape)), order=order)


def _empty_like(allocate, array):
    """The same with the shape, dtype and order of axes of `array`."""
    model = np.empty_like(array, subok=False)
    _array_dtype(model.dtype)
    return np.ndarray(model.shape, model.dtype, allocate(model.nbytes), strides=model.strides)


def _zeros(empty):
    """Return the function that creates the arrays that `empty` does, filled with zeros."""

    @functools.wraps(empty)
    def zeros(*args, **kwargs):
        array = empty(*args, **kwargs)
        ctypes.memset(array.__array_interface__["data"][0], 0, array.nbytes)
        return array

    zeros.__name__ = zeros.__qualname__ = empty.__name__.replace("empty", "zeros")
    doc = (empty.__doc__ or "").replace("a NumPy array", "a NumPy array of zeros", 1).replace(", without initialising it", "")
    zeros.__doc__ = doc.replace(empty.__name__, zeros.__name__)
    return zeros


# ---- page-locked


def _pagelocked(mem_flags):
    return lambda nbytes: _driver._pagelocked(nbytes, mem_flags)


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """Create a NumPy array in page-locked memory, without initialising it.

    Parameters
    ----------
    shape : int or tuple of int
        @shape
    dtype : dtype
        @dtype_of_elements
    order : "C" or "F", optional
        @order
    mem_flags : int, optional
        `host_alloc_flags`.

    Returns
    -------
    numpy.ndarray
        The array. Its ``base`` is a `PagelockedHostAllocation`.

    Raises
    ------
    MemoryError
        There is too little memory to lock.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemHostAlloc.

    Examples
    --------
    >>> drv.pagelocked_empty((10, 10), np.float32).shape
    (10, 10)
    """
    return _empty(_pagelocked(mem_flags), shape, dtype, order)


def pagelocked_empty_like(array, mem_flags=0):
    """Create a NumPy array in page-locked memory, with the shape, dtype and order of another array.

    Parameters
    ----------
    array : array_like
        The array whose shape, dtype and order the result has.
    mem_flags : int, optional
        `host_alloc_flags`.

    Returns
    -------
    numpy.ndarray
        The array. Its ``base`` is a `PagelockedHostAllocation`.

    Raises
    ------
    MemoryError
        There is too little memory to lock.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemHostAlloc.

    Examples
    --------
    >>> drv.pagelocked_empty_like(np.zeros(3)).dtype
    dtype('float64')
    """
    return _empty_like(_pagelocked(mem_flags), array)


pagelocked_zeros, pagelocked_zeros_like = _zeros(pagelocked_empty), _zeros(pagelocked_empty_like)


# ---- aligned


def _aligned(alignment):
    return lambda nbytes: _driver._aligned(nbytes, alignment)


def aligned_empty(shape, dtype, order="C", alignment=4096):
    """Create a NumPy array at an aligned address, without initialising it.

    Parameters
    ----------
    shape : int or tuple of int
        @shape
    dtype : dtype
        @dtype_of_elements
    order : "C" or "F", optional
        @order
    alignment : int, optional
        Alignment in bytes, a power of two.

    Returns
    -------
    numpy.ndarray
        The array. Its ``base`` is an `AlignedHostAllocation`.

    Raises
    ------
    ValueError
        The alignment is not a power of two.

    Examples
    --------
    >>> drv.aligned_empty(10, np.float32, alignment=4096).ctypes.data % 4096
    0
    """
    return _empty(_aligned(alignment), shape, dtype, order)


def aligned_empty_like(array, alignment=4096):
    """Create a NumPy array at an aligned address, with the shape, dtype and order of another array.

    Parameters
    ----------
    array : array_like
        The array whose shape, dtype and order the result has.
    alignment : int, optional
        Alignment in bytes, a power of two.

    Returns
    -------
    numpy.ndarray
        The array. Its ``base`` is an `AlignedHostAllocation`.

    Raises
    ------
    ValueError
        The alignment is not a power of two.
    """
    return _empty_like(_aligned(alignment), array)


aligned_zeros, aligned_zeros_like = _zeros(aligned_empty), _zeros(aligned_empty_like)


# ---- managed


def _managed(mem_flags):
    return lambda nbytes: _driver._managed(nbytes, _driver.mem_attach_flags.GLOBAL if mem_flags == 0 else mem_flags)


def managed_empty(shape, dtype, order="C", mem_flags=0):
    """Create a NumPy array in managed memory, without initialising it. Kernels access it at the same address.

    Parameters
    ----------
    shape : int or tuple of int
        @shape
    dtype : dtype
        @dtype_of_elements
    order : "C" or "F", optional
        @order
    mem_flags : int, optional
        `mem_attach_flags`; 0: GLOBAL.

    Returns
    -------
    numpy.ndarray
        The array. Its ``base`` is a `ManagedAllocation`, which kernels take.

    Raises
    ------
    MemoryError
        There is too little memory.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemAllocManaged.

    Examples
    --------
    >>> drv.managed_empty(10, np.float32).size
    10
    """
    return _empty(_managed(mem_flags), shape, dtype, order)


def managed_empty_like(array, mem_flags=0):
    """Create a NumPy array in managed memory, with the shape, dtype and order of another array.

    Parameters
    ----------
    array : array_like
        The array whose shape, dtype and order the result has.
    mem_flags : int, optional
        `mem_attach_flags`; 0: GLOBAL.

    Returns
    -------
    numpy.ndarray
        The array. Its ``base`` is a `ManagedAllocation`, which kernels take.

    Raises
    ------
    MemoryError
        There is too little memory.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemAllocManaged.
    """
    return _empty_like(_managed(mem_flags), array)


managed_zeros, managed_zeros_like = _zeros(managed_empty), _zeros(managed_empty_like)


# ---- registered


def register_host_memory(ary, flags=0):
    """Page-lock the memory of a NumPy array, while the returned array or a view of it lives.

    Parameters
    ----------
    ary : numpy.ndarray
        A C- or Fortran-contiguous array.
    flags : int, optional
        `mem_host_register_flags`.

    Returns
    -------
    numpy.ndarray
        An array over the same memory. Its ``base`` is a `RegisteredHostMemory`.

    Raises
    ------
    ValueError
        The array is strided.
    LogicError
        The memory is registered already, or cannot be locked.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuMemHostRegister.

    Examples
    --------
    >>> a = drv.aligned_zeros(1024, np.float32)
    >>> pinned = drv.register_host_memory(a)
    """
    if not isinstance(ary, np.ndarray):
        raise TypeError(f"ary must be a numpy.ndarray, not {type(ary).__name__}")
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError("ary must be C- or Fortran-contiguous; numpy.ascontiguousarray makes a contiguous copy")
    _array_dtype(ary.dtype)
    registered = _driver._register(ary.__array_interface__["data"][0], ary.nbytes, flags, ary)
    registered.base = ary
    result = np.ndarray(ary.shape, ary.dtype, registered, strides=ary.strides)
    result.flags.writeable = ary.flags.writeable
    return result


# ---- pooled


class PageLockedAllocator:
    """An allocator of page-locked memory, for `PageLockedMemoryPool`.

    Parameters
    ----------
    flags : int, optional
        `host_alloc_flags`.
    """

    def __init__(self, flags=0):
        self.flags = flags

    def __call__(self, size):
        """Allocate page-locked memory.

        Parameters
        ----------
        size : int
            Size in bytes.

        Returns
        -------
        PagelockedHostAllocation
            The memory.

        Raises
        ------
        MemoryError
            There is too little memory to lock.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuMemHostAlloc.
        """
        return _driver._pagelocked(size, self.flags)


class PageLockedMemoryPool(_driver._PageLockedMemoryPool):
    """A pool of page-locked memory, which keeps freed blocks and reuses them.

    Parameters
    ----------
    allocator : PageLockedAllocator, optional
        Where the memory comes from; None: page-locked memory without flags.

    Raises
    ------
    TypeError
        The allocator is of another class.

    Examples
    --------
    >>> pool = drv.PageLockedMemoryPool()
    >>> pool.allocate(100, np.float32).nbytes
    400
    """

    def __init__(self, allocator=None):
        if not isinstance(allocator, (PageLockedAllocator, type(None))):
            raise TypeError(f"allocator must be a PageLockedAllocator, not {type(allocator).__name__}")
        super().__init__(0 if allocator is None else allocator.flags)

    def allocate(self, shape, dtype, order="C"):
        """Create a NumPy array in memory of the pool.

        The memory returns to the pool when no view of the array is left.

        Parameters
        ----------
        shape : int or tuple of int
            @shape
        dtype : dtype
            @dtype_of_elements
        order : "C" or "F", optional
            @order

        Returns
        -------
        numpy.ndarray
            The array. Its ``base`` is a `PooledHostAllocation`.

        Raises
        ------
        MemoryError
            There is too little memory to lock.
        """
        return _empty(self._allocate, shape, dtype, order)
