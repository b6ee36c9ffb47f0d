"""Running sums, sorting and functions based on it, products of matrices."""

import numpy as np

from pycuda._arrays import complex_order as _complex_order
from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.copies import common_dtype, into, output_of
from pycuda._arrays.described import described

__all__ = ["argsort", "axis_in_place", "check_kind", "cumprod", "cumsum", "matmul", "nonzero", "sort", "unique"]

_KINDS = ("q", "m", "h", "s")


def check_kind(name, kind, order, stable):
    """Check NumPy's parameters of a sort, which is always stable."""
    if kind is not None and stable is not None:
        raise ValueError(f"{name}: expected kind= or stable=, given both")
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"{name}: expected a string as kind, given {kind!r}")
    if kind is not None and kind[:1].lower() not in _KINDS:
        raise ValueError(f"{name}: expected kind 'quicksort', 'mergesort', 'heapsort', 'stable', one of their initials, or None, given {kind!r}")
    if order is not None:
        raise ValueError(f"{name}: expected order=None, given {order!r}; sort a field of the structures")


def axis_in_place(name, axis):
    """The axis of a method that sorts in place: TypeError for None."""
    if axis is None:
        raise TypeError(f"{name}: 'NoneType' object cannot be interpreted as an axis, because the array is sorted in place")
    return axis


_SUM, _PRODUCT, _LEAST, _GREATEST = range(4)  # as the core's Scan


def _along(a, axis, stream):
    """Return the array and the axis; for None, all elements in C order along one axis."""
    if axis is not None:
        return a, normalise_axis(axis, len(a.shape))
    return (a if a.ndim == 1 else _operations.call("ravel", (a,), stream=stream)), 0


def _cumulative(scan, a, dtype, axis, out, stream):
    a, axis = _along(a, axis, stream)
    if scan in (_LEAST, _GREATEST) and a.dtype.kind == "c" and a.size:
        return into(out, _complex_order.scanned(a, axis, scan == _GREATEST), stream)
    target = None if out is None else output_of(out)
    dtype = np.dtype(dtype) if dtype is not None else a.dtype if out is None else common_dtype(a, target)
    result = target if target is not None and target.dtype == dtype and target.shape == a.shape else _operations.new_array(a.shape, dtype, allocator=a.allocator)
    if result.size:
        _operations.call("scan_into", (result, a), (scan, axis), stream)
    return result if result is target else into(out, result, stream, "unsafe")


@described
def cumsum(a, axis=None, dtype=None, out=None, stream=None):
    """Return the cumulative sums of the elements.

    Parameters
    ----------
    axis : int, optional
        @flat_axis

    Returns
    -------
    GPUArray
        The sums, in the dtype of `a` unless `dtype` is given.

    Raises
    ------
    ValueError
        There is no such axis, or `out` has another shape.

    Examples
    --------
    >>> gpuarray.cumsum(gpuarray.arange(4, dtype=np.int32)).get().tolist()
    [0, 1, 3, 6]
    """
    return _cumulative(_SUM, a, dtype, axis, out, stream)


@described
def cumprod(a, axis=None, dtype=None, out=None, stream=None):
    """Return the cumulative products of the elements.

    Parameters
    ----------
    axis : int, optional
        @flat_axis

    Returns
    -------
    GPUArray
        The products, in the dtype of `a` unless `dtype` is given.

    Raises
    ------
    ValueError
        There is no such axis, or `out` has another shape.

    Examples
    --------
    >>> gpuarray.cumprod(gpuarray.arange(1, 4, dtype=np.int32)).get().tolist()
    [1, 2, 6]
    """
    return _cumulative(_PRODUCT, a, dtype, axis, out, stream)


def cummin(a, axis=None, dtype=None, out=None):
    """The cumulative minimum; NaN from the first NaN on."""
    return _cumulative(_LEAST, a, dtype, axis, out, None)


