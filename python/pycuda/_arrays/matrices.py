"""NumPy's functions of matrices that are views, sums and products of others."""

import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.axes import normalise_axis
from pycuda._arrays.copies import in_c_order, into
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array

__all__ = ["FUNCTIONS"]


def _checked(name, *arrays):
    arrays = [_operations.of_lists(array) for array in arrays]
    for array in arrays:
        if not is_array(array):
            raise TypeError(f"{name}: expected GPUArrays, given {type(array).__name__}; copy it with gpuarray.to_gpu()")
    return arrays


def _diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of the diagonals in the plane of two axes, along a last axis."""
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = normalise_axis(axis1, a.ndim), normalise_axis(axis2, a.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    others = [k for k in range(a.ndim) if k not in (first, second)]
    return _operations.call("diagonal", (a.transpose((*others, first, second)),), (operator.index(offset),))


def _trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    if dtype is None and out is None and a.dtype.kind in "biu":  # as NumPy's sum
        dtype = np.dtype(np.uint64 if a.dtype.kind == "u" else np.int64)
    return _reductions.sum(_diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def _rot90(m, k=1, axes=(0, 1)):
    """A view of the array rotated by k quarter turns, from the first axis towards the second."""
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = (normalise_axis(axis, m.ndim) for axis in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 2:
        return np.flip(m, (first, second))
    if turns == 0:
        return m[...]
    return np.swapaxes(np.flip(m, second), first, second) if turns == 1 else np.flip(np.swapaxes(m, first, second), second)


def _kron(a, b):
    a, b = _checked("kron", *(to_gpu(np.asarray(x)) if is_scalar(x) else x for x in (a, b)))
    ndim = max(a.ndim, b.ndim)
    one, other = ((1,) * (ndim - x.ndim) + x.shape for x in (a, b))
    wide = in_c_order(a).reshape(sum(((length, 1) for length in one), ()))
    narrow = in_c_order(b).reshape(sum(((1, length) for length in other), ()))
    return in_c_order(wide * narrow).reshape(tuple(x * y for x, y in zip(one, other)))


def _vdot(a, b, /):
    a, b = _checked("vdot", a, b)
    if a.size != b.size:
        raise ValueError(f"vdot: expected as many elements in both arrays, given {a.size} and {b.size}")
    return _reductions.dot(*(_operations.call("ravel", (x,)) for x in (a.conj() if a.dtype.kind == "c" else a, b)))


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.diagonal: _diagonal, np.trace: _trace, np.rot90: _rot90, np.kron: _kron, np.vdot: _vdot}
