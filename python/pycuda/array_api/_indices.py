"""Indexing: integers and slices give views, arrays of bool and of integers copies."""

import numpy as np

from pycuda._arrays import indexing as _indexing
from pycuda.array_api._array import wrap
from pycuda.gpuarray import GPUArray

__all__ = ["get", "put"]


def _is_mask(index):
    if index.dtype.kind not in "biu":
        raise IndexError(f"expected integers or bool in an array of indices, given {index.dtype}")
    return index.dtype.kind == "b"


def get(array, index):
    """array[index]."""
    return wrap(_indexing.get(array, index, _is_mask))


def put(array, index, value):
    """array[index] = value."""
    if isinstance(value, (bool, int, float, complex, np.generic)):
        value = np.array(value, array.dtype)[()]
    elif not isinstance(value, GPUArray):
        from pycuda.array_api import asarray

        value = asarray(value, dtype=array.dtype)
    _indexing.put(array, index, value, _is_mask)
