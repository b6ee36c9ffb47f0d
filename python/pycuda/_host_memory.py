"""NumPy arrays over memory that devices reach: page-locked, aligned, registered, managed, pooled."""

import ctypes
import functools
import math
import operator

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
    """An array over what `allocate(nbytes)` gives, which is its base."""
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
    """The function that gives what `empty` does, filled with zeros."""

    @functools.wraps(empty)
    def zeros(*args, **kwargs):
        array = empty(*args, **kwargs)
        ctypes.memset(array.__array_interface__["data"][0], 0, array.nbytes)
        return array

    zeros.__name__ = zeros.__qualname__ = empty.__name__.replace("empty", "zeros")
    zeros.__doc__ = f"{empty.__name__}, filled with zeros."
    return zeros


# ---- page-locked


def _pagelocked(mem_flags):
    return lambda nbytes: _driver._pagelocked(nbytes, mem_flags)


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """A new array in page-locked memory; mem_flags: host_alloc_flags. Its base is a PagelockedHostAllocation."""
    return _empty(_pagelocked(mem_flags), shape, dtype, order)


def pagelocked_empty_like(array, mem_flags=0):
    """pagelocked_empty with the shape, dtype and order of `array`."""
    return _empty_like(_pagelocked(mem_flags), array)


pagelocked_zeros, pagelocked_zeros_like = _zeros(pagelocked_empty), _zeros(pagelocked_empty_like)


# ---- aligned


def _aligned(alignment):
    return lambda nbytes: _driver._aligned(nbytes, alignment)


def aligned_empty(shape, dtype, order="C", alignment=4096):
    """A new array whose data starts at a multiple of `alignment` bytes. Its base is an AlignedHostAllocation."""
    return _empty(_aligned(alignment), shape, dtype, order)


def aligned_empty_like(array, alignment=4096):
    """aligned_empty with the shape, dtype and order of `array`."""
    return _empty_like(_aligned(alignment), array)


aligned_zeros, aligned_zeros_like = _zeros(aligned_empty), _zeros(aligned_empty_like)


# ---- managed


def _managed(mem_flags):
    return lambda nbytes: _driver._managed(nbytes, _driver.mem_attach_flags.GLOBAL if mem_flags == 0 else mem_flags)


def managed_empty(shape, dtype, order="C", mem_flags=0):
    """A new array that kernels take as it is; mem_flags: mem_attach_flags, GLOBAL by default. Its base is a ManagedAllocation."""
    return _empty(_managed(mem_flags), shape, dtype, order)


def managed_empty_like(array, mem_flags=0):
    """managed_empty with the shape, dtype and order of `array`."""
    return _empty_like(_managed(mem_flags), array)


managed_zeros, managed_zeros_like = _zeros(managed_empty), _zeros(managed_empty_like)


# ---- registered


def register_host_memory(ary, flags=0):
    """Page-lock the memory of `ary` for as long as the returned array, which shares it, or a view of that lives.

    flags: mem_host_register_flags. The result's base is a RegisteredHostMemory, whose base is `ary`.
    """
    if not isinstance(ary, np.ndarray):
        raise TypeError(f"ary must be a numpy.ndarray, not {type(ary).__name__}")
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError("ary must be C- or Fortran-contiguous; numpy.ascontiguousarray makes a contiguous copy")
    _array_dtype(ary.dtype)
    registered = _driver._register(ary.__array_interface__["data"][0], ary.nbytes, flags)
    registered.base = ary
    result = np.ndarray(ary.shape, ary.dtype, registered, strides=ary.strides)
    result.flags.writeable = ary.flags.writeable
    return result


# ---- pooled


class PageLockedAllocator:
    """Where a PageLockedMemoryPool has its memory from; flags: host_alloc_flags."""

    def __init__(self, flags=0):
        self.flags = flags

    def __call__(self, size):
        """A PagelockedHostAllocation of `size` bytes."""
        return _driver._pagelocked(size, self.flags)


class PageLockedMemoryPool(_driver._PageLockedMemoryPool):
    """Page-locked memory that is kept for reuse."""

    def __init__(self, allocator=None):
        if not isinstance(allocator, (PageLockedAllocator, type(None))):
            raise TypeError(f"allocator must be a PageLockedAllocator, not {type(allocator).__name__}")
        super().__init__(0 if allocator is None else allocator.flags)

    def allocate(self, shape, dtype, order="C"):
        """A new array. Its base is a PooledHostAllocation; the memory goes back to the pool when no view of it is left."""
        return _empty(self._allocate, shape, dtype, order)
