"""Indices that contain arrays: elements are gathered and scattered by their flat indices in C order."""

import math
import operator
from typing import Any, NamedTuple

import numpy as np

from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import copy_on_device, copy_to_device
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import broadcast_to, is_array, new_array, operate
from pycuda._arrays.ordering import nonzero

__all__ = ["assign", "from_start", "get", "places", "put"]


def _is_advanced(part):
    """Whether a part of an index is an array, on the device or not, a list or a bool."""
    return is_array(part) or isinstance(part, (np.ndarray, list, bool, np.bool_)) and not _is_number(part)


def _is_number(part):
    return isinstance(part, np.ndarray) and not part.ndim and part.dtype.kind in "iu"


def _parts_of(index):
    parts = index if isinstance(index, tuple) else (index,)
    return [_host_index(part) if _is_advanced(part) and not is_array(part) else part for part in parts]


def _host_index(part):
    """An index in host memory as a NumPy array of integers or bool."""
    host = np.asarray([] if isinstance(part, list) and not part else part)
    if not host.size and host.dtype.kind == "f" and isinstance(part, list):
        host = host.astype(np.int64)
    if host.dtype.kind not in "biu":
        raise IndexError(f"arrays of {host.dtype} cannot be used as indices: expected integers or bool")
    return host


def get(array, index, is_mask=_gather.is_mask):
    """array[index]. `is_mask` determines whether an array on the device is a mask; otherwise it has integers."""
    if is_array(index) and array.ndim == 1 and array.size and not is_mask(index):
        return _gather.take(array, index)
    parts = _parts_of(index)
    if not any(map(_is_advanced, parts)):
        return _operations.index(array, tuple(parts))
    if len(parts) == 1:
        part = parts[0]
        mask = _whole_mask(array, part, is_mask)
        if mask is not None:
            return _gather.compress(array, mask)
        if not part.ndim and _selects(part, is_mask):
            return get(_operations.index(array, None), (part.reshape(1),), is_mask)
    places = _places(array.shape, parts, is_mask)
    result = new_array(places.shape, array.dtype, allocator=array.allocator)
    if result.size:
        _operations.call("take_into", (result, array, places))
    result._answers = array._answers
    return result


def put(array, index, value, is_mask=_gather.is_mask):
    """array[index] = value, which may be an array in host memory."""
    parts = _parts_of(index)
    if not any(map(_is_advanced, parts)):
        return assign(_operations.index(array, tuple(parts)), value)
    if len(parts) == 1:
        part = parts[0]
        mask = _whole_mask(array, part, is_mask)
        if mask is not None:
            return _gather.expand(array, mask, value if is_array(value) or is_scalar(value) else _on_device(value, array))
        if not part.ndim and _selects(part, is_mask):
            return put(_operations.index(array, None), (part.reshape(1),), value, is_mask)
        if array.ndim == 1 and is_array(part) and not is_mask(part):
            return _gather.scatter(array, part, value)
    places = _places(array.shape, parts, is_mask)
    values = new_array(places.shape, array.dtype, allocator=array.allocator)
    assign(values, value)
    if places.size:
        _operations.call("put_into", (array, places, values))
    return None


def places(array, index, is_mask=_gather.is_mask):
    """The flat indices of the elements of array[index]: int64, with its shape."""
    return _places(array.shape, _parts_of(index), is_mask)


def assign(view, value):
    """view[...] = value: an array on the device or in host memory, or one element. ValueError unless it broadcasts."""
    if not is_array(value):
        is_element = is_scalar(value) or isinstance(value, np.void) or view.dtype.names is not None and not isinstance(value, np.ndarray)
        value = value if is_element else np.asarray(value)
        if is_element or not value.ndim:
            view.fill(value)
            return
    while value.ndim > view.ndim and value.shape[0] == 1:  # as NumPy does
        value = value[0]
    if value.ndim > view.ndim or any(given not in (1, wanted) for given, wanted in zip(value.shape[::-1], view.shape[::-1])):
        raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {view.shape}")
    if is_array(value):
        copy_on_device(view, value)
    else:
        value = np.broadcast_to(value, view.shape)
        copy_to_device(view, value if value.dtype == view.dtype else value.astype(view.dtype))


def _on_device(value, array):
    return to_gpu(np.asarray(value).astype(array.dtype, copy=False))


def _ghost(shape):
    """A NumPy array of this shape whose strides count elements in C order. It has no memory for its elements; only its views are used."""
    return np.lib.stride_tricks.as_strided(np.empty(1, np.int8), shape, [math.prod(shape[k + 1:]) for k in range(len(shape))])


def _whole_mask(array, part, is_mask):
    """The index as a mask on the device over all of the array's axes, if it is one. A mask without elements also fits other lengths."""
    if part.ndim != array.ndim or not array.ndim or not _selects(part, is_mask) or not part.size and part.shape != array.shape:
        return None
    return part if is_array(part) else to_gpu(part)


def _selects(part, is_mask):
    return is_mask(part) if is_array(part) else part.dtype.kind == "b"


