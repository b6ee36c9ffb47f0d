"""Orders of elements: "C" and "F" by index, "K" as in memory, and "A", which is "F" for arrays in Fortran order and "C" for others."""

from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import packed_copy

__all__ = ["checked", "copied", "flattened", "raveled", "reshaped", "resolved"]


def checked(order, names="CFAK"):
    """The order's name in upper case; None is "C". ValueError unless it is one of `names`."""
    if order is None:
        return "C"
    name = order.upper() if isinstance(order, str) else order
    if not isinstance(name, str) or len(name) != 1 or name not in names:
        raise ValueError(f"expected order {', '.join(map(repr, names[:-1]))} or {names[-1]!r}, given {order!r}")
    return name


def resolved(ary, order, names="CFAK"):
    """The order of elements of this array: "C", "F" or "K"."""
    name = checked(order, names)
    return name if name != "A" else "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"


def copied(ary, order, stream=None):
    """A copy without gaps, with its elements in this order."""
    name = "K" if order is None else resolved(ary, order)
    if name == "K" or ary.ndim < 2:
        return packed_copy(ary, ary.strides, stream)
    return packed_copy(ary, None if name == "C" else range(1, ary.ndim + 1), stream)


def _seen(ary, order):
    """A view whose C order is this order of the array."""
    name = resolved(ary, order)
    if name == "C" or ary.ndim < 2:
        return ary
    axes = range(ary.ndim)[::-1] if name == "F" else sorted(range(ary.ndim), key=lambda axis: -abs(ary.strides[axis]))
    return _operations.transpose(ary, list(axes))


def _flat(call, ary, order):
    result = _operations.call(call, (_seen(ary, order),))
    result._answers = ary._answers
    return result


def flattened(ary, order):
    """A copy of the elements in one dimension."""
    return _flat("flatten", ary, order)


def raveled(ary, order):
    """The elements in one dimension, without a copy if possible; in C order a view, or RuntimeError."""
    return _operations.reshape(ary, -1, "C") if resolved(ary, order) == "C" else _flat("ravel", ary, order)


def reshaped(ary, shape, order, copy):
    """The elements, read and placed in C or Fortran order of their indices, in another shape; a view if possible, unless `copy`.

    ValueError if `copy` is False, and a view is not possible.
    """
    if not copy:
        try:
            return _operations.reshape(ary, shape, f"indices {order}")
        except RuntimeError:
            if copy is False:
                raise ValueError(f"copy=False, but reshaping this array in order {order!r} needs a copy") from None
    return _operations.reshape(copied(ary, order), shape, order)
