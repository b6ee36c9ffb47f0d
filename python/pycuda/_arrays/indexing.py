"""Where views of an array lie: shapes, strides and offsets, without the array."""

import operator

import numpy as np

__all__ = ["index_layout", "reshape_layout", "view_layout", "packed_strides", "normalise_axis", "normalise_axes"]


def index_layout(shape, strides, index):
    """(shape, strides, offset in bytes) of what `index` selects: integers, slices, one Ellipsis, numpy.newaxis, a tuple of those."""
    index = index if isinstance(index, tuple) else (index,)
    taken = sum(1 for part in index if part is not None and part is not Ellipsis)
    if sum(1 for part in index if part is Ellipsis) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if taken > len(shape):
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but {taken} were indexed")
    if Ellipsis not in [part for part in index if part is None or part is Ellipsis]:
        index += (Ellipsis,)

    new_shape, new_strides, offset, axis = [], [], 0, 0
    for part in index:
        if part is None:
            new_shape.append(1)
            new_strides.append(0)
        elif part is Ellipsis:
            skipped = len(shape) - taken
            new_shape += shape[axis:axis + skipped]
            new_strides += strides[axis:axis + skipped]
            axis += skipped
        elif isinstance(part, slice):
            start, stop, step = part.indices(shape[axis])
            count = len(range(start, stop, step))
            new_shape.append(count)
            new_strides.append(strides[axis] * step)
            offset += strides[axis] * start if count else 0
            axis += 1
        else:
            offset += strides[axis] * _checked_index(part, axis, shape[axis])
            axis += 1
    return tuple(new_shape), tuple(new_strides), offset if 0 not in new_shape else 0


def _checked_index(part, axis, length):
    try:
        if isinstance(part, (bool, np.bool_)):
            raise TypeError
        number = operator.index(part)
    except TypeError:
        raise IndexError(f"expected integers, slices, ellipsis or numpy.newaxis as indices, given {type(part).__name__}; "
                         "use take() to gather by an array of indices") from None
    if not -length <= number < length:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {length}")
    return number + length if number < 0 else number


def reshape_layout(shape, new_shape):
    """`new_shape`, as given to reshape, with a length in the place of -1. ValueError when it does not fit."""
    size = int(np.prod(shape, dtype=object)) if shape else 1
    new_shape = tuple(operator.index(length) for length in new_shape)
    unknown = new_shape.count(-1)
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    known = int(np.prod([length for length in new_shape if length != -1], dtype=object)) if new_shape else 1
    if unknown:
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {new_shape}")
        new_shape = tuple(size // known if length == -1 else length for length in new_shape)
    elif known != size or any(length < 0 for length in new_shape):
        raise ValueError(f"cannot reshape array of size {size} into shape {new_shape}")
    return new_shape


def view_layout(shape, strides, old_itemsize, new_itemsize):
    """(shape, strides) of the same bytes as items of another size. ValueError when they do not divide."""
    if old_itemsize == new_itemsize:
        return shape, strides
    if not shape:
        raise ValueError("changing the dtype of a 0-d array is only supported if the itemsize is unchanged")
    axis = min(range(len(shape)), key=lambda i: (abs(strides[i]), -i))
    if abs(strides[axis]) != old_itemsize or (shape[axis] * old_itemsize) % new_itemsize:
        raise ValueError(f"new type of {new_itemsize} bytes is not compatible with an axis of {shape[axis]} items of {old_itemsize} bytes")
    length = shape[axis] * old_itemsize // new_itemsize
    step = new_itemsize if strides[axis] > 0 else -new_itemsize
    if strides[axis] < 0:
        raise ValueError("a view of another item size needs an axis that runs forward")
    return shape[:axis] + (length,) + shape[axis + 1:], strides[:axis] + (step,) + strides[axis + 1:]


def packed_strides(shape, strides, itemsize):
    """Strides without gaps whose axes have the order of those of `strides`."""
    order = sorted(range(len(shape)), key=lambda i: (abs(strides[i]), -i))  # the fastest axis first; of equal ones the last
    result, step = [0] * len(shape), itemsize
    for axis in order:
        result[axis] = step
        step *= max(shape[axis], 1)
    return tuple(result)


def normalise_axis(axis, ndim):
    """The axis as a number from 0. IndexError-like ValueError as NumPy's when there is no such axis."""
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim) if hasattr(np, "exceptions") else np.AxisError(number, ndim)
    return number + ndim if number < 0 else number


def normalise_axes(axis, ndim):
    """Axes of a reduction, ascending; all for None."""
    if axis is None:
        return tuple(range(ndim))
    axes = sorted(normalise_axis(a, ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(axes)
