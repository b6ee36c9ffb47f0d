"""Elements chosen by conditions and by numbers."""

import numpy as np

from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.copies import into
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.numpys.writing import in_bounds
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array, operate

__all__ = ["choose"]


@implements("choose")
def choose(a, choices, out=None, mode="raise"):
    """Elements of the choices with the numbers in `a`; for mode "raise", numbers are clamped."""
    choices = list(choices)
    if not choices:
        raise ValueError("choose: expected at least one choice, given none")
    dtype = np.result_type(*(choice.dtype if is_array(choice) else choice if type(choice) in (int, float, complex) else np.asarray(choice).dtype for choice in choices))
    choices = [exact.on_device("choose", choice) for choice in choices]
    number = in_bounds("choose", a, len(choices), "clip" if mode == "raise" and is_array(a) else mode)
    shape = np.broadcast_shapes(number.shape, *(choice.shape for choice in choices))
    result = _operations.broadcast_to(choices[0], shape).astype(dtype, order="C")
    for k, choice in enumerate(choices[1:], 1):
        if result.size:
            _operations.apply("where", result, _operations.broadcast_to(exact.equal(number, k), shape), _operations.broadcast_to(choice, shape), result)
    return into(out, result)


def _is_condition(value):
    return isinstance(value, (bool, np.bool_)) or is_array(value) and (value.dtype.kind == "b" or value._answers == 1)


@implements("select")
def _select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    for number, condition in enumerate(condlist):
        if not _is_condition(condition):
            raise TypeError(f"invalid entry {number} in condlist: should be boolean ndarray")
    choices = [value if type(value) in (int, float, complex) else exact.on_device("select", value) for value in (*choicelist, default)]
    dtype = np.result_type(*(value.dtype if is_array(value) else value for value in choices))
    shape = np.broadcast_shapes(*(np.shape(value) for value in (*condlist, *choices)))
    like = next(value for value in (*condlist, *choices) if is_array(value))
    result = exact.filled(shape, choices[-1], dtype, like) if not is_array(choices[-1]) else _operations.broadcast_to(choices[-1], shape).astype(dtype, order="C")
    for condition, choice in zip(condlist[::-1], choices[-2::-1]):
        if result.size:
            _operations.apply("where", result, exact.on_device("select", condition), choice, result)
    return result


@implements("piecewise")
def _piecewise(x, condlist, funclist, *args, **kw):
    """Functions of Python get the elements that they are for. Waits for the device."""
    if isinstance(condlist, (bool, np.bool_)) or is_array(condlist) and condlist.ndim == x.ndim or \
            not is_array(condlist) and not is_array(condlist[0]) and not isinstance(condlist[0], (list, np.ndarray)) and x.ndim:
        condlist = [condlist]
    conditions = [exact.truth(exact.on_device("piecewise", condition)) for condition in condlist]
    if len(conditions) == len(funclist) - 1:
        covered = conditions[0]
        for condition in conditions[1:]:
            covered = exact.logical_or(covered, condition)
        conditions.append(exact.logical_not(covered))
    elif len(conditions) != len(funclist):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are expected")
    result = exact.zeros(x.shape, x.dtype, x)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            result[condition] = function
            continue
        elements = x[condition]
        if elements.size:
            result[condition] = function(elements, *args, **kw)
    return result


def _taken(name, condition, a, axis):
    condition = exact.on_device(name, condition)
    indices = _operations.call("flatnonzero", (exact.flat(condition),))
    length = a.shape[axis]
    if condition.size > length and indices.size and int(_reductions.max(indices).get()) >= length:
        raise IndexError(f"index {int(_reductions.max(indices).get())} is out of bounds for axis {axis} with size {length}")
    return a[(slice(None),) * axis + (indices,)] if a.ndim > 1 else _gather.take(a, indices)


@implements("compress")
def _compress(condition, a, axis=None, out=None):
    """Waits for the device: the condition determines the size of the result."""
    a = exact.on_device("compress", a)
    if np.ndim(condition) != 1:
        raise ValueError("condition must be a 1-d array")
    a, axis = (exact.flat(a), 0) if axis is None else (a, normalise_axis(axis, a.ndim))
    return into(out, _taken("compress", condition, a, axis))


@implements("extract")
def _extract(condition, arr):
    """Waits for the device: the condition determines the size of the result."""
    return _taken("extract", condition, exact.flat(exact.on_device("extract", arr)), 0)


@implements("real_if_close")
def _real_if_close(a, tol=100):
    """Waits for the device."""
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = np.finfo(a.dtype).eps * tol
    imaginary = exact.absolute(operate("imag", a))
    return operate("real", a) if bool(_reductions.all(exact.less(imaginary, float(tol))).get()) else a


@implements("array_equiv")
def _array_equiv(a1, a2):
    """Waits for the device."""
    try:
        shape = np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    a1, a2 = (value if is_scalar(value) else exact.on_device("array_equiv", value) for value in (a1, a2))
    return 0 in shape or bool(_reductions.all(exact.equal(a1, a2)).get())
