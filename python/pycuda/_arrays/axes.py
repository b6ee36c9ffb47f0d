"""Axes as programs give them: numbers that may count from the end, one or several."""

import operator

import numpy as np

__all__ = ["normalise_axis", "normalise_axes"]


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
