"""Reductions of arrays: sums, extrema, products, along all axes or some."""

import builtins

import numpy as np

from pycuda import _array_operations as _operations
from pycuda import reduction as _kernels
from pycuda._array_indexing import normalise_axes
from pycuda.compyte.array import get_common_dtype

__all__ = [
    "all", "any", "argmax", "argmin", "cumsum", "dot", "matmul", "max", "mean", "min", "prod", "sort", "subset_dot", "subset_max",
    "subset_min", "subset_sum", "sum", "unique",
]


def _result(a, dtype, axis, keepdims, allocator):
    from pycuda.gpuarray import GPUArray

    axes = normalise_axes(axis, len(a.shape))
    if keepdims:
        shape = tuple(1 if k in axes else length for k, length in enumerate(a.shape))
    else:
        shape = tuple(length for k, length in enumerate(a.shape) if k not in axes)
    return axes, GPUArray(shape, dtype, allocator=a.allocator if allocator is None else allocator)


def _reduce(name, a, dtype, axis, keepdims, stream, allocator=None):
    axes, result = _result(a, dtype, axis, keepdims, allocator)
    _operations.reduce(name, result, a, axes, stream)
    return result


def sum(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The sum of all entries as a 0-d array, in the dtype of `a` unless `dtype` is given; along `axis`, an array of sums."""
    return _reduce("sum", a, a.dtype if dtype is None else np.dtype(dtype), axis, keepdims, stream, allocator)


def prod(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The product, like sum."""
    return _reduce("prod", a, a.dtype if dtype is None else np.dtype(dtype), axis, keepdims, stream, allocator)


def mean(a, dtype=None, stream=None, allocator=None, axis=None, keepdims=False):
    """The mean; of integers in float64."""
    if dtype is None:
        dtype = a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)
    result = _reduce("sum", a, np.dtype(dtype), axis, keepdims, stream, allocator)
    count = a.size // builtins.max(result.size, 1)
    _operations.apply("true_div", result, result, float(count), stream=stream)
    return result


def any(a, stream=None, allocator=None, axis=None, keepdims=False):
    """Whether an entry is not zero, as a 0-d array of bool."""
    return _reduce("any", a, np.dtype(np.bool_), axis, keepdims, stream, allocator)


def all(a, stream=None, allocator=None, axis=None, keepdims=False):
    """Whether no entry is zero, as a 0-d array of bool."""
    return _reduce("all", a, np.dtype(np.bool_), axis, keepdims, stream, allocator)


def _extremum(name, a, stream, axis, keepdims):
    if a.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected an array of real numbers, given dtype {a.dtype}")
    return _reduce(name, a, a.dtype, axis, keepdims, stream)


def min(a, stream=None, axis=None, keepdims=False):
    """The least entry that is a number, as a 0-d array."""
    return _extremum("min", a, stream, axis, keepdims)


def max(a, stream=None, axis=None, keepdims=False):
    """The largest entry that is a number, as a 0-d array."""
    return _extremum("max", a, stream, axis, keepdims)


def argmin(a, stream=None, axis=None, keepdims=False):
    """Where the least entry is first: its place in C order, or along `axis`, which is one axis."""
    return _reduce("argmin", a, np.dtype(np.int64), axis, keepdims, stream)


def argmax(a, stream=None, axis=None, keepdims=False):
    """Where the largest entry is first, like argmin."""
    return _reduce("argmax", a, np.dtype(np.int64), axis, keepdims, stream)


def dot(a, b, dtype=None, stream=None, allocator=None):
    """The sum of products of all entries, without conjugation, as a 0-d array."""
    if a.shape != b.shape:
        if a.size != b.size:
            raise ValueError(f"dot: expected arrays of the same size, given {a.shape} and {b.shape}")
    dtype = get_common_dtype(a, b, True) if dtype is None else np.dtype(dtype)
    return _kernels.get_dot_kernel(dtype, a.dtype, b.dtype)(_packed(a), _packed(b), stream=stream, allocator=allocator)


def _packed(a):
    return a if a.flags.forc else a.copy()


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """The sum of the entries at the indices in `subset`."""
    return _kernels.get_subset_sum_kernel(None if dtype is None else np.dtype(dtype), subset.dtype, a.dtype)(
        subset, _packed(a), stream=stream, allocator=allocator)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """The sum of products of the entries at the indices in `subset`."""
    return _kernels.get_subset_dot_kernel(None if dtype is None else np.dtype(dtype), subset.dtype, a.dtype, b.dtype)(
        subset, _packed(a), _packed(b), stream=stream, allocator=allocator)


def subset_min(subset, a, stream=None):
    """The least of the entries at the indices in `subset`."""
    return _kernels.get_subset_minmax_kernel("min", a.dtype, subset.dtype)(subset, _packed(a), stream=stream)


def subset_max(subset, a, stream=None):
    """The largest of the entries at the indices in `subset`."""
    return _kernels.get_subset_minmax_kernel("max", a.dtype, subset.dtype)(subset, _packed(a), stream=stream)


def cumsum(a, dtype=None, stream=None):
    """The sums of the entries up to each, in C order, in one dimension."""
    result_dtype = a.dtype if dtype is None else np.dtype(dtype)
    flat = (a if a.flags.c_contiguous else a.flatten()).reshape(a.size)
    result = flat.astype(result_dtype, stream)
    if result.size:
        _operations.scan("sum", result, result, stream)
    return result


def sort(a, stream=None):
    """A sorted copy, in one dimension for 1-d arrays only."""
    if a.ndim != 1:
        raise ValueError(f"sort: expected an array of one dimension, given shape {a.shape}")
    result = a.copy()
    _operations.sort(result, stream)
    return result


def unique(a, stream=None):
    """The different entries, ascending."""
    from pycuda.gpuarray import GPUArray

    result = sort(a.flatten() if a.ndim != 1 else a, stream)
    count = _operations.unique(result, stream)
    return result[:count] if isinstance(result, GPUArray) else result


def matmul(a, b, out=None, stream=None):
    """The product of two matrices, or of a matrix and a vector. For small ones: large ones are cuBLAS's business (scikit-cuda)."""
    from pycuda._array_matmul import matmul as multiply

    return multiply(a, b, out, stream)
