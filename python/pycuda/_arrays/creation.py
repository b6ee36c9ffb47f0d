"""New arrays: of host data, of one number, of evenly spaced ones."""

import warnings

import numpy as np

from pycuda._arrays.operations import apply, new_array, packed_strides, zero

__all__ = ["arange", "empty_like", "fill", "ones", "ones_like", "to_gpu", "to_gpu_async", "zeros", "zeros_like"]


def _like_host(ary, allocator):
    strides = packed_strides(ary.shape, ary.strides, ary.itemsize)
    return new_array(ary.shape, ary.dtype, allocator=allocator, strides=strides)


def to_gpu(ary, allocator=None):
    """A new array with the entries of a NumPy array, its axes in the same order."""
    ary = np.asarray(ary)
    result = _like_host(ary, allocator)
    result.set(ary)
    return result


def to_gpu_async(ary, allocator=None, stream=None):
    """The same without waiting; `ary` should be page-locked, and must stay as it is until the stream has passed."""
    ary = np.asarray(ary)
    result = _like_host(ary, allocator)
    result.set_async(ary, stream)
    return result


def fill(ary, value, stream=None):
    """Sets every entry of `ary`, which may be of any dtype, to `value`."""
    if ary.dtype.kind not in "biufc":
        value = to_gpu(np.asarray(value, ary.dtype).reshape(()))
    elif not isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        value = np.asarray(value)
        if value.ndim:
            raise ValueError(f"expected a number to fill with, given an array of shape {value.shape}")
    elif isinstance(value, int) and not -2**63 <= value < 2**64 and ary.dtype.kind not in "fc":
        raise OverflowError(f"{value} does not fit into {ary.dtype}")
    apply("copy", ary, value, stream=stream)


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """A new array of zeros."""
    return _zeroed(new_array(shape, dtype, allocator=allocator, order=order))


def _zeroed(ary):
    if ary.size:
        zero(ary)
    return ary


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """A new array of ones."""
    return new_array(shape, dtype, allocator=allocator, order=order).fill(1)


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
            order, strides = "C", packed_strides(other_ary.shape, other_ary.strides, dtype.itemsize)
    elif order not in ("C", "F"):
        raise ValueError(f"expected order 'C', 'F', 'A' or 'K', given {order!r}")
    return new_array(other_ary.shape, dtype, allocator=getattr(other_ary, "allocator", None), strides=strides, order=order)


def empty_like(other_ary, dtype=None, order="K"):
    """A new array of the shape of another; dtype and order are its own unless given."""
    return _array_like(other_ary, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    """The same, of zeros."""
    return _zeroed(_array_like(other_ary, dtype, order))


def ones_like(other_ary, dtype=None, order="K"):
    """The same, of ones."""
    return _array_like(other_ary, dtype, order).fill(1)


def arange(*args, start=None, stop=None, step=None, dtype=None, stream=None, allocator=None):
    """arange([start,] stop[, step[, dtype]]): evenly spaced numbers from start (default 0) to before stop, by step (default 1)."""
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
    result = new_array((max(count, 0),), dtype, allocator=allocator)
    if result.size:
        apply("arange", result, start, step, stream=stream)
    return result
