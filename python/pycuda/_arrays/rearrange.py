"""Repeating, rolling, padding, joining and splitting arrays."""

import operator

import numpy as np

from pycuda._arrays import join as _join
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.copies import in_c_order
from pycuda._arrays.creation import asarray, to_gpu
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import broadcast_to, is_array, new_array, of_lists
from pycuda._arrays.padding import pad

__all__ = ["FUNCTIONS", "repeat", "roll", "tile"]


def _new(like, shape):
    return new_array(shape, like.dtype, allocator=like.allocator)


def _at(axis, part):
    """The index with `part` along an axis."""
    return (*(slice(None),) * axis, part)


def repeat(a, repeats, axis=None):
    """Each element along an axis, repeated `repeats` times: a number, or one for each index. For axis None, the array is flattened first."""
    if axis is None:
        a, axis = in_c_order(a), 0
    counts = repeats if is_array(repeats) else np.asarray(repeats)
    if not np.can_cast(counts.dtype, np.int64):
        raise TypeError(f"repeat: expected integer counts that int64 holds, given {counts.dtype}")
    if counts.size == 1 and counts.ndim <= 1:
        return _operations.call("repeat", (a,), (int(counts.get().item() if is_array(counts) else counts.item()), operator.index(axis)))
    return _operations.call("repeat_each", (a, counts if is_array(counts) else to_gpu(counts)), (operator.index(axis),))


def tile(a, repetitions):
    """An array repeated `repetitions` times along each axis, as a whole."""
    return _operations.call("tile", (a,), tuple(map(operator.index, repetitions if isinstance(repetitions, (tuple, list)) else (repetitions,))))


def roll(a, shift, axis=None):
    """The elements rolled by `shift` along an axis, or several; elements that leave at the end enter at the start. For axis None, in C order."""
    shift = shift.tolist() if hasattr(shift, "tolist") else shift  # an array's shifts determine where elements go
    if axis is None:
        shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
        return _operations.call("roll_flat", (a,), (sum(map(operator.index, shifts)) % max(a.size, 1),))
    shifts, axes = (tuple(map(operator.index, value)) if isinstance(value, (tuple, list)) else (operator.index(value),) for value in (shift, axis))
    if len(shifts) == len(axes) or 1 in (len(shifts), len(axes)):  # the core refuses others
        shifts, axes = zip(*((shift % max(a.shape[normalise_axis(axis, a.ndim)], 1), axis) for shift, axis in np.broadcast(shifts, axes)))
    return _operations.call("roll", (a,), (len(shifts), *shifts, *axes))


# ---- joining


def _checked(name, arrays):
    arrays = [array if is_array(array) else of_lists(array) for array in arrays]
    for array in arrays:
        if not is_array(array) and not is_scalar(array):
            raise TypeError(f"{name}: expected GPUArrays and numbers, given {type(array).__name__}")
    return [array if is_array(array) else to_gpu(np.asarray(array)) for array in arrays]


def at_least(ndim):
    """Return the function that extends arrays to this many axes: an array for one argument, a tuple for several."""

    def view(a):
        if a.ndim >= ndim:
            return a
        if ndim == 3:
            return _operations.index(a, {0: (None, None, None), 1: (None, Ellipsis, None), 2: (Ellipsis, None)}[a.ndim])
        return _operations.index(a, (None,) * (ndim - a.ndim))

    def call(*arrays):
        views = tuple(map(view, _checked(f"atleast_{ndim}d", arrays)))
        return views[0] if len(views) == 1 else views

    return call


def _stacker(name, axis, shaped):
    """hstack, vstack and dstack: concatenate() after extending arrays to this many axes."""

    def call(tup, *, dtype=None, casting="same_kind"):
        arrays = [shaped(array) for array in _checked(name, tup)]
        if not arrays:
            raise ValueError(f"{name}: need at least one array")
        return _join.joined(name, _join.concatenate, arrays, axis if arrays[0].ndim > 1 else 0, None, dtype, casting)

    return call


def _column(a):
    return a if a.ndim >= 2 else _operations.index(at_least(1)(a), (slice(None), None))


def append(arr, values, axis=None):
    """Both arrays, joined."""
    parts = _checked("append", (arr, values))
    return _join.concatenate([in_c_order(part) for part in parts] if axis is None else parts, axis or 0)


