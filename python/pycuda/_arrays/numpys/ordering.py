"""Sorting by several keys, and partitions."""

import numpy as np

from pycuda._arrays import ordering as _ordering
from pycuda._arrays import rearrange as _rearrange
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import is_array

__all__ = ["argpartition", "partition"]


def _check_kth(name, a, kth, axis, kind, order):
    if not isinstance(kind, str):
        raise TypeError(f"{name}: expected a string as kind, given {kind!r}")
    if kind != "introselect":
        raise ValueError(f"{name}: expected kind 'introselect', given {kind!r}")
    if order is not None:
        raise ValueError(f"{name}: expected order=None, given {order!r}; sort a field of the structures")
    length = a.size if axis is None else a.shape[normalise_axis(axis, a.ndim)] if a.ndim else 1
    kth = kth.get().ravel() if is_array(kth) else np.atleast_1d(kth).ravel()
    if kth.dtype.kind not in "biu":
        raise TypeError("Partition index must be integer")
    for k in map(int, kth) if length else ():
        if not -length <= k < length:
            raise ValueError(f"kth(={k}) out of bounds ({length})")


@implements("partition")
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """All elements in order, and with them the kth."""
    _check_kth("partition", a, kth, axis, kind, order)
    return _ordering.sort(a, axis)


@implements("argpartition")
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices of all elements in order."""
    _check_kth("argpartition", a, kth, axis, kind, order)
    return _ordering.argsort(a, axis)


@implements("lexsort")
def _lexsort(keys, axis=-1):
    keys = [exact.on_device("lexsort", key) for key in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    if not keys[0].ndim:
        return exact.zeros((), np.int64, keys[0])
    axis = normalise_axis(axis, keys[0].ndim)
    order = _ordering.argsort(keys[0], axis)
    for key in keys[1:]:
        again = _ordering.argsort(_rearrange.take_along_axis(key, order, axis), axis)
        order = _rearrange.take_along_axis(order, again, axis)
    return order


@implements("sort_complex")
def _sort_complex(a):
    return _ordering.sort(a.astype(a.dtype if a.dtype.kind == "c" else np.complex64 if a.dtype.char in "bhBH" else np.complex128, copy=False))