def cummax(a, axis=None, dtype=None, out=None):
    """The cumulative maximum; NaN from the first NaN on."""
    return _cumulative(_GREATEST, a, dtype, axis, out, None)


@described
def sort(a, axis=-1, keys=None, stream=None):
    """Return a sorted copy. The order is ascending and stable, with NaN last.

    Parameters
    ----------
    axis : int, optional
        The axis to sort along; None: one dimension.
    keys : GPUArray, optional
        Array of the same shape to sort by; None: the elements.

    Returns
    -------
    GPUArray
        The sorted array.

    Raises
    ------
    ValueError
        `keys` is given and an array is not one-dimensional, or shapes differ.

    Examples
    --------
    >>> gpuarray.sort(gpuarray.to_gpu(np.array([3, 1, 2]))).get().tolist()
    [1, 2, 3]
    """
    if keys is not None:
        if a.ndim != 1 or keys.shape != a.shape:
            raise ValueError(f"sorting by keys needs arrays of one dimension and shape, given {a.shape} and {keys.shape}")
        return _gather.take(a, argsort(keys, stream=stream), stream=stream)
    a, axis = _along(a, axis, stream)
    return _operations.call("sort", (a,), (axis,), stream)


@described
def argsort(a, axis=-1, stream=None):
    """Return the indices that sort an array.

    Parameters
    ----------
    axis : int, optional
        The axis to sort along; None: one dimension.

    Returns
    -------
    GPUArray
        Indices of int64.

    Raises
    ------
    ValueError
        There is no such axis.

    Examples
    --------
    >>> gpuarray.argsort(gpuarray.to_gpu(np.array([3, 1, 2]))).get().tolist()
    [1, 2, 0]
    """
    a, axis = _along(a, None if axis in (0, -1) and not a.ndim else axis, stream)  # NumPy takes a 0-d array for one of length 1
    return _operations.call("argsort", (a,), (axis,), stream)


@described
def unique(a, stream=None):
    """Return the distinct elements, in ascending order.

    Returns
    -------
    GPUArray
        A one-dimensional array.

    Examples
    --------
    >>> gpuarray.unique(gpuarray.to_gpu(np.array([3, 1, 3]))).get().tolist()
    [1, 3]
    """
    return _operations.call("unique", (a,), stream=stream)


@described
def nonzero(a, stream=None):
    """Return the indices of the elements that are not zero, in C order.

    Returns
    -------
    tuple of GPUArray
        An array of int64 for each axis.

    Raises
    ------
    ValueError
        The array has no axes.

    Examples
    --------
    >>> gpuarray.nonzero(gpuarray.to_gpu(np.array([0, 5, 7])))[0].get().tolist()
    [1, 2]
    """
    if a.ndim == 0:
        raise ValueError("nonzero: expected an array with axes, given one of shape ()")
    rest = _operations.call("flatnonzero", (a,), stream=stream)
    along = []
    for length in a.shape[:0:-1]:
        along.append(_operations.operate("mod", rest, length, stream=stream))
        rest = _operations.operate("floor_div", rest, length, stream=stream)
    return (rest, *along[::-1])


@described
def matmul(a, b, out=None, stream=None):
    """Return the product of two matrices, or of a matrix and a vector.

    Large products use cuBLAS if it is installed.

    Parameters
    ----------
    a : GPUArray
        A matrix or vector.
    b : GPUArray
        A matrix or vector.

    Returns
    -------
    GPUArray
        The product, in the common dtype.

    Raises
    ------
    ValueError
        The shapes do not fit.

    Examples
    --------
    >>> m = gpuarray.arange(4, dtype=np.float32).reshape(2, 2)
    >>> gpuarray.matmul(m, m).get().tolist()
    [[2.0, 3.0], [6.0, 11.0]]
    """
    if out is None:
        return _operations.call("matmul", (a, b), stream=stream)
    _operations.call("matmul_into", (out, a, b), stream=stream)
    return out
