"""Reductions of arrays: sums, extrema, products, along all axes or some."""

import builtins

from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axes
from pycuda._arrays.operands import kind_of

__all__ = [
    "all", "any", "argmax", "argmin", "dot", "max", "mean", "min", "prod", "subset_dot", "subset_max", "subset_min", "subset_sum", "sum",
]


def _reduce(name, a, dtype, axis, keepdims, stream, allocator=None, *others):
    """Of `dtype` (None: the reduction's). `others` have the shape of `a`."""
    axes = builtins.sum(1 << k for k in normalise_axes(axis, len(a.shape)))
    return _operations.reduced(name, (a, *others), axes, bool(keepdims), dtype, allocator, stream)


_SUM = _operations.reduction_code("sum")


def sum(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The sum of all entries as a 0-d array, in the dtype of `a` unless `dtype` is given; along `axis`, an array of sums."""
    if dtype is None and stream is None and allocator is None and axis is None and not keepdims:
        result = _operations.reduce_all(_SUM, a)
        if result is not None:
            return result
    return _reduce("sum", a, dtype, axis, keepdims, stream, allocator)


def prod(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The product, like sum."""
    return _reduce("prod", a, dtype, axis, keepdims, stream, allocator)


def mean(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The mean; of integers in float64."""
    return _reduce("mean", a, dtype, axis, keepdims, stream, allocator)


def any(a, stream=None, allocator=None, axis=None, keepdims=False):
    """Whether an entry is not zero, as a 0-d array of bool."""
    return _reduce("any", a, None, axis, keepdims, stream, allocator)


def all(a, stream=None, allocator=None, axis=None, keepdims=False):
    """Whether no entry is zero, as a 0-d array of bool."""
    return _reduce("all", a, None, axis, keepdims, stream, allocator)


def _extremum(name, a, stream, axis, keepdims):
    if kind_of(a.dtype) not in "biuf":
        raise TypeError(f"{name.lstrip('f')}: expected an array of real numbers, given dtype {a.dtype}")
    return _reduce(name, a, None, axis, keepdims, stream)


def min(a, stream=None, axis=None, keepdims=False):
    """The least entry that is a number, as a 0-d array."""
    return _extremum("fmin", a, stream, axis, keepdims)


def max(a, stream=None, axis=None, keepdims=False):
    """The largest entry that is a number, as a 0-d array."""
    return _extremum("fmax", a, stream, axis, keepdims)


def _numpys_extremum(name, a, axis, keepdims):
    if a.size == 0:
        axes = normalise_axes(axis, len(a.shape))
        if builtins.all(length for k, length in enumerate(a.shape) if k not in axes):
            raise ValueError(f"{name} of an array without elements: there is none")
    return _extremum(name, a, None, axis, keepdims)


def least(a, axis=None, keepdims=False):
    """The smallest element as NumPy's min gives it: NaN where there is one. ValueError where there are no elements."""
    return _numpys_extremum("min", a, axis, keepdims)


def greatest(a, axis=None, keepdims=False):
    """The largest element, like least."""
    return _numpys_extremum("max", a, axis, keepdims)


def least_number(a, axis=None, keepdims=False):
    """The smallest element that is not NaN, where there is one. ValueError where there are no elements."""
    return _numpys_extremum("fmin", a, axis, keepdims)


def greatest_number(a, axis=None, keepdims=False):
    """The largest element that is not NaN, like least_number."""
    return _numpys_extremum("fmax", a, axis, keepdims)


def argmin(a, stream=None, axis=None, keepdims=False):
    """Where the least entry is first: its place in C order, or along `axis`, which is one axis."""
    return _reduce("argmin", a, None, axis, keepdims, stream)


def argmax(a, stream=None, axis=None, keepdims=False):
    """Where the largest entry is first, like argmin."""
    return _reduce("argmax", a, None, axis, keepdims, stream)


def dot(a, b, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The sum of products of all entries, without conjugation, as a 0-d array; along `axis`, an array of sums."""
    if a.shape != b.shape:
        if a.size != b.size or axis is not None or keepdims:
            raise ValueError(f"dot: expected arrays of the same {'size' if axis is None else 'shape'}, given {a.shape} and {b.shape}")
        a, b = a.flatten(), b.flatten()
    return _reduce("dot", a, dtype, axis, keepdims, stream, allocator, b)


def _subset(subset, a, stream):
    return _gather.take(a, subset if subset.ndim == 1 else subset.ravel(), stream=stream)


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """The sum of the entries at the indices in `subset`."""
    return sum(_subset(subset, a, stream), dtype, stream, a.allocator if allocator is None else allocator)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """The sum of products of the entries at the indices in `subset`."""
    return dot(_subset(subset, a, stream), _subset(subset, b, stream), dtype, stream, allocator)


def subset_min(subset, a, stream=None):
    """The least of the entries at the indices in `subset`."""
    return min(_subset(subset, a, stream), stream)


def subset_max(subset, a, stream=None):
    """The largest of the entries at the indices in `subset`."""
    return max(_subset(subset, a, stream), stream)
