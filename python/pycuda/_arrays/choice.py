"""Choices between arrays, element by element."""

import numpy as np

from pycuda._arrays.described import described
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array, new_array, of_lists, operate

__all__ = ["if_positive", "where", "minimum", "maximum", "clip", "logical_and", "logical_or", "logical_not"]


@described
def if_positive(criterion, then_, else_, out=None, stream=None):
    """Return elements of one array where a criterion is positive, else elements of another one.

    Parameters
    ----------
    criterion : GPUArray or number
        Numbers to compare with 0.
    then_ : GPUArray or number
        Elements where the criterion is positive.
    else_ : GPUArray or number
        Elements elsewhere.

    Returns
    -------
    GPUArray
        The chosen elements.

    Raises
    ------
    ValueError
        `then_` and `else_` have different dtypes.

    Examples
    --------
    >>> a = gpuarray.to_gpu(np.array([-1, 2], np.int32))
    >>> gpuarray.if_positive(a, a, 0 * a).get().tolist()
    [0, 2]
    """
    if is_array(then_) and is_array(else_) and then_.dtype != else_.dtype:
        raise ValueError(f"then_ and else_ must have the same dtype, given {then_.dtype} and {else_.dtype}")
    return operate("if_positive", criterion, then_, else_, out=out, stream=stream)


@described
def where(criterion, then_, else_, out=None, stream=None):
    """Return elements of one array where a criterion is not zero, else elements of another one.

    Parameters
    ----------
    criterion : GPUArray or number
        Numbers or bool.
    then_ : GPUArray or number
        Elements where the criterion is not zero.
    else_ : GPUArray or number
        Elements elsewhere.

    Returns
    -------
    GPUArray
        The chosen elements, in the common dtype.

    Raises
    ------
    TypeError
        No argument is a GPUArray.

    Examples
    --------
    >>> a = gpuarray.to_gpu(np.array([-1, 2], np.int32))
    >>> gpuarray.where(a > 0, a, 0).get().tolist()
    [0, 2]
    """
    return operate("where", criterion, then_, else_, out=out, stream=stream)


@described
def minimum(a, b, out=None, stream=None):
    """Return the smaller of each two elements; of a number and NaN, the number.

    Parameters
    ----------
    a : GPUArray or number
        The first operand: an array or a number.
    b : GPUArray or number
        The second operand: an array or a number.

    Returns
    -------
    GPUArray
        The minima, in the common dtype.

    Raises
    ------
    TypeError
        No argument is a GPUArray.

    Examples
    --------
    >>> gpuarray.minimum(gpuarray.arange(3, dtype=np.int32), 1).get().tolist()
    [0, 1, 1]
    """
    return operate("fmin", a, b, out=out, stream=stream)


@described
def maximum(a, b, out=None, stream=None):
    """Return the larger of each two elements; of a number and NaN, the number.

    Parameters
    ----------
    a : GPUArray or number
        The first operand: an array or a number.
    b : GPUArray or number
        The second operand: an array or a number.

    Returns
    -------
    GPUArray
        The maxima, in the common dtype.

    Raises
    ------
    TypeError
        No argument is a GPUArray.

    Examples
    --------
    >>> gpuarray.maximum(gpuarray.arange(3, dtype=np.int32), 1).get().tolist()
    [1, 1, 2]
    """
    return operate("fmax", a, b, out=out, stream=stream)


def _bounds(a, a_min, a_max):
    """The bounds; Python integers that limit nothing, because they are beyond the dtype, become the dtype's limits."""
    if a.dtype.kind in "iu":
        limits = np.iinfo(a.dtype)
        a_min = max(a_min, limits.min) if isinstance(a_min, int) else a_min
        a_max = min(a_max, limits.max) if isinstance(a_max, int) else a_max
    return a_min, a_max


