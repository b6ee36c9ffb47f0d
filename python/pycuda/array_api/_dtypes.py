"""The standard's dtypes, and functions on them."""

import builtins

import numpy as np

from pycuda.gpuarray import GPUArray

__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "result_type"]

bool = np.dtype(np.bool_)
int8, int16, int32, int64 = (np.dtype(f"i{size}") for size in (1, 2, 4, 8))
uint8, uint16, uint32, uint64 = (np.dtype(f"u{size}") for size in (1, 2, 4, 8))
float32, float64, complex64, complex128 = map(np.dtype, ("f4", "f8", "c8", "c16"))

KINDS = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


def dtype_of(value):
    """The dtype of an array; a dtype or a Python number is returned unchanged."""
    return value.dtype if isinstance(value, GPUArray) else value


def result_type(*arrays_and_dtypes):
    """Return the dtype that arrays, dtypes and Python numbers are promoted to. TypeError where there is none.

    >>> import pycuda.array_api as xp
    >>> xp.result_type(xp.int32, xp.uint32)
    dtype('int64')
    """
    if not arrays_and_dtypes:
        raise ValueError("expected at least one array or dtype, given none")
    return np.result_type(*map(dtype_of, arrays_and_dtypes))


def can_cast(from_, to, /):
    """Return whether the promotion rules allow a conversion of a dtype, or of an array's dtype, to dtype `to`."""
    return np.can_cast(dtype_of(from_), to, "safe")


def isdtype(dtype, kind):
    """Return whether a dtype is `kind`: a dtype, the name of a kind such as "integral", or one of a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"expected a kind of {', '.join(map(repr, KINDS))}, given {kind!r}")
        return dtype in KINDS[kind]
    return np.dtype(dtype) == kind


class _Limits:
    """Numbers that describe a dtype, as plain Python numbers."""

    def __init__(self, numbers):
        self.__dict__.update(numbers)

    def __repr__(self):
        return ", ".join(f"{name}={value}" for name, value in self.__dict__.items())


def finfo(type, /):
    """Return the limits of a floating-point dtype: bits, eps, max, min, smallest_normal, dtype."""
    limits = np.finfo(dtype_of(type))
    numbers = {name: float(getattr(limits, name)) for name in ("eps", "max", "min", "smallest_normal")}
    return _Limits({"bits": limits.bits, **numbers, "dtype": np.dtype(limits.dtype)})


def iinfo(type, /):
    """Return the limits of an integer dtype: bits, max, min, dtype."""
    limits = np.iinfo(dtype_of(type))
    return _Limits({"bits": limits.bits, "max": int(limits.max), "min": int(limits.min), "dtype": np.dtype(limits.dtype)})


def checked_dtype(dtype, default=None):
    """A dtype of the standard, or `default` for None; TypeError for any other."""
    if dtype is None:
        return default
    dtype = np.dtype(dtype)
    if dtype != bool and dtype not in KINDS["numeric"]:
        raise TypeError(f"expected a dtype of the array API standard, given {dtype}")
    return dtype


def is_python_number(value):
    """Whether a value is a Python number."""
    return isinstance(value, (builtins.bool, int, float, complex))
