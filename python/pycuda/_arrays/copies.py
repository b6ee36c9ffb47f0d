"""Copies between arrays on the device and in host memory, whatever their strides."""

import numpy as np

import pycuda.driver as cuda
from pycuda import _driver
from pycuda._arrays import operations as _operations
from pycuda._arrays.operations import is_array, new_array

__all__ = [
    "accept_async", "common_dtype", "copy_to_device", "copy_to_host", "copy_on_device", "host_array_like", "in_c_order", "indices_into", "into", "is_captured",
    "memcpy_discontig", "output_of", "packed_copy",
]


def _axis_order(strides):
    """Axes from the slowest to the fastest."""
    return sorted(range(len(strides)), key=lambda axis: (-abs(strides[axis]), axis))


def _packed_block(ary):
    """The memory of a NumPy array in one dimension; None if it has gaps or negative strides."""
    block = ary.transpose(_axis_order(ary.strides)) if ary.ndim > 1 else ary
    return block.reshape(-1) if block.flags.c_contiguous else None


def _same_layout(device, host):
    return _operations.packed_strides(host.shape, host.strides, host.itemsize) == tuple(device.strides) or \
        all(a == b or n <= 1 for a, b, n in zip(device.strides, host.strides, host.shape))


def host_array_like(ary, pagelocked=False):
    """An empty, packed NumPy array with the shape, dtype and order of axes of `ary`."""
    order = _axis_order(ary.strides)
    shape = tuple(ary.shape[axis] for axis in order)
    block = cuda.pagelocked_empty(shape, ary.dtype) if pagelocked else np.empty(shape, ary.dtype)
    return block if order == list(range(len(order))) else block.transpose(np.argsort(order))


def is_captured(stream):
    """Whether the work of a stream, or of the stream in use, is being captured."""
    if not _driver._native.is_any_capture_open():
        return False
    stream = _driver._native.stream_of_operation(stream)
    return isinstance(stream, _driver.Stream) and stream.is_capturing()


def _stream_of_waiting_copy(name):
    """The stream in use, for a copy that waits; None: the default stream."""
    stream = _driver._native.stream_of_operation(None)
    if is_captured(stream):
        raise cuda.LogicError(f"GPUArray.{name} waits for its copy, which is not possible while the stream is captured: "
                              f"use {name}_async with page-locked memory; the capture continues")
    return stream


def copy_to_device(device, host, stream=None, is_async=False):
    """device[...] = host, of the same shape and dtype. Asynchronous copies need page-locked host memory to overlap."""
    if device.size == 0:
        return
    waiting = None if is_async else _stream_of_waiting_copy("set")
    stream = _driver._native.stream_of_operation(stream)
    block = _packed_block(host)
    if block is None or not _same_layout(device, host):
        host = np.array(host, order="C", copy=True)
        block = host.reshape(-1)
    if device._is_dense and _same_layout(device, host):
        target, scatter = device, None
    else:
        # From the context's pool: an allocator of the program could free the memory that is to be written.
        target = scatter = new_array(device.shape, device.dtype, strides=_operations.packed_strides(device.shape, host.strides, device.dtype.itemsize))
    if is_async or waiting is not None:
        cuda.memcpy_htod_async(_operations.lowest(target, stream), block, stream)
        if waiting is not None:
            waiting.synchronize()
    else:
        cuda.memcpy_htod(_operations.lowest(target, None), block)
    if scatter is not None:
        _operations.apply("copy", device, scatter, stream=stream)


def copy_to_host(host, device, stream=None, is_async=False):
    """host[...] = device, of the same shape and dtype."""
    if device.size == 0:
        return
    waiting = None if is_async else _stream_of_waiting_copy("get")
    stream = _driver._native.stream_of_operation(stream)
    block = _packed_block(host)
    direct = block is not None and block.flags.writeable
    target = host if direct else np.empty(host.shape, host.dtype)
    if not direct:
        block = target.reshape(-1)
    if not (device._is_dense and _same_layout(device, target)):
        packed = device._packed(target.strides)
        _operations.apply("copy", packed, device, stream=stream)
        device = packed
    if is_async and direct:
        cuda.memcpy_dtoh_async(block, _operations.lowest(device, stream), stream)
        return
    if waiting is not None:
        cuda.memcpy_dtoh_async(block, _operations.lowest(device, waiting), waiting)
        waiting.synchronize()
    else:
        if is_async and stream is not None:
            _driver._synchronize(stream)
        cuda.memcpy_dtoh(block, _operations.lowest(device, None))
    if not direct:
        host[...] = target


