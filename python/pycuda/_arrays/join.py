"""Joins of arrays."""

import numpy as np

from pycuda._arrays import copies as _copies
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.operands import is_scalar, kind_of

__all__ = ["concatenate", "joined", "stack"]


def _answers_of(arrays):
    """Joined masks are a mask; masks joined with other arrays are numbers."""
    answers = [array._answers for array in arrays]
    return min(answers) and max(answers)


def _is_number(dtype):
    """Whether the device can compute with the dtype: not with NumPy's long double, nor with structures."""
    return kind_of(dtype) in "biufc" and dtype.char not in "gG"


def concatenate(arrays, axis=0, allocator=None):
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays : iterable of GPUArray
        Arrays that agree in all other lengths.
    axis : int, optional
        The axis; None: join all elements in one dimension.
    allocator : callable, optional
        @allocator

    Returns
    -------
    GPUArray
        The new array, in C order and NumPy's common dtype.

    Raises
    ------
    ValueError
        The shapes do not fit, or there is no array.
    TypeError
        An argument is not a GPUArray.

    Examples
    --------
    >>> a = gpuarray.arange(2, dtype=np.int32)
    >>> gpuarray.concatenate([a, a]).get().tolist()
    [0, 1, 0, 1]
    """
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    for array in arrays:
        if not _operations.is_array(array):
            raise TypeError(f"concatenate: expected GPUArrays, given {type(array).__name__}")
    if axis is None:
        arrays, axis = [array.flatten() for array in arrays], 0
    first = arrays[0]
    if not first.shape:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normalise_axis(axis, first.ndim)
    for number, array in enumerate(arrays[1:], 1):
        if array.shape == first.shape and array.dtype is first.dtype:
            continue  # the usual case
        if array.dtype != first.dtype and not (_is_number(array.dtype) and _is_number(first.dtype)):
            raise TypeError(f"arrays of {first.dtype} and {array.dtype} cannot be joined")
        if array.ndim != first.ndim or any(a != b for k, (a, b) in enumerate(zip(array.shape, first.shape)) if k != axis):
            raise ValueError(f"expected arrays of one shape, except along axis {axis}: array 0 has shape {first.shape}, array {number} has shape {array.shape}")
    result = _operations.call("concatenate", tuple(arrays), (axis,), allocator=allocator)
    result._answers = _answers_of(arrays)
    return result


def stack(arrays, axis=0, allocator=None):
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : iterable of GPUArray
        Arrays of one shape.
    axis : int, optional
        Index of the new axis.
    allocator : callable, optional
        @allocator

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    ValueError
        The shapes differ, or there is no array.

    Examples
    --------
    >>> a = gpuarray.arange(2, dtype=np.int32)
    >>> gpuarray.stack([a, a]).shape
    (2, 2)
    """
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        raise ValueError(f"all arrays must have the same shape, given {[array.shape for array in arrays]}")
    axis = normalise_axis(axis, len(shape) + 1)
    for array in arrays:
        if array.dtype != arrays[0].dtype and not (_is_number(array.dtype) and _is_number(arrays[0].dtype)):
            raise TypeError(f"arrays of {arrays[0].dtype} and {array.dtype} cannot be joined")
    result = _operations.call("stack", tuple(arrays), (axis, axis != 0), allocator=allocator)
    result._answers = _answers_of(arrays)
    return result


def joined(name, join, arrays, axis, out, dtype, casting):
    """join(arrays, axis) as NumPy's functions do: in the common dtype, in `dtype` or in that of `out`, if `casting` permits the conversions to it."""
    if out is not None and dtype is not None:
        raise TypeError(f"{name}: expected out= or dtype=, given both")
    arrays = [array if _operations.is_array(array) else _operations.of_lists([array])[0] if is_scalar(array) else _operations.of_lists(array) for array in arrays]
    if out is None and dtype is None and casting == "same_kind" and len({getattr(array, "dtype", None) for array in arrays}) == 1:
        return join(arrays, axis)  # nothing is converted
    if arrays and all(map(_operations.is_array, arrays)):
        target = dtype if dtype is not None else out.dtype if out is not None else np.result_type(*(array.dtype for array in arrays))
        for array in arrays:
            if not np.can_cast(array.dtype, target, casting):
                raise TypeError(f"{name}: {array.dtype} cannot be converted to {np.dtype(target)} with casting={casting!r}")
        if dtype is not None:
            arrays = [array.astype(dtype, copy=False) for array in arrays]
    return _copies.into(out, join(arrays, axis), casting="unsafe")  # which was checked for each array
