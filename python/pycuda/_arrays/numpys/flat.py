"""The elements of an array in C order, as ndarray's attribute `flat`."""

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.creation import arange
from pycuda._arrays.numpys.writing import put

__all__ = ["FlatElements"]


def _require_one_axis(index):
    if index is None or isinstance(index, tuple) and index:
        raise IndexError(f"flat: expected an integer, a slice, or integers or bools in one list or array, given {index!r}")


class FlatElements:
    """Elements that can be indexed and assigned to as if they had one dimension."""

    __slots__ = ("base",)

    def __init__(self, array):
        self.base = array

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return (self[k] for k in range(self.base.size))

    def copy(self):
        """Return the elements as a new array."""
        return self.base.flatten()

    def __getitem__(self, index):
        _require_one_axis(index)
        result = _operations.call("ravel", (self.base,))[index].copy()
        result.__class__ = type(self.base)
        return result

    def __setitem__(self, index, values):
        _require_one_axis(index)
        if isinstance(index, (int, np.integer)):
            put(self.base, [int(index)], values)
        else:
            put(self.base, arange(self.base.size, dtype=np.int64)[index], values)
