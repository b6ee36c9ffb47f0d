"""Indices that contain arrays, which the core reads (indexing.hpp): elements are gathered and scattered."""

import operator

import numpy as np

from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import copy_on_device, copy_to_device
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array, new_array

__all__ = ["assign", "flat_indices", "get", "put"]

#: Kinds of parts, as the core numbers them, and whether a range has a start and a stop.
_AT, _RANGE, _REST, _NEW_AXIS, _INDICES, _MASK = range(6)
_HAS_START, _HAS_STOP = 1, 2
_LARGEST = 2**63 - 1


def _is_advanced(part):
    """Whether a part of an index is an array, on the device or not, a list, a tuple or a bool."""
    return is_array(part) or isinstance(part, (np.ndarray, list, tuple, bool, np.bool_)) and not _is_number(part)


def _is_number(part):
    return isinstance(part, np.ndarray) and not part.ndim and part.dtype.kind in "iu"


def _parts_of(index):
    parts = index if isinstance(index, tuple) else (index,)
    return [_host_index(part) if _is_advanced(part) and not is_array(part) else part for part in parts]


def _host_index(part):
    """An index in host memory as a NumPy array of integers or bool."""
    host = np.asarray(part)
    if not host.size and host.dtype.kind == "f" and isinstance(part, (list, tuple)):
        host = host.astype(np.int64)
    if host.dtype.kind not in "biu":
        raise IndexError(f"arrays of {host.dtype} cannot be used as indices: expected integers or bool")
    return host


def _selects(part, is_mask):
    return is_mask(part) if is_array(part) else part.dtype.kind == "b"


def _read(array, parts, is_mask):
    """(arrays on the device, numbers) of the parts, as the core takes them."""
    arrays, numbers, axis = [], [], 0
    masks = [_is_advanced(part) and _selects(part, is_mask) for part in parts]
    taken = sum(part.ndim if mask else part is not None and part is not Ellipsis for part, mask in zip(parts, masks))
    for part, mask in zip(parts, masks):
        if _is_advanced(part):
            if not is_array(part):
                part = to_gpu(part if mask or axis >= array.ndim else _checked(part, array.shape[axis], axis))
            arrays.append(part)
            numbers += (_MASK if mask else _INDICES, 0, 0, 0, 1)
            axis += part.ndim if mask else 1
        else:
            numbers += _basic(part)
            axis += 0 if part is None else array.ndim - taken if part is Ellipsis else 1
    return arrays, numbers


def _basic(part):
    """The numbers of a part without arrays."""
    if part is None or part is Ellipsis:
        return _NEW_AXIS if part is None else _REST, 0, 0, 0, 1
    if not isinstance(part, slice):
        return _AT, 0, _number(part), 0, 1
    ends = [None if end is None else max(-_LARGEST, min(operator.index(end), _LARGEST)) for end in (part.start, part.stop, part.step)]
    has = (_HAS_START if part.start is not None else 0) | (_HAS_STOP if part.stop is not None else 0)
    return _RANGE, has, ends[0] or 0, ends[1] or 0, 1 if ends[2] is None else ends[2]


def _number(part):
    try:
        number = operator.index(part)
        if abs(number) > _LARGEST:
            raise IndexError(f"index {number} is out of bounds")
        return number
    except TypeError:
        raise IndexError(f"expected integers, slices, ellipsis, numpy.newaxis and arrays of integers or bool as indices, given {type(part).__name__}") from None


def _checked(indices, length, axis):
    """The indices. IndexError if one is out of bounds, which kernels cannot raise."""
    if indices.size and length:
        for extreme in (int(indices.min()), int(indices.max())):
            if not -length <= extreme < length:
                raise IndexError(f"index {extreme} is out of bounds for axis {axis} with size {length}")
    return indices


def get(array, index, is_mask=_gather.is_mask):
    """array[index]. `is_mask` determines whether an array on the device is a mask; otherwise it has integers."""
    parts = _parts_of(index)
    _operations.require_one_kind(array, *parts)
    if is_array(index) and array.ndim == 1 and array.size and not is_mask(index):
        return _gather.take(array, index)
    if not any(map(_is_advanced, parts)):
        return _operations.index(array, tuple(parts))
    arrays, numbers = _read(array, parts, is_mask)
    result = _operations.call("elements_at", (array, *arrays), tuple(numbers))
    result._answers = array._answers
    return result


def put(array, index, value, is_mask=_gather.is_mask):
    """array[index] = value, which may be an array in host memory."""
    parts = _parts_of(index)
    _operations.require_one_kind(array, value, *parts)
    # Converted before the array's address is read: code of the program that this runs may free the memory of the array.
    value = _converted(value, array.dtype)
    if not any(map(_is_advanced, parts)):
        return assign(_operations.index(array, tuple(parts)), value)
    if is_scalar(value) and len(parts) == 1 and parts[0].ndim and parts[0].shape == array.shape and _selects(parts[0], is_mask):
        return _gather.expand(array, parts[0] if is_array(parts[0]) else to_gpu(parts[0]), value)
    arrays, numbers = _read(array, parts, is_mask)
    _operations.call("put_at", (array, _on_device(value, array), *arrays), tuple(numbers))
    return None


def flat_indices(array, index, is_mask=_gather.is_mask):
    """The flat indices of the elements of array[index]: int64, with its shape."""
    arrays, numbers = _read(array, _parts_of(index), is_mask)
    return _operations.call("flat_indices", (array, *arrays), tuple(numbers))


def _is_element(value, dtype):
    return is_scalar(value) or isinstance(value, np.void) or dtype.names is not None and not isinstance(value, np.ndarray)


def _converted(value, dtype):
    """An array on the device, a NumPy array, or one element of the dtype."""
    if is_array(value) or is_scalar(value):
        return value
    host = np.asarray(value, dtype) if _is_element(value, dtype) else np.asarray(value)
    return host.astype(dtype) if host.dtype.kind == "O" else host


def _on_device(value, array):
    """The assigned value on the device: an array, or one element of the array's dtype."""
    if is_array(value):
        return value
    if not isinstance(value, np.ndarray) or not value.ndim:
        return new_array((), array.dtype, allocator=array.allocator).fill(value)
    return to_gpu(value.astype(array.dtype, copy=False), allocator=array.allocator)


def assign(view, value):
    """view[...] = value: an array on the device or in host memory, or one element. ValueError unless it broadcasts."""
    if not is_array(value):
        value = _converted(value, view.dtype)
        if not isinstance(value, np.ndarray) or not value.ndim:
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
