"""The operations of the native engine on arrays and numbers. The operands' memory must not be freed."""

import numpy as np

from pycuda import _driver

__all__ = ["apply", "arange", "call", "compress", "count_nonzero", "expand", "fill", "in_c_order", "lowest", "map_like", "of_64_bits",
           "operation_code", "plain_function", "reduce", "reduce_all", "reduction_code", "zero"]

_native = _driver._native

#: apply(name, out, *operands, stream=None): out = operation(operands), each a GPUArray that broadcasts to out's shape, or a number.
apply = _native.array_apply

#: reduce(name, out, axes, *inputs, stream=None): over the axes in a bit mask; `out` has those that are kept.
reduce = _native.array_reduce

#: lowest(array, stream): the address of the first byte of all elements, for work on the stream, of which the array's pool is told.
lowest = _native.array_lowest

#: map_like(operation_code(name), x[, y]): the operation of plain arrays in a new array of x's dtype; None where they are not plain.
map_like, operation_code = _native.map_like, _native.operation_code

#: plain_function(name, doc, general, module): a built-in function of one array, which leaves all else to the function `general`.
plain_function = _native.plain_function

#: reduce_all(reduction_code(name), x): the reduction of a plain array to a 0-d array of its dtype; None where it is not plain.
reduce_all, reduction_code = _native.reduce_all, _native.reduction_code


def of_64_bits(value):
    """`value`; of integers that no integer type holds, the floating-point number."""
    return float(value) if isinstance(value, int) and not -2**63 <= value < 2**64 else value


def fill(ary, value, stream=None):
    """Sets every element of `ary`, which may be of any dtype, to `value`."""
    if ary.dtype.kind in "biufc":
        if not isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
            value = np.asarray(value)
            if value.ndim:
                raise ValueError(f"expected a number to fill with, given an array of shape {value.shape}")
            value = value[()]
        plain = of_64_bits(value)
        if plain is not value and ary.dtype.kind not in "fc":
            raise OverflowError(f"{value} does not fit into {ary.dtype}")
        apply("copy", ary, plain, stream=stream)
        return
    from pycuda.gpuarray import to_gpu

    apply("copy", ary, to_gpu(np.asarray(value, ary.dtype).reshape(())), stream=stream)


def zero(ary, stream=None):
    """Sets every byte of a packed array to 0, whatever its dtype."""
    import pycuda.driver as drv

    drv.memset_d8_async(lowest(ary, stream), 0, ary.nbytes, stream)


def arange(ary, start, step, stream=None):
    """ary[i] = start + i * step."""
    apply("arange", ary, start, step, stream=stream)


def in_c_order(ary):
    """The elements in C order in one dimension, without a copy where they lie so."""
    from pycuda._arrays.copies import packed_copy

    return (ary if ary.flags.c_contiguous else packed_copy(ary)).reshape(ary.size)


def call(name, arrays, numbers=(), stream=None):
    """Gather, scatter, scan, sort: the engine's functions of C-contiguous arrays, by name."""
    _native.array_call(name, arrays, numbers, stream)


def count_nonzero(ary, stream=None):
    """How many elements are not zero, as an int."""
    from pycuda.gpuarray import GPUArray

    result = GPUArray((), np.int64)
    reduce("count_nonzero", result, 2 ** len(ary.shape) - 1, ary, stream=stream)
    return int(result.get(stream=stream))


def compress(ary, mask, stream=None):
    """The elements of `ary` where `mask`, of its shape, is true, in one dimension."""
    from pycuda.gpuarray import GPUArray

    if mask.shape != ary.shape:
        raise IndexError(f"boolean index of shape {mask.shape} does not match the array's shape {ary.shape}")
    ary, mask = in_c_order(ary), in_c_order(mask)
    call("prepare_selection", (ary, mask))
    result = GPUArray((count_nonzero(mask, stream),), ary.dtype, allocator=ary.allocator)
    if result.size:
        call("compress", (result, ary, mask), stream=stream)
    result._answers = ary._answers
    return result


def expand(ary, mask, values, stream=None):
    """ary[mask] = values: an array of as many elements as the mask has true ones, or one number."""
    from pycuda._arrays import copies
    from pycuda.gpuarray import GPUArray

    if mask.shape != ary.shape:
        raise IndexError(f"boolean index of shape {mask.shape} does not match the array's shape {ary.shape}")
    if not isinstance(values, GPUArray) or values.size == 1:
        apply("where", ary, mask, values.reshape(()) if isinstance(values, GPUArray) else values, ary, stream=stream)
        return
    count = count_nonzero(mask, stream)
    if values.size != count:
        raise ValueError(f"cannot assign {values.size} elements where the mask has {count} true ones")
    if not count:
        return
    target = ary if ary.flags.c_contiguous else copies.packed_copy(ary)
    values = values if values.dtype == ary.dtype else values.astype(ary.dtype, stream)
    call("expand", (target.reshape(ary.size), in_c_order(mask), in_c_order(values)), stream=stream)
    if target is not ary:
        copies.copy_on_device(ary, target, stream)
