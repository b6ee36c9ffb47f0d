"""Reductions of arrays: sums, extrema, products, along all axes or some."""

import math
import operator

import numpy as np

from pycuda._arrays import complex_order as _complex_order
from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import axes_mask, normalise_axes
from pycuda._arrays.copies import common_dtype, indices_into, into, output_of
from pycuda._arrays.described import described
from pycuda._arrays.operands import kind_of

__all__ = [
    "all", "any", "argmax", "argmin", "dot", "max", "mean", "min", "prod", "subset_dot", "subset_max", "subset_min", "subset_sum", "sum",
]


#: For each reduction, the operation that joins two results, and the result for no elements, if it is a constant.
_JOINS = {"sum": ("add", 0), "prod": ("mul", 1), "any": ("logical_or", False), "all": ("logical_and", True), "min": ("minimum", None), "max": ("maximum", None),
          "fmin": ("fmin", None), "fmax": ("fmax", None), "nansum": ("add", 0), "nanprod": ("mul", 1), "nanmin": ("fmin", None), "nanmax": ("fmax", None)}


#: Reductions that, as NumPy's, take out= of any dtype, and compute in the common dtype of the array and of `out`.
_OF_ANY_OUT = {"sum", "prod", "nansum", "nanprod", "any", "all", "min", "max", "fmin", "fmax", "nanmin", "nanmax"}


def _reduce(name, a, dtype, axis, keepdims, stream, allocator=None, out=None, initial=None, where=True, others=()):
    """Reduce to `dtype` (None: the reduction's own). `others` have the shape of `a`."""
    casting = "unsafe" if name in _OF_ANY_OUT else "same_kind"
    if out is not None and dtype is None and name in _OF_ANY_OUT and name not in ("any", "all"):
        dtype = common_dtype(a, output_of(out))
    if where is not True:
        where = _operations.mask_of(where)
        a = _selected(name, a, _JOINS[name][1] if initial is None or _JOINS[name][1] is not None else initial, where, stream)
    if initial is not None and not a.size and _JOINS[name][1] is None:
        axes = normalise_axes(axis, len(a.shape))
        shape = tuple(1 if k in axes else length for k, length in enumerate(a.shape) if keepdims or k not in axes)
        result = _operations.new_array(shape, a.dtype if dtype is None else dtype, allocator=allocator).fill(initial, stream)
        return into(out, result, stream, casting)
    if name in _complex_order.REDUCTIONS and a.dtype.kind == "c":
        result = _complex_order.reduced(name, a, axis, keepdims)
        result = result if dtype is None or dtype == result.dtype else result.astype(dtype)
    else:
        result = _operations.reduced(name, (a, *others), axes_mask(axis, len(a.shape)), bool(keepdims), dtype, stream, allocator)
    if initial is not None:
        result = _operations.operate(_JOINS[name][0], result, initial, type=result.dtype, stream=stream)
    return into(out, result, stream, casting)


def _selected(name, a, neutral, where, stream):
    """The elements where a mask is true, and the neutral element elsewhere."""
    if neutral is None:
        raise ValueError(f"{name} of no elements is not defined: where= needs initial=")
    result = _operations.operate("where", where, a, neutral, type=a.dtype, stream=stream)
    if result.shape != a.shape:
        raise ValueError(f"where must broadcast to the array's shape {a.shape}, given {where.shape}")
    return result


_SUM = _operations.reduction_code("sum")


@described
def sum(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False, out=None, initial=None, where=True):
    """Return the sum of the elements.

    Returns
    -------
    GPUArray
        A 0-d array, or with `axis` an array of sums, in the dtype of `a` unless `dtype` is given.

    Raises
    ------
    ValueError
        There is no such axis.

    Examples
    --------
    >>> gpuarray.sum(gpuarray.arange(5, dtype=np.int32)).get().item()
    10
    """
    if dtype is None and stream is None and allocator is None and axis is None and not keepdims and out is None and initial is None and where is True:
        result = _operations.reduce_all(_SUM, a)
        if result is not None:
            return result
    return _reduce("sum", a, dtype, axis, keepdims, stream, allocator, out, initial, where)


@described
def prod(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False, out=None, initial=None, where=True):
    """Return the product of the elements.

    Returns
    -------
    GPUArray
        A 0-d array, or with `axis` an array of products, in the dtype of `a` unless `dtype` is given.

    Raises
    ------
    ValueError
        There is no such axis.

    Examples
    --------
    >>> gpuarray.prod(gpuarray.arange(1, 5, dtype=np.int32)).get().item()
    24
    """
    return _reduce("prod", a, dtype, axis, keepdims, stream, allocator, out, initial, where)


