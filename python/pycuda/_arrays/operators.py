"""Operators of arrays, with all that the native fast path leaves out: broadcasting, mixed types, foreign operands."""

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda.compyte.array import get_common_dtype

__all__ = [
    "absolute", "add", "bitwise_and", "bitwise_or", "bitwise_xor", "compare", "elementwise", "floor_divide", "invert", "left_shift",
    "multiply", "negative", "positive", "power", "remainder", "right_shift", "subtract", "true_divide", "unary",
]


def _gpuarray():
    from pycuda.gpuarray import GPUArray

    return GPUArray


def kind_of(dtype):
    """dtype.kind, of ml_dtypes' bfloat16 too, which NumPy takes for a structure."""
    return "f" if dtype.kind == "V" and dtype.name == "bfloat16" else dtype.kind


def is_scalar(value):
    """Numbers of Python and of NumPy, 0-d NumPy arrays too."""
    return isinstance(value, (int, float, complex, np.number, np.bool_)) or (isinstance(value, np.ndarray) and value.ndim == 0) or _is_bfloat16(value)


def _is_bfloat16(value):
    return isinstance(value, np.generic) and kind_of(value.dtype) == "f" and value.dtype.kind == "V"


def _as_scalar(value):
    value = value[()] if isinstance(value, np.ndarray) else value
    return float(value) if _is_bfloat16(value) else value


def type_of(operand):
    """The operand's dtype; of Python's numbers, which take an array's, their class."""
    return getattr(operand, "dtype", None) or (np.dtype(np.bool_) if isinstance(operand, bool) else type(operand))


def operands_of(*values):
    """The values with 0-d NumPy arrays as scalars; None when one of them is neither an array of ours nor a number."""
    cls = _gpuarray()
    if all(isinstance(value, cls) or is_scalar(value) for value in values):
        return [value if isinstance(value, cls) else _as_scalar(value) for value in values]
    return None


def result_array(dtype, operands, order="C"):
    """A new array for the result of an elementwise operation: like the first operand that has the result's shape."""
    cls = _gpuarray()
    arrays = [operand for operand in operands if isinstance(operand, cls)]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    for array in arrays:
        if array.shape == shape and array._is_dense:
            return array._new_like_me(dtype)
    for array in arrays:
        if array.shape == shape:
            return array._new_packed(dtype)
    return cls(shape, dtype, allocator=arrays[0].allocator)


def check_out(out, dtype, operands):
    """`out`, if it can take the result of the operands."""
    cls = _gpuarray()
    shape = np.broadcast_shapes(*(operand.shape for operand in operands if isinstance(operand, cls)))
    if not isinstance(out, cls):
        raise TypeError(f"out must be a GPUArray, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out must have shape {shape}, not {out.shape}")
    if dtype is not None and out.dtype != dtype:
        raise TypeError(f"out must have dtype {dtype}, not {out.dtype}")
    return out


def elementwise(name, dtype, *operands, out=None, stream=None):
    """out = operation(operands); a new array of `dtype` when `out` is not given."""
    out = result_array(dtype, operands) if out is None else check_out(out, None, operands)
    _operations.apply(name, out, *map(_operations.of_64_bits, operands), stream=stream)
    return out


def common_dtype(x, y):
    """The dtype that operators compute in."""
    return get_common_dtype(x, y, True)


def _binary(name, x, y, out):
    """NotImplemented for operands that are neither arrays of ours nor numbers."""
    operands = operands_of(x, y)
    if operands is None:
        return NotImplemented
    return elementwise(name, common_dtype(*operands), *operands, out=out)


def _integer(name, x, y, out, floating):
    operands = operands_of(x, y)
    if operands is None:
        return NotImplemented
    dtype = common_dtype(*operands)
    if kind_of(dtype) == "c" or (kind_of(dtype) == "f" and not floating):
        raise TypeError(f"'{name}' is not defined for dtype {dtype}")
    if dtype == np.bool_ and not name.startswith("bit_"):
        dtype = np.dtype(np.int8)
        operands = [operand.astype(dtype) if isinstance(operand, _gpuarray()) else int(operand) for operand in operands]
    return elementwise(name, dtype, *operands, out=out)


# ---- what the native type's operators end in


def add(x, y, out=None):
    return _binary("add", x, y, out)


def subtract(x, y, out=None):
    if all(isinstance(operand, bool) or getattr(operand, "dtype", None) == np.bool_ for operand in (x, y)):
        raise TypeError("bool arrays cannot be subtracted; use ^ or not_equal")
    return _binary("sub", x, y, out)


def multiply(x, y, out=None):
    return _binary("mul", x, y, out)


def true_divide(x, y, out=None):
    """The quotient; of integers C's integer division, as PyCUDA has it."""
    operands = operands_of(x, y)
    if operands is None:
        return NotImplemented
    dtype = common_dtype(*operands)
    return elementwise("div", np.dtype(np.int8) if dtype == np.bool_ else dtype, *operands, out=out)


def floor_divide(x, y, out=None):
    return _integer("floor_div", x, y, out, True)


def remainder(x, y, out=None):
    return _integer("mod", x, y, out, True)


def bitwise_and(x, y, out=None):
    return _integer("bit_and", x, y, out, False)


def bitwise_or(x, y, out=None):
    return _integer("bit_or", x, y, out, False)


def bitwise_xor(x, y, out=None):
    return _integer("bit_xor", x, y, out, False)


def left_shift(x, y, out=None):
    return _integer("shift_left", x, y, out, False)


def right_shift(x, y, out=None):
    return _integer("shift_right", x, y, out, False)


def power(x, y, out=None):
    return _binary("pow", x, y, out)


def negative(x):
    if x.dtype == np.bool_:
        raise TypeError("bool arrays have no negative; use ~ or logical_not")
    return unary("neg", x)


def positive(x):
    return x


def absolute(x):
    return unary("abs", x, np.empty(0, x.dtype).real.dtype)


def invert(x):
    return unary("invert", x)


_comparisons = {name: _operations.operation_code(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def compare(name, x, y):
    """Return a comparison as 0 and 1: between arrays in their common dtype, with a number in the array's dtype."""
    result = _operations.map_like(_comparisons[name], x, y)
    if result is not None:
        return result
    operands = operands_of(x, y)
    if operands is None:
        return NotImplemented
    cls = _gpuarray()
    x, y = operands
    if isinstance(x, cls) and isinstance(y, cls):
        dtype = common_dtype(x, y)
    else:
        dtype = x.dtype if isinstance(x, cls) else y.dtype
    return elementwise(name, dtype, x, y)


def unary(name, x, dtype=None):
    """An operation of one array."""
    return elementwise(name, x.dtype if dtype is None else dtype, x)
