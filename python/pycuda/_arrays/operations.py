"""The operations of the native engine on arrays and numbers. The operands' memory must not be freed."""

import numpy as np

from pycuda import _driver

__all__ = ["apply", "fill", "zero", "arange", "compress"]

_native = _driver._native

#: apply(name, out, *operands, stream=None): out = operation(operands), each a GPUArray that broadcasts to out's shape, or a number.
apply = _native.array_apply

#: reduce(name, out, axes, *inputs, stream=None): over the axes in a bit mask; `out` has those that are kept.
reduce = _native.array_reduce


def fill(ary, value, stream=None):
    """Sets every entry of `ary`, which may be of any dtype, to `value`."""
    if ary.dtype.kind in "biufc":
        if not isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
            value = np.asarray(value)
            if value.ndim:
                raise ValueError(f"expected a number to fill with, given an array of shape {value.shape}")
            value = value[()]
        apply("copy", ary, value, stream=stream)
        return
    from pycuda.gpuarray import to_gpu

    apply("copy", ary, to_gpu(np.asarray(value, ary.dtype).reshape(())), stream=stream)


def zero(ary):
    """Sets every byte of a packed array to 0, whatever its dtype."""
    import pycuda.driver as drv

    drv.memset_d8_async(ary._lowest, 0, ary.nbytes)


def arange(ary, start, step, stream=None):
    """ary[i] = start + i * step."""
    apply("arange", ary, start, step, stream=stream)


def compress(ary, mask):
    """The entries of `ary` where `mask` is true, in one dimension."""
    raise NotImplementedError("indexing by a boolean array is not there yet")
