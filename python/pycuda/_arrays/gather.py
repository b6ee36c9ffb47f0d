"""Gathering and scattering by arrays of indices, which are clamped, and by masks."""

from pycuda._arrays import operations as _operations
from pycuda._arrays.described import described
from pycuda._arrays.operands import kind_of

__all__ = ["compress", "expand", "is_mask", "take", "multi_take", "multi_take_put", "multi_put", "scatter"]


def _check_integers(name, indices):
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {indices.dtype}")


def _check_indices(name, indices):
    if indices.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {indices.ndim}")
    _check_integers(name, indices)


def _check_outputs(arrays, out, shape):
    if out is None:
        if shape is None:
            raise ValueError("expected out or dest_shape, given neither")
        return [_operations.new_array(shape, array.dtype, allocator=array.allocator) for array in arrays]
    out = list(out)
    if len(out) != len(arrays):
        raise ValueError(f"expected {len(arrays)} arrays as out, given {len(out)}")
    for result, array in zip(out, arrays):
        if result.dtype != array.dtype:
            raise ValueError(f"out must have dtype {array.dtype}, not {result.dtype}")
    return out


@described
def take(a, indices, out=None, stream=None):
    """Return the elements of an array at some indices.

    The array is treated as one-dimensional, in memory order. Negative indices count from the end; out-of-range indices are clamped.

    Parameters
    ----------
    indices : GPUArray
        Integers, on the device.

    Returns
    -------
    GPUArray
        An array of the indices' shape.

    Raises
    ------
    TypeError
        The indices are not integers.

    Examples
    --------
    >>> a = gpuarray.to_gpu(np.array([10, 20, 30], np.int32))
    >>> gpuarray.take(a, gpuarray.to_gpu(np.array([2, 0], np.int32))).get().tolist()
    [30, 10]
    """
    return multi_take([a], indices, None if out is None else [out], stream)[0]


