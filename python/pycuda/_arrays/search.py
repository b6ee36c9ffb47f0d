"""Searches in ascending elements, and membership."""

import numpy as np

from pycuda._arrays import complex_order as _complex_order
from pycuda._arrays import join as _join
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.creation import asarray
from pycuda._arrays.operations import is_array

__all__ = ["FUNCTIONS", "searchsorted", "unique"]


def searchsorted(ordered, wanted, side="left"):
    """The indices, int64, at which elements would be inserted into ascending elements of one axis."""
    if side not in ("left", "right"):
        raise ValueError(f"expected side 'left' or 'right', given {side!r}")
    if "c" in (ordered.dtype.kind, wanted.dtype.kind):
        if ordered.ndim != 1:
            raise ValueError(f"searchsorted: expected an array of one axis, given shape {ordered.shape}")
        return _complex_order.searched(ordered, wanted, side == "right")
    return _operations.call("searchsorted", (ordered, wanted), (side == "right",))


def _searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        host = None if is_array(sorter) else np.asarray(sorter)  # on the device, wrong indices are clamped
        sorter = asarray(sorter)
        if sorter.dtype.kind not in "iu":
            raise TypeError(f"searchsorted: expected integers as sorter, given {sorter.dtype}")
        if sorter.shape != a.shape:
            raise ValueError(f"searchsorted: expected a sorter of shape {a.shape}, given {sorter.shape}")
        if host is not None and host.size and not 0 <= host.min() <= host.max() < host.size:
            raise ValueError(f"searchsorted: expected a sorter of indices below {host.size}, given {host.min()} to {host.max()}")
        a = _operations.call("take", (a, sorter))
    return searchsorted(a, asarray(v), side)


def _isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: expected kind None, 'sort' or 'table', given {kind!r}")
    element, test_elements = asarray(element), asarray(test_elements)
    if kind == "table" and not {element.dtype.kind, test_elements.dtype.kind} <= set("biu"):
        raise ValueError(f"isin: expected integers or bool for kind 'table', given {element.dtype} and {test_elements.dtype}")
    return _operations.call("isin", (element, test_elements), (bool(invert),))


def unique(ar, return_index=False, return_inverse=False, return_counts=False, *, equal_nan=True, sorted=True):
    """The distinct elements, always sorted, and the indices of the first of each, the index among them of each element, and their counts."""
    if equal_nan and not (return_index or return_inverse or return_counts):
        return _ordering.unique(ar)
    values, first, inverse, counts = _operations.call("unique_all", (ar,))
    if equal_nan and ar.dtype.kind in "fc":  # NaN is last; each counts as distinct here
        nans = int(_reductions.sum(_operations.operate("isnan", values), dtype=np.int64).get())
        if nans > 1:
            end = values.size - nans
            of_nan = _reductions.sum(counts[end:]).reshape(1)
            values, first, inverse = values[:end + 1].copy(), first[:end + 1].copy(), _operations.operate("minimum", inverse, end)
            counts = _join.concatenate([counts[:end], of_nan])
    results = (values, *(part for part, is_wanted in ((first, return_index), (inverse, return_inverse), (counts, return_counts)) if is_wanted))
    return results if len(results) > 1 else values


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.searchsorted: _searchsorted, np.isin: _isin}