@described
def clip(a, a_min, a_max, out=None, stream=None):
    """Limit elements to [a_min, a_max].

    Parameters
    ----------
    a_min : GPUArray or number
        Lower bound; None: no bound.
    a_max : GPUArray or number
        Upper bound; None: no bound.

    Returns
    -------
    GPUArray
        The limited elements, in NumPy's dtype for the array and the bounds.

    Raises
    ------
    ValueError
        Both bounds are None.
    OverflowError
        A lower bound is above the range of the dtype, or an upper bound below it.

    Examples
    --------
    >>> gpuarray.clip(gpuarray.arange(5, dtype=np.int32), 1, 3).get().tolist()
    [1, 1, 2, 3, 3]
    """
    if a_min is None and a_max is None:
        raise ValueError("clip: expected at least one bound, given None twice")
    if a_min is not None and a_max is not None and np.result_type(*(value.dtype if is_array(value) else value for value in (a, a_min, a_max))).kind == "c":
        return operate("minimum", operate("maximum", a, a_min, stream=stream), a_max, out=out, stream=stream)
    name = "minimum" if a_min is None else "maximum" if a_max is None else "clip"
    return operate(name, a, *(bound for bound in _bounds(a, a_min, a_max) if bound is not None), out=out, stream=stream)


def bounds_of(a_min, a_max, lower, upper):
    """The bounds of NumPy's clip(), given by either pair of names; lists are copied to the device. ValueError if both pairs are given."""
    a_min, a_max, lower, upper = (None if bound is getattr(np, "_NoValue", None) else of_lists(bound) for bound in (a_min, a_max, lower, upper))
    if (a_min is not None or a_max is not None) and (lower is not None or upper is not None):
        raise ValueError("clip: expected a_min and a_max, or min and max, given both")
    return lower if a_min is None else a_min, upper if a_max is None else a_max


def _logical(name, operands, out, allocator):
    for operand in operands:
        if not is_array(operand) and not is_scalar(operand):
            raise ValueError(f"{name}: expected GPUArrays and numbers, given {type(operand).__name__}")
    arrays = [operand for operand in operands if is_array(operand)]
    if not arrays:
        result = new_array((), np.bool_, allocator=allocator) if out is None else out
        return result.fill(bool(getattr(np, name)(*operands)))
    if out is None and allocator is not None:
        out = new_array(np.broadcast_shapes(*(array.shape for array in arrays)), np.bool_, allocator=allocator)
    return operate(name, *operands, out=out, casting="no")


def logical_and(x1, x2, /, out=None, *, allocator=None):
    """Return whether both elements are not zero.

    Parameters
    ----------
    x1 : GPUArray or number
        The first operand: an array or a number.
    x2 : GPUArray or number
        The second operand: an array or a number.
    out : GPUArray, optional
        @out
    allocator : callable
        @allocator

    Returns
    -------
    GPUArray
        An array of bool.

    Raises
    ------
    ValueError
        An operand is neither an array nor a number.

    Examples
    --------
    >>> a = gpuarray.arange(4, dtype=np.int32)
    >>> gpuarray.logical_and(a > 0, a < 3).get().tolist()
    [False, True, True, False]
    """
    return _logical("logical_and", (x1, x2), out, allocator)


def logical_or(x1, x2, /, out=None, *, allocator=None):
    """Return whether at least one of the two elements is not zero.

    Parameters
    ----------
    x1 : GPUArray or number
        The first operand: an array or a number.
    x2 : GPUArray or number
        The second operand: an array or a number.
    out : GPUArray, optional
        @out
    allocator : callable
        @allocator

    Returns
    -------
    GPUArray
        An array of bool.

    Raises
    ------
    ValueError
        An operand is neither an array nor a number.

    Examples
    --------
    >>> a = gpuarray.arange(4, dtype=np.int32)
    >>> gpuarray.logical_or(a < 1, a > 2).get().tolist()
    [True, False, False, True]
    """
    return _logical("logical_or", (x1, x2), out, allocator)


def logical_not(x, /, out=None, *, allocator=None):
    """Return whether each element is zero.

    Parameters
    ----------
    x : GPUArray or number
        The operand: an array or a number.
    out : GPUArray, optional
        @out
    allocator : callable
        @allocator

    Returns
    -------
    GPUArray
        An array of bool.

    Raises
    ------
    ValueError
        The operand is neither an array nor a number.

    Examples
    --------
    >>> gpuarray.logical_not(gpuarray.arange(3, dtype=np.int32)).get().tolist()
    [True, False, False]
    """
    return _logical("logical_not", (x,), out, allocator)
