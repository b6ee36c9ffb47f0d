"""Strides and contiguity of arrays, without NumPy's arrays."""

import numpy as np

__all__ = [
    "f_contiguous_strides", "c_contiguous_strides", "equal_strides", "is_f_contiguous_strides", "is_c_contiguous_strides", "ArrayFlags",
    "get_common_dtype", "get_truedivide_dtype", "as_strided",
]


def f_contiguous_strides(itemsize, shape):
    """Strides in bytes of a packed array of Fortran order."""
    strides, stride = [], itemsize
    for length in shape:
        strides.append(stride)
        stride *= max(length, 1)
    return tuple(strides)


def c_contiguous_strides(itemsize, shape):
    """Strides in bytes of a packed array of C order."""
    return f_contiguous_strides(itemsize, shape[::-1])[::-1]


def equal_strides(strides1, strides2, shape):
    """Whether both strides are equal along every axis with more than one element."""
    if len(strides1) != len(strides2) or len(strides2) != len(shape):
        return False
    return all(a == b or length <= 1 for a, b, length in zip(strides1, strides2, shape))


def is_f_contiguous_strides(strides, itemsize, shape):
    """Whether the strides are those of a packed array of Fortran order; an array without elements is."""
    return 0 in shape or equal_strides(strides, f_contiguous_strides(itemsize, shape), shape)


def is_c_contiguous_strides(strides, itemsize, shape):
    """Whether the strides are those of a packed array of C order; an array without elements is."""
    return 0 in shape or equal_strides(strides, c_contiguous_strides(itemsize, shape), shape)


class ArrayFlags:
    """The value of `ary.flags`: whether the array is packed in C order, in Fortran order, in either."""

    #: NumPy's names of flags, as in ``ary.flags["C_CONTIGUOUS"]``.
    _NAMES = {"C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
              "FORC": "forc", "FNC": "fnc", "WRITEABLE": "writeable", "W": "writeable"}
    #: Arrays on the device can always be written to.
    writeable = True

    def __init__(self, ary):
        self.f_contiguous = is_f_contiguous_strides(ary.strides, ary.dtype.itemsize, ary.shape)
        self.c_contiguous = is_c_contiguous_strides(ary.strides, ary.dtype.itemsize, ary.shape)
        self.forc = self.f_contiguous or self.c_contiguous
        self.fnc = self.f_contiguous and not self.c_contiguous

    def __getitem__(self, name):
        try:
            return getattr(self, self._NAMES[name])
        except KeyError:
            raise KeyError(f"expected a flag of {', '.join(map(repr, self._NAMES))}, given {name!r}") from None

    def __eq__(self, other):
        return isinstance(other, ArrayFlags) and vars(self) == vars(other)

    __hash__ = None

    def __repr__(self):
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"


def _single_precision(dtype, allow_double):
    if not allow_double:
        return {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}.get(dtype, dtype)
    return dtype


def _sample(obj):
    return np.zeros(1, obj.dtype) if hasattr(obj, "dtype") and hasattr(obj, "shape") and not np.isscalar(obj) else obj


def get_common_dtype(obj1, obj2, allow_double):
    """The dtype of a sum of both; each is an array, or a scalar. Without `allow_double` of single precision at most."""
    for one, other in ((obj1, obj2), (obj2, obj1)):
        if type(one) is float and getattr(getattr(other, "dtype", None), "name", "") == "bfloat16":
            return other.dtype  # as with NumPy's own types; ml_dtypes returns float32
    with np.errstate(all="ignore"):
        return _single_precision((_sample(obj1) + _sample(obj2)).dtype, allow_double)


def get_truedivide_dtype(obj1, obj2, allow_double):
    """The dtype of NumPy's quotient of both."""
    with np.errstate(all="ignore"):
        divisor = _sample(obj2)
        divisor = np.ones_like(divisor) if isinstance(divisor, np.ndarray) else divisor or 1
        return _single_precision((_sample(obj1) / divisor).dtype, allow_double)


def as_strided(x, shape=None, strides=None):
    """A view of NumPy array `x` with other shape and strides."""
    return np.lib.stride_tricks.as_strided(x, x.shape if shape is None else shape, x.strides if strides is None else strides)
