"""numpy.pad: arrays extended at both ends of each axis, by the core."""

import math
import operator

import numpy as np

from pycuda._arrays import complex_order as _complex_order
from pycuda._arrays import operations as _operations
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import kind_of

__all__ = ["pad"]

#: The modes, in the order of the core's Padding, and their parameters.
_MODES = {
    "constant": "constant_values", "empty": None, "linear_ramp": "end_values", "maximum": "stat_length", "mean": "stat_length", "median": "stat_length",
    "minimum": "stat_length", "edge": None, "reflect": "reflect_type", "symmetric": "reflect_type", "wrap": None,
}
_CODES = {mode: code for code, mode in enumerate(_MODES)}

#: Reductions of complex numbers, which the core does not order.
_EXTREMA = {"minimum": "min", "maximum": "max"}

#: Kinds of numbers for the core, each with two words.
_WHOLE, _REAL, _COMPLEX, _UNSIGNED = range(4)

_ALL = 2**63 - 1  # elements of a statistic


def pad(array, pad_width, mode="constant", **kwargs):
    """The array, extended at both ends of each axis, in Fortran order if the array is."""
    result = _extended(array, pad_width, mode, kwargs)
    return result.copy("F") if array.flags.fnc else result


def _extended(array, pad_width, mode, kwargs):
    widths = [operator.index(width) for width in _sides(pad_width, array.ndim, "pad_width")]
    if callable(mode):
        return _by_function(array, widths, mode, kwargs)
    if mode not in _MODES:
        raise ValueError(f"pad: expected a mode of {', '.join(map(repr, _MODES))} or a function, given {mode!r}")
    if set(kwargs) - {_MODES[mode]}:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {set(kwargs)}")
    if kwargs.get("reflect_type", "even") not in ("even", "odd"):
        raise ValueError(f"pad: expected reflect_type 'even' or 'odd', given {kwargs['reflect_type']!r}")
    if kwargs.get("reflect_type") == "odd":
        return _by_odd_reflection(array, widths, mode)
    if _MODES[mode] == "stat_length" and kwargs.get("stat_length") is not None:
        lengths = _sides(kwargs["stat_length"], array.ndim, "stat_length")
        if 0 in lengths and mode in _EXTREMA:
            raise ValueError(f"pad: expected a stat_length of at least 1 for mode {mode!r}, which has no value for no elements, given 0")
        if 0 in lengths:  # a mean of no elements is NaN
            array = _padded(array, [width if length == 0 else 0 for width, length in zip(widths, lengths)], "constant", math.nan)
            widths = [0 if length == 0 else width for width, length in zip(widths, lengths)]
            kwargs["stat_length"] = np.reshape([length or None for length in lengths], (-1, 2))
    if array.dtype.kind == "c" and mode in _EXTREMA:
        return _by_complex_extrema(array, widths, _EXTREMA[mode], kwargs.get("stat_length"))
    return _padded(array, widths, mode, kwargs.get(_MODES[mode]))


def _padded(array, widths, mode, value):
    values, words = (), []
    if mode == "constant" and _operations.is_array(value):
        given = _operations.broadcast_to(value, (array.ndim, 2)).astype(array.dtype, copy=False)
        values = tuple(given[axis, side] for axis in range(array.ndim) for side in range(2))
    elif mode in ("constant", "linear_ramp"):
        numbers = _sides(0 if value is None else value, array.ndim, _MODES[mode])
        if mode == "linear_ramp":
            words = [_words(number) for number in numbers]
        elif kind_of(array.dtype) in "biufc":
            words = [_words(_converted(number, array.dtype)) for number in numbers]
        else:  # of structures
            values = tuple(to_gpu(np.asarray(number, array.dtype).reshape(())) for number in numbers)
    elif value is not None and _MODES[mode] == "stat_length":
        words = [(_ALL if length is None else operator.index(length),) for length in _sides(value, array.ndim, "stat_length")]
    return _operations.call("pad", (array, *values), (_CODES[mode], len(widths), *widths, *(word for number in words for word in number)))


