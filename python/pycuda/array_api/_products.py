"""Products of vectors, matrices and tensors."""

import operator

from pycuda import gpuarray
from pycuda._arrays import operations as _operations
from pycuda._arrays.axes import normalise_axis
from pycuda.array_api._array import in_dtype, wrap
from pycuda.array_api._dtypes import isdtype, result_type

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def of_one_dtype(name, x1, x2):
    """Both as arrays of their common dtype; TypeError if that is not numeric."""
    dtype = result_type(x1, x2)
    if not isdtype(dtype, "numeric"):
        raise TypeError(f"{name}: expected arrays of numbers, given {x1.dtype} and {x2.dtype}")
    return [in_dtype(x, dtype) for x in (x1, x2)]


def matmul(x1, x2, /):
    """Return the product of the matrices in the last two axes, or of a matrix and a vector; the other axes broadcast."""
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul: expected arrays with axes")
    x1, x2 = of_one_dtype("matmul", x1, x2)
    if x1.shape[-1] != x2.shape[-2 if x2.ndim > 1 else 0]:
        raise ValueError(f"matmul: expected as many rows in the second operand as columns in the first, given shapes {x1.shape} and {x2.shape}")
    return wrap(gpuarray.matmul(x1, x2))


def matrix_transpose(x, /):
    """Return a view with the last two axes exchanged."""
    return x.mT


def vecdot(x1, x2, /, *, axis=-1):
    """Return the sums of products along an axis, with the elements of x1 conjugated; other axes broadcast."""
    return wrap(_operations.call("vecdot", tuple(of_one_dtype("vecdot", x1, x2)), (operator.index(axis),)))


def tensordot(x1, x2, /, *, axes=2):
    """Return the sums of products along pairs of axes: the last `axes` axes of x1 and the first of x2, or two sequences of axes."""
    if isinstance(axes, int):
        first, second = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        first, second = ([normalise_axis(k, x.ndim) for k in each] for x, each in zip((x1, x2), axes))
    if [x1.shape[k] for k in first] != [x2.shape[k] for k in second]:
        raise ValueError(f"tensordot: expected axes of the same lengths, given {[x1.shape[k] for k in first]} and {[x2.shape[k] for k in second]}")
    return wrap(_operations.call("tensordot", tuple(of_one_dtype("tensordot", x1, x2)), (len(first), *first, *second)))
