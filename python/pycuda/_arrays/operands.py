"""The kind and the dtype of an operand."""

import numpy as np

from pycuda._driver import _native

__all__ = ["is_scalar", "kind_of", "type_of"]


#: The dtypes of numbers that are rounded, because the device has no wider type.
_ROUNDED = {"g": np.dtype(np.float64), "G": np.dtype(np.complex128)}


def kind_of(dtype):
    """dtype.kind, also for ml_dtypes' bfloat16, which NumPy treats as a structure."""
    return "f" if dtype.kind == "V" and dtype.name == "bfloat16" else dtype.kind


def is_scalar(value):
    """True for numbers of Python and NumPy, for 0-d NumPy arrays, and for numbers of functions that are fused."""
    return isinstance(value, (int, float, complex, np.number, np.bool_, _native.TracedNumber)) or (isinstance(value, np.ndarray) and value.ndim == 0) or _is_bfloat16(value)


def _is_bfloat16(value):
    return isinstance(value, np.generic) and kind_of(value.dtype) == "f" and value.dtype.kind == "V"


def type_of(operand):
    """The operand's dtype; for Python's numbers, which adopt an array's dtype, their class. numpy.longdouble counts as float64."""
    if isinstance(operand, _native.TracedNumber):
        operand = operand.example
    if _is_bfloat16(operand):
        return float
    dtype = getattr(operand, "dtype", None)
    if dtype is not None and dtype.char in _ROUNDED:
        return _ROUNDED[dtype.char]
    return dtype or (np.dtype(np.bool_) if isinstance(operand, bool) else type(operand))
