"""Functions that write into an array."""

import math
import operator

import numpy as np

from pycuda._arrays import indexing as _indexing
from pycuda._arrays import operations as _operations
from pycuda._arrays import orders as _orders
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.diagonals import cycled
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import broadcast_to, is_array

__all__ = ["in_bounds"]

_LARGEST = 2**63 - 1


def _require_array(name, a):
    if not is_array(a):
        raise TypeError(f"{name}: expected a GPUArray to write to, given {type(a).__name__}")


@implements("copyto")
def _copyto(dst, src, casting="same_kind", where=True):
    _require_array("copyto", dst)
    given = src.dtype if is_array(src) else np.asarray(src).dtype
    fits = type(src) is int and dst.dtype.kind in "iu"
    if not fits and not np.can_cast(given, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {given!r} to {dst.dtype!r} according to the rule {casting!r}")
    if isinstance(where, (bool, np.bool_)):
        if where:
            dst[...] = src
        return
    where = exact.on_device("copyto", where)
    if where.dtype.kind != "b" and where._answers != 1:
        raise TypeError(f"copyto: expected where= of bool, given {where.dtype}")
    where, src = broadcast_to(where, dst.shape), exact.on_device("copyto", src)
    if dst.size:
        _operations.apply("where", dst, where, broadcast_to(src, dst.shape), dst)


def in_bounds(name, indices, length, mode, axis=0, kinds="biu"):
    """Indices from 0 to length - 1, as `mode` makes them: "raise", "wrap" or "clip". On the device, "raise" clamps."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"{name}: expected mode 'raise', 'wrap' or 'clip', given {mode!r}")
    if not is_array(indices):
        indices = np.asarray(indices)
        if mode == "raise" and indices.size and not -length <= indices.min() <= indices.max() < length:
            outside = indices.min() if indices.min() < -length else indices.max()
            raise IndexError(f"index {outside} is out of bounds for axis {axis} with size {length}")
        indices = exact.shaped(exact.on_device(name, indices.tolist()), indices.shape)
    if indices.dtype.kind not in kinds:
        raise TypeError(f"Cannot cast array data from {indices.dtype!r} to dtype('int64') according to the rule 'safe'")
    indices = indices.astype(np.int64, copy=False)
    if mode == "wrap":
        return exact.remainder(indices, max(length, 1))
    return indices if mode == "raise" else exact.minimum(exact.maximum(indices, 0), max(length - 1, 0))


@implements("put")
def put(a, ind, v, mode="raise"):
    """Set elements at flat indices, in C order, to values, which repeat if there are fewer."""
    _require_array("put", a)
    values, indices = exact.on_device("put", v), in_bounds("put", ind, a.size, mode, kinds="biuf")
    if not a.size and indices.size:
        raise IndexError("cannot replace elements of an empty array")
    if values.size and indices.size:
        _operations.call("put_into", (a, exact.flat(indices), cycled(values, indices.size).astype(a.dtype, copy=False)))


def _mask_and_values(name, a, mask, values):
    """Both on the device; the mask has as many elements as the array."""
    _require_array(name, a)
    mask, values = exact.on_device(name, mask), exact.on_device(name, values)
    if mask.size != a.size:
        raise ValueError(f"{name}: mask and data must be the same size")
    return mask, values


@implements("putmask")
def _putmask(a, mask, values):
    mask, values = _mask_and_values("putmask", a, mask, values)
    if a.size and values.size:
        given = exact.shaped(values, ()) if values.size == 1 else exact.shaped(cycled(values, a.size), a.shape)
        _operations.apply("where", a, exact.shaped(exact.flat(exact.truth(mask)), a.shape), given.astype(a.dtype, copy=False), a)


@implements("place")
def _place(arr, mask, vals):
    """Waits for the device, whose mask determines which value goes where."""
    mask, values = _mask_and_values("place", arr, mask, vals)
    if values.size and not np.can_cast(values.dtype, arr.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {arr.dtype!r} according to the rule 'safe'")
    indices = _operations.call("flatnonzero", (exact.flat(mask),))
    if indices.size and not values.size:
        raise ValueError("Cannot insert from an empty array!")
    if indices.size:
        _operations.call("put_into", (arr, indices, cycled(values, indices.size).astype(arr.dtype, copy=False)))


@implements("put_along_axis")
def _put_along_axis(arr, indices, values, axis):
    indices = exact.on_device("put_along_axis", indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(f"when axis=None, `indices` must have a single dimension, given {indices.ndim}")
        arr, axis = _orders.reshaped(arr, -1, "C", False), 0
    axis = normalise_axis(axis, arr.ndim)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if indices.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    parts = [indices if k == axis else exact.shaped(exact.arange(length, arr), tuple(-1 if j == k else 1 for j in range(arr.ndim))) for k, length in enumerate(arr.shape)]
    _indexing.put(arr, tuple(parts), values)


# ---- numbers of elements


def _lengths(name, shape, order, count):
    """The lengths of axes for `count` indices."""
    lengths = tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted, given order={order!r}")
    if math.prod(lengths) > _LARGEST:
        raise ValueError(f"{name}: expected a shape of at most {_LARGEST} elements, given {lengths}")
    if count and not all(lengths):
        raise ValueError(f"{name}: expected a shape with elements for {count} indices, given {lengths}")
    return lengths


@implements("unravel_index")
def _unravel_index(indices, shape, order="C"):
    if indices.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    lengths = _lengths("unravel_index", shape, order, indices.size)
    if not lengths and indices.ndim:
        raise ValueError("unravel_index: expected a single index of a 0d array, given several")
    rest, along = indices.astype(np.int64), []
    for length in lengths[::-1] if order == "C" else lengths:
        along.append(exact.remainder(rest, max(length, 1)))
        rest = exact.floor_divide(rest, max(length, 1))
    return tuple(along[::-1] if order == "C" else along)


@implements("ravel_multi_index")
def _ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    if not is_array(multi_index) and any(isinstance(index, (list, tuple)) and not len(index) for index in multi_index):
        raise TypeError("indices must be integral: the provided empty sequence was inferred as float; give it a dtype")
    dims = _lengths("ravel_multi_index", dims, order, max(map(np.size, multi_index), default=0))
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    flat = None
    for index, length, each in list(zip(multi_index, dims, modes))[::1 if order == "C" else -1]:
        try:
            index = in_bounds("ravel_multi_index", index, length, each)
        except IndexError:
            raise ValueError("invalid entry in coordinates array") from None
        flat = index if flat is None else exact.add(exact.multiply(flat, length), index)
    return flat
