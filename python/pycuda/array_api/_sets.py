"""Sets: elements without duplicates."""

from typing import NamedTuple

from pycuda._arrays import operations as _operations
from pycuda.array_api._array import Array, converted, flat
from pycuda.array_api._dtypes import bool as _bool
from pycuda.array_api._dtypes import int64, is_python_number
from pycuda.array_api._manipulation import concat, reshape
from pycuda.array_api._searching import argsort, nonzero, searchsorted, sort, take

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAll(NamedTuple):
    """Results of unique_all."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """Results of unique_counts."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Results of unique_inverse."""

    values: Array
    inverse_indices: Array


def _firsts(ordered):
    """A mask of the elements that differ from the one before."""
    if ordered.dtype.kind == "c" and ordered.size:
        return concat([Array((1,), _bool).fill(True), ordered[1:] != ordered[:-1]])
    mask = Array(ordered.shape, _bool)
    if ordered.size:
        _operations.call("mark_first", (mask, ordered))
    return mask


def _order(elements):
    """Where the elements of the ascending order are; complex numbers go by their real part first."""
    if elements.dtype.kind != "c":
        return argsort(elements)
    from pycuda.array_api._elementwise import imag, real

    order = argsort(imag(elements))
    return take(order, argsort(take(real(elements), order)))


def unique_values(x, /):
    """Return the different elements, ascending; each NaN is one of its own."""
    elements = flat(x)
    if not elements.size:
        return elements
    ordered = sort(elements) if elements.dtype.kind != "c" else take(elements, _order(elements))
    return ordered[_firsts(ordered)]


def unique_all(x, /):
    """Return the different elements, ascending, where each is first, which of them each element is, and how often each occurs."""
    elements = flat(x)
    order = _order(elements)
    ordered = take(elements, order) if elements.size else elements
    mask = _firsts(ordered)
    starts = nonzero(mask)[0]
    from pycuda.array_api._statistics import cumulative_sum

    inverse = Array(elements.shape, int64)
    if elements.size:
        inverse[order] = cumulative_sum(mask, dtype=int64) - 1
    ends = concat([starts[1:], Array((1,), int64).fill(elements.size)]) if elements.size else starts
    indices = take(order, starts) if elements.size else starts
    return UniqueAll(take(ordered, starts) if elements.size else ordered, indices, reshape(inverse, x.shape), ends - starts)


def unique_counts(x, /):
    """Return the different elements, ascending, and how often each occurs."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x, /):
    """Return the different elements, ascending, and which of them each element of x is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def isin(x1, x2, /, *, invert=False):
    """Return whether each element of x1 is in x2, as bool; or is not, with invert."""
    from pycuda.array_api import asarray, full, result_type

    dtype = result_type(x1, x2)
    x1, x2 = (asarray(x, dtype=dtype) if is_python_number(x) else converted(x, dtype) for x in (x1, x2))
    if not x2.size or not x1.size:
        return full(x1.shape, bool(invert), dtype=_bool)
    ordered = sort(flat(x2))
    places = searchsorted(ordered, x1)
    from pycuda.array_api import minimum

    found = reshape(take(ordered, flat(minimum(places, ordered.size - 1))), x1.shape) == x1
    return ~found if invert else found
