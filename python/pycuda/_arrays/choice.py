"""Choices between arrays, entry by entry."""

import numpy as np

from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array, new_array, operate

__all__ = ["if_positive", "where", "minimum", "maximum", "clip", "logical_and", "logical_or", "logical_not"]


def if_positive(criterion, then_, else_, out=None, stream=None):
    """The entries of then_ where the criterion is positive, else those of else_. Both have one dtype and one shape."""
    if is_array(then_) and is_array(else_) and then_.dtype != else_.dtype:
        raise ValueError(f"then_ and else_ must have the same dtype, given {then_.dtype} and {else_.dtype}")
    return operate("if_positive", criterion, then_, else_, out=out, stream=stream)


def where(criterion, then_, else_, out=None, stream=None):
    """The entries of then_ where the criterion is not 0, else those of else_."""
    return operate("where", criterion, then_, else_, out=out, stream=stream)


def minimum(a, b, out=None, stream=None):
    """The smaller of both, entry by entry; the number beside a NaN."""
    return operate("fmin", a, b, out=out, stream=stream)


def maximum(a, b, out=None, stream=None):
    """The larger of both, entry by entry; the number beside a NaN."""
    return operate("fmax", a, b, out=out, stream=stream)


def _within(bound, dtype):
    """`bound`; a Python integer beyond those of an integer dtype as the nearest of them."""
    if dtype.kind not in "iu" or not isinstance(bound, int) or isinstance(bound, bool):
        return bound
    limits = np.iinfo(dtype)
    return min(max(bound, limits.min), limits.max)


def clip(a, a_min, a_max, out=None, stream=None):
    """Limit elements to [a_min, a_max], in NumPy's dtype for the array and the bounds. A bound may be None."""
    if a_min is None and a_max is None:
        raise ValueError("clip: expected at least one bound, given None twice")
    name = "minimum" if a_min is None else "maximum" if a_max is None else "clip"
    return operate(name, *(_within(bound, a.dtype) for bound in (a, a_min, a_max) if bound is not None), out=out, stream=stream)


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
    return operate(name, *operands, out=out, converts=False)


def logical_and(x1, x2, /, out=None, *, allocator=None):
    """Whether both are not zero, entry by entry, as bool."""
    return _logical("logical_and", (x1, x2), out, allocator)


def logical_or(x1, x2, /, out=None, *, allocator=None):
    """Whether one of both is not zero, entry by entry, as bool."""
    return _logical("logical_or", (x1, x2), out, allocator)


def logical_not(x, /, out=None, *, allocator=None):
    """Whether each entry is zero, as bool."""
    return _logical("logical_not", (x,), out, allocator)