class _Places(NamedTuple):
    """An index of one axis: indices on the device or the host, or a number. `mask`: the length of the mask's axis that they come from."""

    places: Any
    mask: int | None = None

    @property
    def shape(self):
        return getattr(self.places, "shape", ())


def _expanded(parts, is_mask):
    """The parts, with masks replaced by indices along each of their axes."""
    for part in parts:
        if not _is_advanced(part):
            yield part
        elif not _selects(part, is_mask):
            yield _Places(part)
        elif part.ndim == 0:
            raise IndexError("a single bool cannot be combined with other indices; use where()")
        else:
            yield from map(_Places, nonzero(part) if is_array(part) else np.nonzero(part), part.shape)


def _places(shape, parts, is_mask):
    """The flat indices of the elements at an index of an array with this shape."""
    parts = list(_expanded(parts, is_mask))
    taken = sum(1 for part in parts if part is not None and part is not Ellipsis)
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    basic, indices, where, axis = [], [], [], 0
    for place, part in enumerate(parts):
        if part is None or part is Ellipsis or isinstance(part, slice):
            basic.append(part)
            axis += len(shape) - taken if part is Ellipsis else 1
        else:
            indices.append((axis, part if isinstance(part, _Places) else _Places(_number(part))))
            basic.append(slice(None))
            where.append(place)
            axis += 1
    ghost = _ghost(shape)
    view = ghost[tuple(basic)]
    together = where == list(range(where[0], where[0] + len(where))) if where else False
    first = indices[0][0] if together else 0
    start = view.__array_interface__["data"][0] - ghost.__array_interface__["data"][0] if view.size else 0
    return _sum_of_places(view, indices, first, start)


def _number(part):
    try:
        return operator.index(part)
    except TypeError:
        raise IndexError(f"expected integers, slices, ellipsis, numpy.newaxis and arrays of integers or bool as indices, given {type(part).__name__}") from None


def _shape_of(indices):
    try:
        return np.broadcast_shapes(*(index.shape for _, index in indices))
    except ValueError:
        raise IndexError(f"index arrays of shapes {[index.shape for _, index in indices]} cannot be broadcast together") from None


def _sum_of_places(view, indices, first, start):
    """The flat indices: their shape is that of the other axes, with the broadcast shape of the indices at axis `first`."""
    together = _shape_of(indices)
    axes = [axis for axis, _ in indices]
    rest = [axis for axis in range(view.ndim) if axis not in axes]
    lengths = [view.shape[axis] for axis in rest]
    full = (*lengths[:first], *together, *lengths[first:])
    after = len(lengths) - first
    steps = [_steps(index, axis, view) for axis, index in indices]
    numbers = start + sum(step for step in steps if not is_array(step))
    total = None
    for step in filter(is_array, steps):
        step = _operations.index(step, (Ellipsis, *(None,) * after))
        total = step if total is None else operate("add", total, step)
    if total is None:
        total = new_array((), np.int64).fill(numbers)
    elif numbers:
        total = operate("add", total, numbers)
    for number, axis in reversed(list(enumerate(rest))):
        if view.shape[axis] == 1 or view.strides[axis] == 0:
            continue
        behind = len(rest) - 1 - number + (len(together) if number < first else 0)
        line = new_array((view.shape[axis],), np.int64)
        if line.size:
            _operations.apply("arange", line, 0, view.strides[axis])
        total = operate("add", total, _operations.index(line, (Ellipsis, *(None,) * behind)))
    return broadcast_to(total, full)


def _steps(index, axis, view):
    """The distances of an index's elements from the start of its axis in a view: an array on the device, or a number."""
    length, stride = view.shape[axis], view.strides[axis]
    places = index.places
    if index.mask is not None and index.mask not in (0, length):  # as in NumPy, a mask without elements fits any axis
        raise IndexError(f"a mask of length {index.mask} does not match axis {axis}, of length {length}")
    if isinstance(places, int):
        if not -length <= places < length:
            raise IndexError(f"index {places} is out of bounds for axis {axis} with size {length}")
        return places % length * stride
    if places.size and not length:
        raise IndexError(f"cannot take elements from axis {axis}, which is empty")
    if is_array(places):
        if index.mask is None:
            places = from_start(places, length)
        return places if stride == 1 or not places.size else operate("mul", places, stride)
    return to_gpu(_checked(places, length, axis).astype(np.int64) * stride)


def _checked(places, length, axis):
    """Return indices on the host, counted from the start. IndexError if one is out of bounds."""
    if places.size:
        for extreme in (int(places.min()), int(places.max())):
            if not -length <= extreme < length:
                raise IndexError(f"index {extreme} is out of bounds for axis {axis} with size {length}")
        places = np.where(places < 0, places + length, places) if places.dtype.kind == "i" else places
    return places


def from_start(index, length):
    """An array of indices as int64, counted from the start, with out-of-range indices clamped."""
    if index.dtype != np.int64:
        index = operate("copy", index, type=np.dtype(np.int64))
    if not index.size or not length:
        return index
    return operate("mod", operate("clip", index, -length, length - 1), length)
