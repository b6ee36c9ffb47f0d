"""Sets: elements without duplicates."""

from pycuda._arrays import operations as _operations
from pycuda._arrays.numpys.sets import UniqueAllResult, UniqueCountsResult, UniqueInverseResult
from pycuda.array_api._array import converted, wrap
from pycuda.array_api._dtypes import is_python_number

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


def unique_values(x, /):
    """Return the distinct elements, ascending; each NaN counts as distinct."""
    return unique_all(x).values


def unique_all(x, /):
    """Return the distinct elements, ascending, the index of the first of each, the index among them of each element of x, and their counts."""
    return UniqueAllResult(*map(wrap, _operations.call("unique_all", (x,))))


def unique_counts(x, /):
    """Return the distinct elements, ascending, and their counts."""
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x, /):
    """Return the distinct elements, ascending, and the index among them of each element of x."""
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def isin(x1, x2, /, *, invert=False):
    """Return whether each element of x1 is in x2 or, with `invert`, is not, as bool."""
    from pycuda.array_api import asarray, result_type

    dtype = result_type(x1, x2)
    x1, x2 = (asarray(x, dtype=dtype) if is_python_number(x) else converted(x, dtype) for x in (x1, x2))
    return wrap(_operations.call("isin", (x1, x2), (bool(invert),)))
