"""numpy.pad: arrays extended at both ends of each axis."""

import operator

import numpy as np

from pycuda._arrays import indexing as _indexing
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import rounding as _rounding
from pycuda._arrays.copies import copy_on_device
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operations import new_array, operate

__all__ = ["pad"]

#: Modes that only copy elements of the array, with their parameters.
_GATHERED = {"edge": (), "reflect": ("reflect_type",), "symmetric": ("reflect_type",), "wrap": ()}


def pad(array, pad_width, mode="constant", **kwargs):
    """The array, extended at both ends of each axis."""
    widths = _pairs(pad_width, array.ndim, "pad_width")
    if any(operator.index(width) < 0 for pair in widths for width in pair):
        raise ValueError(f"pad: expected widths that are not negative, given {pad_width}")
    if callable(mode):
        return _by_function(array, widths, mode, kwargs)
    if mode not in _MODES and mode not in _GATHERED:
        raise ValueError(f"pad: expected a mode of {', '.join(map(repr, (*_MODES, *_GATHERED)))} or a function, given {mode!r}")
    parameter, fill = _MODES.get(mode, (None, None))
    if set(kwargs) - ({parameter} if fill else set(_GATHERED[mode])):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(kwargs)}")
    if fill:
        value = kwargs.get(parameter, None if parameter == "stat_length" else 0)
        return _framed(array, widths, _pairs(value, array.ndim, parameter) if value is not None else [(None, None)] * array.ndim, fill)
    if kwargs.get("reflect_type", "even") != "even":
        raise ValueError(f"pad: expected reflect_type 'even', given {kwargs['reflect_type']!r}")
    if not array.size and any(length == 0 and any(pair) for length, pair in zip(array.shape, widths)):
        raise ValueError(f"pad: an axis without elements cannot be extended by mode {mode!r}")
    places = [np.pad(np.arange(length), pair, mode) for length, pair in zip(array.shape, widths)]
    return _indexing.get(array, np.ix_(*places)) if places else array.copy()


def _pairs(value, ndim, name):
    """(before, after) for each axis."""
    if isinstance(value, dict):
        value = [value.get(axis, value.get(axis - ndim, (0, 0))) for axis in range(ndim)]
    try:
        return np.broadcast_to(np.asarray(value), (ndim, 2)).tolist()
    except ValueError:
        raise ValueError(f"pad: {name} must be a number, or two for each axis, given {value}") from None


def _by_function(array, widths, function, kwargs):
    """Along each axis in turn, `function` changes each line: a view, padded with zeros at first."""
    result = _framed(array, widths, [(0, 0)] * array.ndim, _constant)
    for axis, width in enumerate(widths):
        for place in np.ndindex(*result.shape[:axis], *result.shape[axis + 1:]):
            function(_operations.index(result, (*place[:axis], slice(None), *place[axis:])), tuple(width), axis, kwargs)
    return result


def _framed(array, widths, values, fill):
    """Along each axis in turn, `fill` returns the new elements of each side, over the whole length of earlier axes; None leaves them unchanged."""
    result = new_array(tuple(before + length + after for length, (before, after) in zip(array.shape, widths)), array.dtype, allocator=array.allocator)
    own = [slice(before, before + length) for length, (before, _) in zip(array.shape, widths)]
    copied = _operations.index(result, tuple(own))
    if copied.size:
        copy_on_device(copied, array)
    for axis, (width, value) in enumerate(zip(widths, values)):
        whole = _operations.index(result, (*(slice(None),) * axis, slice(None), *own[axis + 1:]))
        middle = _at(whole, axis, own[axis])
        frames = [_at(whole, axis, part) for part in (slice(None, width[0]), slice(own[axis].stop, None))]
        contents = [fill(middle, axis, frame, value[side], side) if frame.size else None for side, frame in enumerate(frames)]
        for frame, content in zip(frames, contents):
            if _operations.is_array(content):
                _operations.apply("copy", frame, content)
            elif content is not None:
                frame.fill(content)
    return result


def _at(array, axis, part):
    return _operations.index(array, (*(slice(None),) * axis, part))


def _constant(middle, axis, frame, value, side):
    return value


def _nothing(middle, axis, frame, value, side):
    return None


def _ramp(middle, axis, frame, end, side):
    """A ramp from `end`, at the border, to the edge of the original array, which is excluded."""
    length, width = middle.shape[axis], frame.shape[axis]
    if not length:
        raise ValueError("pad: a ramp cannot begin at the edge of an axis without elements")
    edge = _at(middle, axis, slice(0, 1) if side == 0 else slice(length - 1, length))
    share = np.arange(width) / width
    shape = [1] * middle.ndim
    shape[axis] = width
    places = _operations.reshape(to_gpu(share if side == 0 else share[::-1].copy()), tuple(shape), "C")
    work = np.result_type(middle.dtype, np.float64)
    span = operate("sub", operate("copy", edge, type=work), work.type(end))
    line = operate("add", operate("mul", span, operate("copy", places, type=work)), work.type(end))
    return operate("copy", operate("floor", line), type=np.dtype(np.int64)) if middle.dtype.kind in "iu" else line


def _statistic(compute):
    def fill(middle, axis, frame, length, side):
        """The result of `compute` on the `length` original elements next to the padding; None: all of them."""
        own = middle.shape[axis]
        if length is None or length > own:
            length = own
        if length < 1:
            raise ValueError(f"pad: expected a stat_length of at least 1, and an axis with elements, given {length}")
        part = _at(middle, axis, slice(0, length) if side == 0 else slice(own - length, own))
        found = compute(part, axis)
        return _rounding.round(found) if middle.dtype.kind in "iu" and found.dtype.kind == "f" else found

    return fill


def _mean(part, axis):
    return _reductions.mean(part, axis=axis, keepdims=True)


def _median(part, axis):
    ordered = _ordering.sort(part, axis)
    length = part.shape[axis]
    middle = _reductions.mean(_at(ordered, axis, slice((length - 1) // 2, length // 2 + 1)), axis=axis, keepdims=True)
    if part.dtype.kind != "f":
        return middle
    last = _at(ordered, axis, slice(length - 1, length))  # NaN, if there is one
    return operate("where", operate("isnan", last, type=np.dtype(bool)), last, middle)


def _extreme(name):
    return lambda part, axis: _operations.reduced(name, (part,), 1 << axis, True)


#: Modes that compute elements: their parameter, and the function for a side: fill(adjacent elements, axis, number of elements, parameter, side).
_MODES = {
    "constant": ("constant_values", _constant), "empty": (None, _nothing), "linear_ramp": ("end_values", _ramp), "maximum": ("stat_length", _statistic(_extreme("max"))),
    "mean": ("stat_length", _statistic(_mean)), "median": ("stat_length", _statistic(_median)), "minimum": ("stat_length", _statistic(_extreme("min"))),
}
