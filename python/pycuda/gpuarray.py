"""Arrays on the device that compute as NumPy's do."""

from pycuda import _driver
from pycuda import compiler as _compiler  # noqa: F401  client programs find pycuda.compiler then
from pycuda import driver as drv  # noqa: F401  client programs import it from here
from pycuda._arrays.choice import (  # noqa: F401
    clip, if_positive, logical_and, logical_not, logical_or, maximum, minimum, where,
)
from pycuda._arrays.copies import memcpy_discontig as _memcpy_discontig  # noqa: F401
from pycuda._arrays.creation import (  # noqa: F401
    arange, asarray, empty_like, ones, ones_like, to_gpu, to_gpu_async, zeros, zeros_like,
)
from pycuda._fusing import fuse  # noqa: F401
from pycuda._arrays.gather import multi_put, multi_take, multi_take_put, take  # noqa: F401
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
    "GPUArray", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "clip", "concatenate", "cumprod", "cumsum", "dot", "empty", "empty_like",
    "from_dlpack", "fuse", "if_positive",
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
        @shape
    dtype : dtype
        @dtype_of_elements
    allocator : callable, optional
        @allocator
    base : object, optional
        Object to keep alive with `gpudata`.
    gpudata : object, optional
        Existing device memory to use.
    strides : sequence of int, optional
        Distance in bytes between elements along each axis; None: packed in `order`.
    order : "C" or "F", optional
        @order

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
        @too_little_memory
    ValueError
        `order` is unknown, or a length is negative.

    Examples
    --------
    >>> a = gpuarray.GPUArray((2, 3), np.float32)
    >>> a.fill(1).sum().get().item()
    6.0
    """

    __slots__ = ()


empty = GPUArray


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