def multi_take(arrays, indices, out=None, stream=None):
    """Return the elements of several arrays at some indices: `take` for each.

    Parameters
    ----------
    arrays : iterable of GPUArray
        The arrays.
    indices : GPUArray
        Integers, on the device.
    out : iterable of GPUArray, optional
        Arrays to write the results to; None: new arrays.
    stream : Stream, optional
        @stream

    Returns
    -------
    list of GPUArray
        Arrays of the indices' shape.

    Raises
    ------
    TypeError
        The indices are not integers.
    """
    arrays = list(arrays)
    if not arrays:
        return []
    _check_integers("indices", indices)
    results = _check_outputs(arrays, out, indices.shape)
    for array, result in zip(arrays, results):
        if result.size != indices.size:
            raise ValueError(f"out must have {indices.size} elements, not {result.size}")
        if indices.size:
            _operations.call("take_into", (result, array, indices), stream=stream)
        result._answers = array._answers
    return results


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None):
    """Copy elements: for each array, ``out[dest_indices[i]] = array[src_indices[i] + offset]``.

    Elements of `out` that no index names keep their values. With duplicate indices, which value wins is unspecified.

    Parameters
    ----------
    arrays : iterable of GPUArray
        The arrays to read.
    dest_indices : GPUArray
        One-dimensional integers, on the device.
    src_indices : GPUArray
        One-dimensional integers of the same dtype and length.
    dest_shape : int or tuple of int, optional
        Shape of new results, if `out` is None.
    out : iterable of GPUArray, optional
        Arrays to write to; None: new arrays.
    stream : Stream, optional
        @stream
    src_offsets : iterable of int, optional
        An offset for each array; None: zeros.

    Returns
    -------
    list of GPUArray
        The arrays that were written.

    Raises
    ------
    ValueError
        Neither `out` nor `dest_shape` is given, or lengths differ.
    TypeError
        The indices are not integers of one dtype.
    """
    arrays = list(arrays)
    if not arrays:
        return []
    _check_indices("dest_indices", dest_indices)
    _check_indices("src_indices", src_indices)
    if dest_indices.dtype != src_indices.dtype:
        raise TypeError(f"dest_indices and src_indices must have the same dtype, given {dest_indices.dtype} and {src_indices.dtype}")
    if dest_indices.shape != src_indices.shape:
        raise ValueError(f"dest_indices and src_indices must have the same shape, given {dest_indices.shape} and {src_indices.shape}")
    offsets = [0] * len(arrays) if src_offsets is None else [int(offset) for offset in src_offsets]
    if len(offsets) != len(arrays):
        raise ValueError(f"expected {len(arrays)} offsets, one for each array, given {len(offsets)}")
    results = _check_outputs(arrays, out, dest_shape)
    for array, result, offset in zip(arrays, results, offsets):
        if dest_indices.size:
            _operations.call("take_put_into", (result, dest_indices, array, src_indices), (offset,), stream)
    return results


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """Copy elements: for each array, ``out[dest_indices[i]] = array[i]``.

    Elements of `out` that no index names keep their values. With duplicate indices, which value wins is unspecified.

    Parameters
    ----------
    arrays : iterable of GPUArray
        The arrays to read.
    dest_indices : GPUArray
        One-dimensional integers, on the device.
    dest_shape : int or tuple of int, optional
        Shape of new results, if `out` is None.
    out : iterable of GPUArray, optional
        Arrays to write to; None: new arrays.
    stream : Stream, optional
        @stream

    Returns
    -------
    list of GPUArray
        The arrays that were written.

    Raises
    ------
    ValueError
        Neither `out` nor `dest_shape` is given, or lengths differ.
    TypeError
        The indices are not integers.
    """
    arrays = list(arrays)
    if not arrays:
        return []
    _check_indices("dest_indices", dest_indices)
    results = _check_outputs(arrays, out, dest_shape)
    for array, result in zip(arrays, results):
        if array.size != dest_indices.size:
            raise ValueError(f"expected arrays of {dest_indices.size} elements, one for each index, given {array.size}")
        if dest_indices.size:
            _operations.call("put_into", (result, dest_indices, array), stream=stream)
    return results


def is_mask(index):
    """Whether an array used as an index is a mask: bool, floats, and results of comparisons of any dtype. Other integers are indices."""
    kind = kind_of(index.dtype)
    if kind in "bf" or index._answers == 1:
        return True
    if index._answers:
        raise IndexError(f"~ or + on comparisons, whose dtype is {index.dtype}, does not return a mask: combine and negate masks with & | ^, "
                         "logical_not() or astype(bool)")
    if kind not in "iu":
        raise IndexError(f"arrays of {index.dtype} cannot be used as indices: expected integers or a mask")
    return False


def scatter(a, indices, values):
    """a[indices] = values, for a one-dimensional array."""
    elements = _operations.new_array(indices.shape, a.dtype, allocator=a.allocator)
    elements[...] = values
    if indices.size:
        _operations.call("put_into", (a, indices, elements))


def _check_mask(ary, mask):
    if mask.shape != ary.shape:
        raise IndexError(f"boolean index of shape {mask.shape} does not match the array's shape {ary.shape}")


def compress(ary, mask, stream=None):
    """The elements of `ary` where `mask`, which has the same shape, is true, in one dimension."""
    _check_mask(ary, mask)
    result = _operations.call("selected", (ary, mask), stream=stream)
    result._answers = ary._answers
    return result


def expand(ary, mask, values, stream=None):
    """ary[mask] = values: an array with one element for each true element of the mask, or one number."""
    _check_mask(ary, mask)
    if not _operations.is_array(values) or values.size == 1:
        _operations.apply("where", ary, mask, values.reshape(()) if _operations.is_array(values) else values, ary, stream=stream)
        return
    values = values if values.dtype == ary.dtype else values.astype(ary.dtype, stream)
    _operations.call("assign_selected", (ary, mask, values), stream=stream)
