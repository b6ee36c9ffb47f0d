"""Arrays as text in NumPy's format; only the elements that are shown are copied."""

import numpy as np

import pycuda.driver as drv
from pycuda import _dlpack
from pycuda._arrays import operations as _operations

__all__ = ["repr_of", "str_of"]

_MAX_AXES = 4  # of one copy: the display may split each axis in two


def _edges(ary, count):
    """The part that NumPy shows of a long array: for each long axis, `count` elements at both ends, and one that it omits."""
    if ary.ndim > _MAX_AXES:
        length = ary.shape[0]
        shown = range(length) if length <= 2 * count + 1 else [*range(count + 1), *range(length - count, length)]
        return np.stack([_edges(ary[index], count) for index in shown])
    shape, strides, long_axes = [], [], []
    for axis, (length, stride) in enumerate(zip(ary.shape, ary.strides)):
        if length > 2 * count + 1:
            long_axes.append(axis)
            shape += [2, count]  # one view has both ends of the axis
            strides += [(length - count) * stride, stride]
        else:
            shape.append(length)
            strides.append(stride)
    host = _operations.strided(ary, shape, strides, ary.dtype).get()
    for axis in long_axes:
        start, end = host[(slice(None),) * axis + (0,)], host[(slice(None),) * axis + (1,)]
        host = np.concatenate((start, end.take([0], axis), end), axis)
    return host


def _text(ary, format_array):
    options = np.get_printoptions()
    if ary.size <= options["threshold"]:
        return format_array(ary.get())
    with np.printoptions(threshold=0):
        return format_array(_edges(ary, max(options["edgeitems"], 1)))


def str_of(ary):
    """As for NumPy's array."""
    return _text(ary, str)


def repr_of(ary):
    """As for NumPy's array, with the device: cuda:0, or cpu:0 on the CPU device. Never raises a driver error, because debuggers call it."""
    try:
        text = _text(ary, np.array_repr)
        kind, number = ary.__dlpack_device__() if ary.size else (None, None)
    except drv.Error as error:
        return f"array(shape={ary.shape}, dtype={ary.dtype}, unreadable: {str(error).splitlines()[0]})"
    if ary.size > np.get_printoptions()["threshold"] and "shape=(" in text:
        head, tail = text.rsplit("shape=(", 1)
        text = f"{head}shape={ary.shape}{tail[tail.index(')') + 1:]}"
    if kind is None:
        return text
    note = f"device='{'cpu' if kind == _dlpack.DeviceType.CPU else 'cuda'}:{number}')"
    fits = len(text.rsplit("\n", 1)[-1]) + len(note) <= np.get_printoptions()["linewidth"]
    return f"{text[:-1]},{' ' if fits else chr(10) + ' ' * len('array(')}{note}"
