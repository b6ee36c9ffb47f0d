"""Products of matrices."""

from pycuda._arrays import operations as _operations
from pycuda.compyte.array import get_common_dtype

__all__ = ["matmul"]


def _matrix(array, is_left):
    """A vector as a row on the left, as a column on the right."""
    if array.ndim == 2:
        return array
    return array[None, :] if is_left else array[:, None]


def matmul(a, b, out=None, stream=None):
    """The product of two matrices, or of a matrix and a vector, on either side."""
    if a.ndim not in (1, 2) or b.ndim not in (1, 2):
        raise ValueError(f"matmul: expected matrices and vectors, given shapes {a.shape} and {b.shape}")
    inner = a.shape[-1]
    if b.shape[0] != inner:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit: {inner} is not {b.shape[0]}")
    dtype = get_common_dtype(a, b, True)
    shape = a.shape[:-1] + b.shape[1:]
    if out is None:
        out = _operations.new_array(shape, dtype, allocator=a.allocator)
    elif out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise ValueError(f"matmul: out must be C-contiguous, of shape {shape} and dtype {dtype}")
    if out.size:
        a, b = _matrix(a, True), _matrix(b, False)
        _operations.call("matmul", (out.reshape(a.shape[0], b.shape[1]), a, b), stream=stream)
    return out
