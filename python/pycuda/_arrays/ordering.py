"""Running sums, sorting, and what is made of it; products of matrices."""

from pycuda._arrays import gather as _gather
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axis

__all__ = ["argsort", "cumprod", "cumsum", "matmul", "nonzero", "sort", "unique"]

_SUM, _PRODUCT = 0, 1  # as the core's Scan


def _along(a, axis):
    """The array and the axis that `axis` stands for: of None, all elements in C order along one."""
    if axis is not None:
        return a, normalise_axis(axis, len(a.shape))
    return (a if a.ndim == 1 else _operations.call("flat", (a,))), 0


def _cumulative(scan, a, dtype, axis, out, stream):
    a, axis = _along(a, axis)
    if out is None:
        out = _operations.new_array(a.shape, a.dtype if dtype is None else dtype, allocator=a.allocator)
    elif out.shape != a.shape:
        raise ValueError(f"out must have shape {a.shape}, not {out.shape}")
    if out.size:
        _operations.call("scan_into", (out, a), (scan, axis), stream)
    return out


def cumsum(a, axis=None, dtype=None, out=None, stream=None):
    """The sums of the elements up to each: of all, in C order and one dimension, or along `axis`. Of the dtype of `a` unless given."""
    return _cumulative(_SUM, a, dtype, axis, out, stream)


def cumprod(a, axis=None, dtype=None, out=None, stream=None):
    """The products, like cumsum."""
    return _cumulative(_PRODUCT, a, dtype, axis, out, stream)


def sort(a, axis=-1, keys=None, stream=None):
    """A copy sorted along `axis`, ascending and stable, NaN last; with None in one dimension. By `keys`, of one shape, if given."""
    if keys is not None:
        if a.ndim != 1 or keys.shape != a.shape:
            raise ValueError(f"sorting by keys needs arrays of one dimension and shape, given {a.shape} and {keys.shape}")
        return _gather.take(a, argsort(keys, stream=stream), stream=stream)
    a, axis = _along(a, axis)
    return _operations.call("sorted", (a,), (axis,), stream)


def argsort(a, axis=-1, stream=None):
    """Where in `a` the elements of sort(a, axis) are, int64."""
    a, axis = _along(a, axis)
    return _operations.call("sorted_places", (a,), (axis,), stream)


def unique(a, stream=None):
    """The different elements, ascending."""
    return _operations.call("distinct", (a,), stream=stream)


def nonzero(a, stream=None):
    """Where `a` is not zero, in C order: a tuple of int64 arrays, one an axis."""
    if a.ndim == 0:
        raise ValueError("nonzero: expected an array with axes, given one of shape ()")
    places = _operations.call("places_nonzero", (a,), stream=stream)
    along = []
    for length in a.shape[:0:-1]:
        along.append(_operations.operate("mod", places, length, stream=stream))
        places = _operations.operate("floor_div", places, length, stream=stream)
    return (places, *along[::-1])


def matmul(a, b, out=None, stream=None):
    """The product of matrices, the last two axes; of a matrix and a vector, on either side. Large ones are cuBLAS's, if it is installed."""
    if out is None:
        return _operations.call("matrix_product", (a, b), stream=stream)
    _operations.call("matrix_product_into", (out, a, b), stream=stream)
    return out
