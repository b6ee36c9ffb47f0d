"""Gathering and scattering by arrays of indices."""

import numpy as np

from pycuda._arrays.elementwise_source import get_elwise_kernel
from pycuda.tools import ScalarArg, VectorArg, context_dependent_memoize, dtype_to_ctype, get_or_register_dtype

__all__ = ["take", "multi_take", "multi_take_put", "multi_put"]


@context_dependent_memoize
def _kernel(operation, dtype, idx_dtype):
    """function(dest, src, dest_idx, src_idx, offset, n), each index array where the operation has one."""
    return get_elwise_kernel(
        [VectorArg(dtype, "dest"), VectorArg(dtype, "src"), VectorArg(idx_dtype, "dest_idx"), VectorArg(idx_dtype, "src_idx"),
         ScalarArg(idx_dtype, "offset")],
        {"take": "dest[i] = src[src_idx[i]]", "put": "dest[dest_idx[i]] = src[i]",
         "take_put": "dest[dest_idx[i]] = src[src_idx[i] + offset]"}[operation], operation, preamble=_definition(dtype))


def _run(operation, result, source, dest_indices, src_indices, offset, stream):
    indices = src_indices if dest_indices is None else dest_indices
    if not indices.size:
        return
    # Entries are copied as they are: of whatever type has their size, so that structs need not be registered.
    dtype = _raw_dtype(source.dtype.itemsize)
    contiguous = [array if array is None or array.flags.forc else array.copy() for array in (source, dest_indices, src_indices)]
    source, dest_indices, src_indices = contiguous
    _kernel(operation, dtype, indices.dtype).prepared_async_call(
        indices._grid, indices._block, stream, result.gpudata, source.gpudata if source.size else 0,
        0 if dest_indices is None else dest_indices.gpudata, 0 if src_indices is None else src_indices.gpudata, offset, indices.size)


def _raw_dtype(itemsize):
    if itemsize in (1, 2, 4, 8):
        return np.dtype(f"u{itemsize}")
    return get_or_register_dtype(f"pycuda_bytes{itemsize}", np.dtype((np.void, itemsize)))


def _definition(dtype):
    if dtype.kind == "u":
        return ""
    word = next(size for size in (4, 2, 1) if dtype.itemsize % size == 0)  # the alignment that any allocation and view has
    return f"struct {dtype_to_ctype(dtype)} {{ {dtype_to_ctype(np.dtype(f'u{word}'))} words[{dtype.itemsize // word}]; }};"


def _check_contiguous(name, array):
    if not array.flags.forc:
        raise RuntimeError(f"{name} must be contiguous")
    return array


def _check_indices(name, indices):
    if indices.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {indices.ndim}")
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {indices.dtype}")


def _check_outputs(arrays, out, shape):
    from pycuda.gpuarray import GPUArray

    if out is None:
        return [GPUArray(shape, array.dtype, allocator=array.allocator) for array in arrays]
    out = list(out)
    if len(out) != len(arrays):
        raise ValueError(f"expected {len(arrays)} arrays as out, given {len(out)}")
    for result, array in zip(out, arrays):
        if result.dtype != array.dtype:
            raise ValueError(f"out must have dtype {array.dtype}, not {result.dtype}")
    return out


def take(a, indices, out=None, stream=None):
    """The entries of `a`, taken as one dimension, at the indices."""
    return multi_take([a], indices, None if out is None else [out], stream)[0]


def multi_take(arrays, indices, out=None, stream=None):
    """`take` from several arrays, as a list."""
    arrays = list(arrays)
    if not arrays:
        return []
    _check_indices("indices", indices)
    results = _check_outputs(arrays, out, indices.shape)
    for array, result in zip(arrays, results):
        if result.size != indices.size:
            raise ValueError(f"out must have {indices.size} entries, not {result.size}")
        _run("take", _check_contiguous("out", result), array, None, indices, 0, stream)
    return results


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None):
    """For each array, out[dest_indices[i]] = array[src_indices[i] + its offset]. What is not addressed stays as it was."""
    arrays = list(arrays)
    if not arrays:
        return []
    _check_indices("dest_indices", dest_indices)
    _check_indices("src_indices", src_indices)
    if dest_indices.dtype != src_indices.dtype:
        raise TypeError(f"dest_indices and src_indices must have the same dtype, given {dest_indices.dtype} and {src_indices.dtype}")
    if dest_indices.shape != src_indices.shape:
        raise ValueError(f"dest_indices and src_indices must have the same shape, given {dest_indices.shape} and {src_indices.shape}")
    if out is None and dest_shape is None:
        raise ValueError("expected out or dest_shape, given neither")
    offsets = [0] * len(arrays) if src_offsets is None else [int(offset) for offset in src_offsets]
    if len(offsets) != len(arrays):
        raise ValueError(f"expected {len(arrays)} offsets, one an array, given {len(offsets)}")
    results = _check_outputs(arrays, out, dest_shape)
    for array, result, offset in zip(arrays, results, offsets):
        _run("take_put", _check_contiguous("out", result), array, dest_indices, src_indices, offset, stream)
    return results


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """For each array, out[dest_indices[i]] = array[i]. What is not addressed stays as it was."""
    arrays = list(arrays)
    if not arrays:
        return []
    _check_indices("dest_indices", dest_indices)
    if out is None and dest_shape is None:
        raise ValueError("expected out or dest_shape, given neither")
    results = _check_outputs(arrays, out, dest_shape)
    for array, result in zip(arrays, results):
        if array.size != dest_indices.size:
            raise ValueError(f"expected arrays of {dest_indices.size} entries, one an index, given {array.size}")
        _run("put", _check_contiguous("out", result), array, dest_indices, None, 0, stream)
    return results