def _by_complex_extrema(array, widths, name, stat_length):
    """Along each axis in turn, extrema of the elements at the end that is extended."""
    lengths = [None] * len(widths) if stat_length is None else _sides(stat_length, array.ndim, "stat_length")
    for axis in range(array.ndim):
        parts = [array]
        for side, (width, length) in enumerate(zip(widths[2 * axis:2 * axis + 2], lengths[2 * axis:2 * axis + 2])):
            length = array.shape[axis] if length is None else min(length, array.shape[axis])
            near = slice(0, length) if side == 0 else slice(array.shape[axis] - length, None)
            extremum = _complex_order.reduced(name, _operations.index(array, (*(slice(None),) * axis, near)), axis, True)
            shape = tuple(width if k == axis else n for k, n in enumerate(array.shape))
            parts.insert(side * len(parts), _operations.broadcast_to(extremum, shape))
        array = _operations.call("concatenate", tuple(part for part in parts if part.size), (axis,))
    return array


def _by_odd_reflection(array, widths, mode):
    """Along each axis in turn, twice the element at the edge less the element that it mirrors."""
    operate = _operations.operate
    for axis, (before, after) in enumerate(zip(widths[::2], widths[1::2])):
        length = array.shape[axis]
        if not before and not after:
            continue
        if not length:
            raise ValueError("pad: an axis without elements cannot be extended by copies of them")
        period = length if mode == "symmetric" or length == 1 else length - 1
        turn, within = np.divmod(np.arange(-before, length + after), period)
        is_mirrored = turn % 2
        along = (*(slice(None),) * axis,)
        first, last = (_operations.index(array, (*along, part)) for part in (slice(0, 1), slice(length - 1, length)))

        def factors(numbers):
            return to_gpu(numbers.astype(array.dtype).reshape(-1, *(1,) * (array.ndim - axis - 1)))

        result = operate("mul", array[(*along, np.where(is_mirrored, length - 1 - within, within))], factors(1 - 2 * is_mirrored))
        for edge, is_there in ((first, turn < 0), (last, turn >= 0)):
            result = operate("add", result, operate("mul", edge, factors(2 * is_mirrored * is_there)))
        periods = turn + np.where(turn < 0, is_mirrored, -is_mirrored)
        array = operate("add", result, operate("mul", operate("sub", last, first), factors(periods))) if periods.any() else result
    return array


def _sides(value, ndim, name):
    """A value for each side: before and after each axis in turn."""
    if isinstance(value, dict):
        value = [value.get(axis, value.get(axis - ndim, 0)) for axis in range(ndim)]
        value = [each if isinstance(each, (tuple, list)) else (each, each) for each in value]
    value = value.get() if _operations.is_array(value) else value
    try:
        return np.broadcast_to(np.asarray(value), (ndim, 2)).ravel().tolist()
    except ValueError:
        raise ValueError(f"pad: {name} must be a number, or two for each axis, given {value}") from None


def _converted(number, dtype):
    """A number of Python as an element of the dtype, converted as C does."""
    if dtype.kind not in "fc" and isinstance(number, int) and not -2**63 <= number < 2**64:
        raise OverflowError(f"{number} does not fit into {dtype}")
    if isinstance(number, complex) and dtype.kind != "c":
        number = number.real
    with np.errstate(all="ignore"):
        return np.asarray(number).astype(dtype).item() if dtype.kind != "V" else float(number)


def _words(number):
    if isinstance(number, complex):
        return _COMPLEX, number.real, number.imag
    if isinstance(number, int) and -2**63 <= number < 2**64:
        return (_WHOLE, int(number), 0) if number < 2**63 else (_UNSIGNED, number - 2**64, 0)
    return _REAL, float(number), 0


def _by_function(array, widths, function, kwargs):
    """Along each axis in turn, `function` changes each line: a view, padded with zeros at first."""
    result = _padded(array, widths, "constant", 0)
    for axis in range(array.ndim):
        for index in np.ndindex(*result.shape[:axis], *result.shape[axis + 1:]):
            function(_operations.index(result, (*index[:axis], slice(None), *index[axis:])), tuple(widths[2 * axis:2 * axis + 2]), axis, kwargs)
    return result