@described
def mean(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False, out=None, where=True):
    """Return the mean of the elements.

    Parameters
    ----------
    dtype : dtype, optional
        dtype of the result; None: that of `a`, or float64 for integers.

    Returns
    -------
    GPUArray
        A 0-d array, or with `axis` an array of means.

    Raises
    ------
    ValueError
        There is no such axis.

    Examples
    --------
    >>> gpuarray.mean(gpuarray.arange(5, dtype=np.float32)).get().item()
    2.0
    """
    if where is True:
        return _reduce("mean", a, dtype, axis, keepdims, stream, allocator, out=out)
    dtype = np.dtype(dtype) if dtype is not None else a.dtype if kind_of(a.dtype) in "fc" else np.dtype(np.float64)
    total = _reduce("sum", a, dtype, axis, keepdims, stream, allocator, where=where)
    result = _operations.operate("div", total, count(where, a, axis, keepdims, stream), type=dtype, stream=stream)
    return into(out, result, stream)


def count(where, a, axis=None, keepdims=False, stream=None):
    """The number of elements of `a` along axes that a mask, which broadcasts, selects: int64, or a number if the mask is one of Python's."""
    axes = normalise_axes(axis, len(a.shape))
    where = _operations.mask_of(where)
    if isinstance(where, (bool, np.bool_)):
        return math.prod(a.shape[k] for k in axes) if where else 0
    return _reduce("count_nonzero", _operations.broadcast_to(where, a.shape), None, axes, keepdims, stream)


@described
def any(a, stream=None, allocator=None, axis=None, keepdims=False, out=None, where=True):
    """Return whether an element is not zero.

    Returns
    -------
    GPUArray
        A 0-d array of bool, or with `axis` an array.

    Raises
    ------
    ValueError
        There is no such axis.

    Examples
    --------
    >>> gpuarray.any(gpuarray.zeros(3, np.float32)).get().item()
    False
    """
    return _reduce("any", a, None, axis, keepdims, stream, allocator, out, None, where)


@described
def all(a, stream=None, allocator=None, axis=None, keepdims=False, out=None, where=True):
    """Return whether no element is zero.

    Returns
    -------
    GPUArray
        A 0-d array of bool, or with `axis` an array.

    Raises
    ------
    ValueError
        There is no such axis.

    Examples
    --------
    >>> gpuarray.all(gpuarray.ones(3, np.float32)).get().item()
    True
    """
    return _reduce("all", a, None, axis, keepdims, stream, allocator, out, None, where)


def _extremum(name, a, stream, axis, keepdims, out=None, initial=None, where=True):
    if kind_of(a.dtype) not in "biufc":
        raise TypeError(f"{name.lstrip('f')}: expected an array of numbers, given dtype {a.dtype}")
    return _reduce(name, a, None, axis, keepdims, stream, None, out, initial, where)


@described
def min(a, stream=None, axis=None, keepdims=False, out=None, initial=None, where=True):
    """Return the smallest element, ignoring NaN.

    Returns
    -------
    GPUArray
        A 0-d array, or with `axis` an array of minima.

    Raises
    ------
    TypeError
        The elements are not numbers.
    ValueError
        There are no elements, and no `initial`.

    Examples
    --------
    >>> gpuarray.min(gpuarray.to_gpu(np.array([3, 1, 2]))).get().item()
    1
    """
    return _extremum("fmin", a, stream, axis, keepdims, out, initial, where)


@described
def max(a, stream=None, axis=None, keepdims=False, out=None, initial=None, where=True):
    """Return the largest element, ignoring NaN.

    Returns
    -------
    GPUArray
        A 0-d array, or with `axis` an array of maxima.

    Raises
    ------
    TypeError
        The elements are not numbers.
    ValueError
        There are no elements, and no `initial`.

    Examples
    --------
    >>> gpuarray.max(gpuarray.to_gpu(np.array([3, 1, 2]))).get().item()
    3
    """
    return _extremum("fmax", a, stream, axis, keepdims, out, initial, where)


def amin(a, axis=None, keepdims=False, initial=None, where=True, out=None):
    """Return the smallest element as NumPy's min does: NaN if there is one. ValueError for an empty array."""
    return _extremum("min", a, None, axis, keepdims, out, initial, where)


def amax(a, axis=None, keepdims=False, initial=None, where=True, out=None):
    """Return the largest element, like amin."""
    return _extremum("max", a, None, axis, keepdims, out, initial, where)


def fmin(a, axis=None, keepdims=False, initial=None, where=True, out=None):
    """Return the smallest element that is not NaN, if there is one. ValueError for an empty array."""
    return _extremum("fmin", a, None, axis, keepdims, out, initial, where)


