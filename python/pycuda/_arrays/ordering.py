"""Running sums, sorting, and what is made of it."""

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import packed_copy
from pycuda._arrays.indexing import normalise_axis
from pycuda._arrays.operators import elementwise

__all__ = ["argsort", "cumprod", "cumsum", "matmul", "nonzero", "sort", "unique"]


def _cumulative(name, a, dtype, axis, out, stream):
    from pycuda.gpuarray import GPUArray

    if axis is None:
        if a.ndim != 1:
            a = _operations.in_c_order(a)
        axis = 0
    axis = normalise_axis(axis, len(a.shape))
    if out is None:
        out = GPUArray(a.shape, a.dtype if dtype is None else dtype, allocator=a.allocator)
    elif out.shape != a.shape:
        raise ValueError(f"out must have shape {a.shape}, not {out.shape}")
    if out.size:
        _operations.call(name, (out, a), (axis,), stream)
    return out


def cumsum(a, axis=None, dtype=None, out=None, stream=None):
    """Return the cumulative sums of the elements.

    Parameters
    ----------
    a : GPUArray
        The array.
    axis : int, optional
        The axis; None: all elements, in C order and one dimension.
    dtype : dtype, optional
        dtype of the result; None: the dtype of the operand.
    out : GPUArray, optional
        Array to write the result to, of the result's shape; None: a new array.
    stream : Stream, optional
        The stream to run on; None is the default stream.

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
    return _cumulative("cumulative_sum", a, dtype, axis, out, stream)


def cumprod(a, axis=None, dtype=None, out=None, stream=None):
    """Return the cumulative products of the elements.

    Parameters
    ----------
    a : GPUArray
        The array.
    axis : int, optional
        The axis; None: all elements, in C order and one dimension.
    dtype : dtype, optional
        dtype of the result; None: the dtype of the operand.
    out : GPUArray, optional
        Array to write the result to, of the result's shape; None: a new array.
    stream : Stream, optional
        The stream to run on; None is the default stream.

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
    return _cumulative("cumulative_product", a, dtype, axis, out, stream)


def _rows(a, axis):
    """A packed copy whose last axis is `axis`, and how its axes are to be permuted back; of None one dimension."""
    if axis is None:
        return packed_copy(a).reshape(a.size), None
    axis = normalise_axis(axis, len(a.shape))
    order = [k for k in range(len(a.shape)) if k != axis] + [axis]
    return packed_copy(a.transpose(order)), None if order == sorted(order) else tuple(int(k) for k in np.argsort(order))


def sort(a, axis=-1, keys=None, stream=None):
    """Return a sorted copy. The order is ascending and stable, with NaN last.

    Parameters
    ----------
    a : GPUArray
        The array.
    axis : int, optional
        The axis to sort along; None: one dimension.
    keys : GPUArray, optional
        Array of the same shape to sort by; None: the elements.
    stream : Stream, optional
        The stream to run on; None is the default stream.

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
        from pycuda._arrays.gather import take

        if a.ndim != 1 or keys.shape != a.shape:
            raise ValueError(f"sorting by keys needs arrays of one dimension and shape, given {a.shape} and {keys.shape}")
        return take(a, argsort(keys, stream=stream), stream=stream)
    rows, back = _rows(a, axis)
    if rows.size:
        _operations.call("sort", (rows, None, rows), stream=stream)
    return rows if back is None else rows.transpose(back)


def argsort(a, axis=-1, stream=None):
    """Return the indices that sort an array.

    Parameters
    ----------
    a : GPUArray
        The array.
    axis : int, optional
        The axis to sort along; None: one dimension.
    stream : Stream, optional
        The stream to run on; None is the default stream.

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
    from pycuda.gpuarray import GPUArray

    rows, back = _rows(a, axis)
    places = GPUArray(rows.shape, np.int64, allocator=a.allocator)
    if rows.size:
        _operations.call("sort", (None, places, rows), stream=stream)
    return places if back is None else places.transpose(back)


def unique(a, stream=None):
    """Return the distinct elements, in ascending order.

    Parameters
    ----------
    a : GPUArray
        The array.
    stream : Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    GPUArray
        A one-dimensional array.

    Examples
    --------
    >>> gpuarray.unique(gpuarray.to_gpu(np.array([3, 1, 3]))).get().tolist()
    [1, 3]
    """
    from pycuda.gpuarray import GPUArray

    _operations.call("prepare_distinct", (a,))
    ordered = sort(a, None, stream=stream)
    if not ordered.size:
        return ordered
    mask = GPUArray(ordered.shape, np.bool_, allocator=a.allocator)
    _operations.call("mark_first", (mask, ordered), stream=stream)
    return _operations.compress(ordered, mask, stream)


def nonzero(a, stream=None):
    """Return the indices of the elements that are not zero, in C order.

    Parameters
    ----------
    a : GPUArray
        The array.
    stream : Stream, optional
        The stream to run on; None is the default stream.

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
    from pycuda.gpuarray import GPUArray

    if a.ndim == 0:
        raise ValueError("nonzero: expected an array with axes, given one of shape ()")
    flat = _operations.in_c_order(a)
    _operations.call("prepare_selection", (None, flat))
    places = GPUArray((_operations.count_nonzero(flat, stream),), np.int64, allocator=a.allocator)
    if places.size:
        _operations.call("nonzero", (places, flat), stream=stream)
    along = []
    for length in a.shape[:0:-1]:
        along.append(elementwise("mod", places.dtype, places, length, stream=stream))
        places = elementwise("floor_div", places.dtype, places, length, stream=stream)
    return (places, *along[::-1])


def matmul(a, b, out=None, stream=None):
    """Return the product of two matrices, or of a matrix and a vector.

    Large products use cuBLAS if it is installed.

    Parameters
    ----------
    a : GPUArray
        A matrix or vector.
    b : GPUArray
        A matrix or vector.
    out : GPUArray, optional
        Array to write the result to, of the result's shape; None: a new array.
    stream : Stream, optional
        The stream to run on; None is the default stream.

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
    from pycuda._arrays import matrices

    return matrices.matmul(a, b, out, stream)
