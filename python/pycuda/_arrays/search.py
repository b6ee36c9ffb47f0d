"""Searches in ascending elements, and membership."""

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.creation import asarray

__all__ = ["FUNCTIONS", "searchsorted"]


def searchsorted(ordered, wanted, side="left"):
    """The indices, int64, at which elements would be inserted into ascending elements of one axis."""
    if side not in ("left", "right"):
        raise ValueError(f"expected side 'left' or 'right', given {side!r}")
    return _operations.call("search_sorted", (ordered, wanted), (side == "right",))


def _searchsorted(a, v, side="left", sorter=None):
    return searchsorted(a if sorter is None else _operations.call("taken", (a, asarray(sorter))), asarray(v), side)


def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    return _operations.call("is_in", (asarray(element), asarray(test_elements)), (bool(invert),))


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.searchsorted: _searchsorted, np.isin: _isin}
