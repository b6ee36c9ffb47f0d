"""Axes as arguments: one number or several, which may count from the end."""

import functools
import operator

import numpy as np

__all__ = ["axis_error", "normalise_axis", "normalise_axes", "axes_mask", "numpys_order"]


def axis_error(*arguments):
    """NumPy's AxisError, an IndexError and ValueError."""
    return (np.exceptions if hasattr(np, "exceptions") else np).AxisError(*arguments)


def normalise_axis(axis, ndim):
    """The axis, counted from 0. Raises NumPy's AxisError, an IndexError and ValueError, if there is no such axis."""
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise axis_error(number, ndim)
    return number + ndim if number < 0 else number


def normalise_axes(axis, ndim):
    """The axes of a reduction, ascending; None: all axes."""
    if axis is None:
        return tuple(range(ndim))
    axes = sorted(normalise_axis(a, ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(axes)


def axes_mask(axis, ndim):
    """The axes of a reduction as bits, as the core counts them."""
    if axis.__class__ is int:
        return 1 << normalise_axis(axis, ndim)
    return sum(1 << k for k in normalise_axes(axis, ndim))


def _is_axis(value):
    """Whether an argument is an axis or a tuple of axes, rather than a dtype or a stream."""
    return isinstance(value, (int, np.integer)) or isinstance(value, tuple) and all(isinstance(part, (int, np.integer)) for part in value)


def numpys_order(*names):
    """Decorate a method to accept NumPy's positional arguments, too: those with these names, if the first one is an axis."""

    def decorate(function):
        @functools.wraps(function)
        def call(a, *args, **kwargs):
            if not args:
                return function(a, **kwargs) if kwargs else function(a)
            if not _is_axis(args[0]):
                return function(a, *args, **kwargs)
            if len(args) > len(names):
                raise TypeError(f"{function.__name__}: expected at most {len(names)} arguments after an axis, given {len(args)}")
            for name, value in zip(names, args):
                if name in kwargs:
                    raise TypeError(f"{function.__name__}() got multiple values for argument '{name}'")
                kwargs[name] = value
            return function(a, **kwargs)

        return call

    return decorate