def fmax(a, axis=None, keepdims=False, initial=None, where=True, out=None):
    """Return the largest element that is not NaN, like fmin."""
    return _extremum("fmax", a, None, axis, keepdims, out, initial, where)


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return the sum of the elements that are not NaN."""
    return _reduce("nansum", a, dtype, axis, keepdims, None, None, out, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Return the product of the elements that are not NaN."""
    return _reduce("nanprod", a, dtype, axis, keepdims, None, None, out, initial, where)


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """Return the smallest element that is not NaN; NaN if there is none. ValueError for an empty array."""
    return _extremum("nanmin", a, None, axis, keepdims, out, initial, where)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """Return the largest element, like nanmin."""
    return _extremum("nanmax", a, None, axis, keepdims, out, initial, where)


@described
def argmin(a, stream=None, axis=None, keepdims=False, out=None):
    """Return the index of the first smallest element.

    Parameters
    ----------
    axis : int, optional
        @axis_of_index

    Returns
    -------
    GPUArray
        A 0-d array of int64, or with `axis` an array of indices.

    Raises
    ------
    ValueError
        The array is empty.

    Examples
    --------
    >>> gpuarray.argmin(gpuarray.to_gpu(np.array([3, 1, 2]))).get().item()
    1
    """
    return indices_into(out, _reduce("argmin", a, None, axis if axis is None else operator.index(axis), keepdims, stream), stream)


@described
def argmax(a, stream=None, axis=None, keepdims=False, out=None):
    """Return the index of the first largest element.

    Parameters
    ----------
    axis : int, optional
        @axis_of_index

    Returns
    -------
    GPUArray
        A 0-d array of int64, or with `axis` an array of indices.

    Raises
    ------
    ValueError
        The array is empty.

    Examples
    --------
    >>> gpuarray.argmax(gpuarray.to_gpu(np.array([3, 1, 2]))).get().item()
    0
    """
    return indices_into(out, _reduce("argmax", a, None, axis if axis is None else operator.index(axis), keepdims, stream), stream)


@described
def dot(a, b, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """Return the sum of products of the elements of two arrays, without conjugation.

    Parameters
    ----------
    b : GPUArray
        An array of the same size; with `axis`, of the same shape.
    dtype : dtype, optional
        dtype of the result; None: the common dtype.

    Returns
    -------
    GPUArray
        A 0-d array, or with `axis` an array of sums.

    Raises
    ------
    ValueError
        The sizes or shapes differ.

    Examples
    --------
    >>> a = gpuarray.arange(4, dtype=np.float32)
    >>> gpuarray.dot(a, a).get().item()
    14.0
    """
    if a.shape != b.shape:
        if a.size != b.size or axis is not None or keepdims:
            raise ValueError(f"dot: expected arrays of the same {'size' if axis is None else 'shape'}, given {a.shape} and {b.shape}")
        a, b = (_operations.call("ravel", (array,), stream=stream) for array in (a, b))
    return _reduce("dot", a, dtype, axis, keepdims, stream, allocator, others=(b,))


def _subset(subset, a, stream):
    return _gather.take(a, subset if subset.ndim == 1 else subset.ravel(), stream=stream)


@described
def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """Return the sum of the elements at some indices.

    Returns
    -------
    GPUArray
        A 0-d array.

    Examples
    --------
    >>> a = gpuarray.to_gpu(np.array([10, 20, 30], np.int32))
    >>> gpuarray.subset_sum(gpuarray.to_gpu(np.array([0, 2], np.int32)), a).get().item()
    40
    """
    return sum(_subset(subset, a, stream), dtype, stream, a.allocator if allocator is None else allocator)


@described
def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """Return the sum of products of the elements of two arrays at some indices.

    Parameters
    ----------
    b : GPUArray
        An array of the same size.
    dtype : dtype, optional
        dtype of the result; None: the common dtype.

    Returns
    -------
    GPUArray
        A 0-d array.

    Raises
    ------
    ValueError
        The sizes differ.
    """
    return dot(_subset(subset, a, stream), _subset(subset, b, stream), dtype, stream, allocator)


@described
def subset_min(subset, a, stream=None):
    """Return the smallest of the elements at some indices, ignoring NaN.

    Returns
    -------
    GPUArray
        A 0-d array.

    Raises
    ------
    TypeError
        The elements are not numbers.
    """
    return min(_subset(subset, a, stream), stream)


@described
def subset_max(subset, a, stream=None):
    """Return the largest of the elements at some indices, ignoring NaN.

    Returns
    -------
    GPUArray
        A 0-d array.

    Raises
    ------
    TypeError
        The elements are not numbers.
    """
    return max(_subset(subset, a, stream), stream)