# ---- splitting


def array_split(ary, indices_or_sections, axis=0):
    """Return views of an array's parts: this many nearly equal ones, or those between indices."""
    axis = normalise_axis(axis, ary.ndim)
    length = ary.shape[axis]
    if isinstance(indices_or_sections, (tuple, list, np.ndarray)):
        ends = [0, *(operator.index(end) for end in indices_or_sections), length]
    else:
        sections = operator.index(indices_or_sections)
        if sections <= 0:
            raise ValueError(f"number sections must be larger than 0, given {sections}")
        each, more = divmod(length, sections)
        ends = [k * each + min(k, more) for k in range(sections + 1)]
    return [ary[_at(axis, slice(start, end))] for start, end in zip(ends, ends[1:])]


def split(ary, indices_or_sections, axis=0):
    """The same in equal parts."""
    if not isinstance(indices_or_sections, (tuple, list, np.ndarray)):
        length = ary.shape[normalise_axis(axis, ary.ndim)]
        if operator.index(indices_or_sections) > 0 and length % indices_or_sections:
            raise ValueError(f"array split does not result in an equal division: {length} elements in {indices_or_sections} parts")
    return array_split(ary, indices_or_sections, axis)


def _splitter(name, ndim, axis):
    def call(ary, indices_or_sections):
        if ary.ndim < ndim:
            raise ValueError(f"{name} only works on arrays of {ndim} or more dimensions, given {ary.ndim}")
        return split(ary, indices_or_sections, min(axis, ary.ndim - 1))

    return call


# ---- differences and indices


def diff(a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    """The differences of neighbours along an axis, n times."""
    if n == 0:
        return a
    edges = []
    for edge in (prepend, append):
        if edge is not np._NoValue:
            edge = asarray(edge)
            shape = list(a.shape)
            shape[normalise_axis(axis, a.ndim)] = 1
            edges.append([edge if edge.ndim else broadcast_to(edge, tuple(shape))])
        else:
            edges.append([])
    parts = [*edges[0], a, *edges[1]]
    return _operations.call("diff", (a if len(parts) == 1 else _join.concatenate(parts, axis),), (operator.index(n), normalise_axis(axis, a.ndim)))


def take_along_axis(arr, indices, axis=-1):
    """The elements at indices of an axis that differ from row to row. For axis None, the array is flattened first."""
    if indices.dtype.kind not in "iu":
        raise IndexError(f"`indices` must be an integer array, given {indices.dtype}")
    if axis is not None:
        normalise_axis(axis, arr.ndim)  # AxisError if it does not exist
    else:
        if indices.ndim != 1:
            raise ValueError(f"when axis=None, `indices` must have a single dimension, given {indices.ndim}")
        arr, axis = in_c_order(arr), 0
    return _operations.call("take_along_axis", (arr, indices), (operator.index(axis),))


def _triangle(upper):
    def call(m, k=0):
        return _operations.call("triangle", (m,), (operator.index(k), upper))

    return call


def _broadcast_arrays(*args, subok=False):
    arrays = _checked("broadcast_arrays", args)
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return tuple(broadcast_to(array, shape) for array in arrays)


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {
    np.repeat: repeat, np.tile: lambda A, reps: tile(A, reps), np.roll: roll, np.pad: pad, np.append: append,
    np.diff: diff, np.take_along_axis: take_along_axis, np.tril: _triangle(False), np.triu: _triangle(True),
    np.broadcast_to: lambda array, shape, subok=False: broadcast_to(array, shape), np.broadcast_arrays: _broadcast_arrays,
    np.atleast_1d: at_least(1), np.atleast_2d: at_least(2), np.atleast_3d: at_least(3),
    np.hstack: _stacker("hstack", 1, at_least(1)), np.vstack: _stacker("vstack", 0, at_least(2)), np.dstack: _stacker("dstack", 2, at_least(3)),
    np.column_stack: lambda tup: _stacker("column_stack", 1, _column)(tup),
    np.array_split: array_split, np.split: split, np.hsplit: _splitter("hsplit", 1, 1), np.vsplit: _splitter("vsplit", 2, 0), np.dsplit: _splitter("dsplit", 3, 2),
}
