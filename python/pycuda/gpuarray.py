"""Arrays on the device that compute as NumPy's do."""

from pycuda import _driver
from pycuda import compiler as _compiler  # noqa: F401  gives the core the device headers
from pycuda import driver as drv  # noqa: F401  client programs import it from here
from pycuda._arrays.choice import (  # noqa: F401
    clip, if_positive, logical_and, logical_not, logical_or, maximum, minimum, where,
)
from pycuda._arrays.copies import memcpy_discontig as _memcpy_discontig  # noqa: F401
from pycuda._arrays.creation import (  # noqa: F401
    arange, empty_like, ones, ones_like, to_gpu, to_gpu_async, zeros, zeros_like,
)
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
    "GPUArray", "all", "any", "arange", "argmax", "argmin", "argsort", "clip", "concatenate", "cumprod", "cumsum", "dot", "empty", "empty_like",
    "from_dlpack", "if_positive",
    "logical_and", "logical_not", "logical_or", "matmul", "max", "maximum", "mean", "min", "minimum", "multi_put", "multi_take",
    "multi_take_put", "nonzero", "ones", "ones_like", "prod", "reshape", "sort", "splay", "stack", "subset_dot", "subset_max", "subset_min",
    "subset_sum", "sum", "take", "to_gpu", "to_gpu_async", "transpose", "unique", "vec", "where", "zeros", "zeros_like",
]


def _get_common_dtype(obj1, obj2):
    return _get_common_dtype_base(obj1, obj2, True)


def splay(n, dev=None):
    """(grid, block) for n entries of a kernel whose loop steps by the number of its threads."""
    if not isinstance(dev, (_driver.Device, type(None))):
        raise TypeError(f"dev must be a Device, not {type(dev).__name__}")
    return _driver._native.splay(n) if dev is None else _driver._native.splay(n, dev.multiprocessor_count, dev.warp_size)


@_driver._native.array_type
class GPUArray(_ArrayMethods):
    """An array on the device.

    shape: lengths of its axes. dtype: of its entries. allocator: called with a number of bytes, gives memory, anything with int().
    gpudata: memory to use instead of new, and base: an object to keep alive with it. strides: in bytes, else those of `order`.
    """

    __slots__ = ()


empty = GPUArray


# ---- shape functions


def transpose(a, axes=None):
    """a.transpose(axes)."""
    return a.transpose(axes)


def reshape(a, *shape, order="C"):
    """a.reshape(*shape, order=order)."""
    return a.reshape(*shape, order=order)

