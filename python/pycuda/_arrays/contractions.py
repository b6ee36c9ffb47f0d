"""Einstein sums: the core reads subscripts; lists of axes become such text here."""

import operator
import string
from collections.abc import Iterable

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import into, output_of
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.operands import is_scalar
from pycuda._arrays.operations import is_array

__all__ = ["einsum"]


def einsum(*operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """NumPy's einsum. The order of the products is that of the operands."""
    if not operands:
        raise TypeError("einsum: expected subscripts such as 'ij,jk->ik' and GPUArrays, or GPUArrays each with a list of axes")
    subscripts, *arrays = operands if isinstance(operands[0], str) else _as_text(operands)
    arrays = [to_gpu(np.asarray(array)) if is_scalar(array) else _operations.of_lists(array) for array in arrays]
    for array in arrays:
        if not is_array(array):
            raise TypeError(f"einsum: expected GPUArrays, given {type(array).__name__}; copy it with gpuarray.to_gpu()")
    if not arrays:
        raise ValueError(f"einsum: expected an operand for each part of {subscripts!r}, given none")
    if out is not None and dtype is None:  # NumPy computes in the common dtype
        dtype = np.result_type(*(array.dtype for array in arrays), output_of(out).dtype)
    return into(out, _operations.call("einsum", tuple(arrays), (dtype, False, *subscripts.encode("ascii", "replace"))), casting=casting)


def _as_text(operands):
    """Operands, each followed by a list of axes (numbers up to 51, and Ellipsis), and optionally the result's axes at the end."""
    if len(operands) < 2:
        raise TypeError("einsum: expected GPUArrays, each with a list of axes")
    lists = [_text_of(axes) for axes in operands[1::2]]
    result = "->" + _text_of(operands[-1]) if len(operands) % 2 else ""
    return ",".join(lists) + result, *operands[:len(lists) * 2:2]


def _text_of(axes):
    if isinstance(axes, (str, bytes)) or not isinstance(axes, Iterable):
        raise TypeError(f"einsum: expected a list of axes, given {axes!r}")
    text = ""
    for axis in axes:
        if axis is not Ellipsis and not 0 <= operator.index(axis) < len(string.ascii_letters):
            raise ValueError(f"einsum: expected axes from 0 to {len(string.ascii_letters) - 1}, given {axis}")
        text += "..." if axis is Ellipsis else (string.ascii_uppercase + string.ascii_lowercase)[axis]
    return text