def copy_on_device(dest, src, stream=None):
    """dest[...] = src with broadcasting and conversion; both on the device."""
    if dest.size:
        _operations.apply("copy", dest, src, stream=stream)


def output_of(out):
    """The array to write to: `out`, or, as universal functions are given, the only one of a tuple. TypeError if it is not on the device."""
    out = out[0] if isinstance(out, tuple) else out
    if not is_array(out):
        raise TypeError(f"out must be a GPUArray, not {type(out).__name__}")
    return out


def common_dtype(a, b):
    """The dtype that the elements of both arrays can be converted to."""
    return a.dtype if a.dtype == b.dtype else np.result_type(a.dtype, b.dtype)


def into(out, result, stream=None, casting="same_kind", core_axes=None):
    """out[...] = result, if `casting`, one of NumPy's rules, allows the conversion: else TypeError. Without `out`, the result itself. If the number
    of `core_axes` is given, the result broadcasts to `out` along the axes before these last ones."""
    if out is None:
        return result
    out = output_of(out)
    if core_axes is not None and out.shape[out.ndim - core_axes:] == result.shape[result.ndim - core_axes:]:
        result = np.broadcast_to(result, out.shape)
    if out.shape != result.shape:
        raise ValueError(f"out must have shape {result.shape}, not {out.shape}")
    if out.dtype != result.dtype and not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"a result of {result.dtype} cannot be written to out, of {out.dtype}, according to the rule '{casting}': convert it with astype()")
    copy_on_device(out, result, stream)
    return out


def indices_into(out, result, stream=None):
    """into() for indices, which fit into integers only."""
    if out is not None and not np.can_cast(output_of(out).dtype, np.int64):
        raise TypeError(f"indices cannot be written to out, of {output_of(out).dtype}: expected an array of integers")
    return into(out, result, stream, "unsafe")


def packed_copy(ary, strides=None, stream=None):
    """A copy whose axes have the order of those of `strides`; None: C order."""
    traced = _operations.traced_copy(ary, ary.dtype, "C" if strides is None else "K" if strides == ary.strides else "F")
    if traced is not None:
        traced._answers = ary._answers
        return traced
    result = new_array(ary.shape, ary.dtype, allocator=ary.allocator) if strides is None else ary._packed(strides)
    copy_on_device(result, ary, stream)
    result._answers = ary._answers
    return result


def in_c_order(ary):
    """Return the elements in C order in one dimension, without a copy if possible."""
    return (ary if ary._is_c_contiguous else packed_copy(ary)).reshape(ary.size)


def accept_async(async_, kwargs, name):
    """Accept the old keyword "async" of set and get, which is now a reserved word of Python."""
    async_ = kwargs.pop("async", async_)
    if kwargs:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(kwargs))}'")
    return async_


def memcpy_discontig(dst, src, async_=False, stream=None):
    """dst[...] = src of the same shape and dtype; each a GPUArray or a NumPy array."""
    for name, ary in (("dst", dst), ("src", src)):
        if not is_array(ary) and not isinstance(ary, np.ndarray):
            raise TypeError(f"{name} must be a GPUArray or a numpy.ndarray, not {type(ary).__name__}")
    if dst.shape != src.shape:
        raise ValueError(f"dst and src must have the same shape, given {dst.shape} and {src.shape}")
    if dst.dtype != src.dtype:
        raise TypeError(f"dst and src must have the same dtype, given {dst.dtype} and {src.dtype}")
    if is_array(dst):
        if is_array(src):
            copy_on_device(dst, src, stream if async_ else None)
        else:
            copy_to_device(dst, src, stream, async_)
    elif is_array(src):
        copy_to_host(dst, src, stream, async_)
    else:
        dst[...] = src
