"""Rounding to decimals; complex numbers are rounded by parts."""

import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays.copies import copy_on_device, into
from pycuda._arrays.operands import kind_of
from pycuda._arrays.operations import new_array, operate

__all__ = ["complex_of", "round"]


def complex_of(re, im):
    """Complex numbers with these parts."""
    result = new_array(re.shape, np.result_type(re.dtype, np.complex64), allocator=re.allocator)
    if result.size:
        for number, part in enumerate((re, im)):
            copy_on_device(_operations.field(result, re.dtype, number * re.dtype.itemsize), part)
    return result


def round(a, decimals=0, out=None):
    """Round the elements to this many decimals, halves to even digits."""
    decimals = operator.index(decimals)
    kind = kind_of(a.dtype)
    if kind == "c" and decimals:
        result = complex_of(*(_rounded(operate(part, a), decimals) for part in ("real", "imag")))
    elif kind in "cf":
        result = _rounded(a, decimals)
    elif kind == "b":
        result = operate("copy", a, type=np.dtype(np.float16))
    elif decimals >= 0:
        result = operate("copy", a, type=a.dtype)
    else:
        result = operate("copy", _rounded(operate("copy", a, type=np.dtype(np.float64)), decimals), type=a.dtype)
    return into(out, result)


def _rounded(a, decimals):
    if not decimals:
        return operate("rint", a)
    there, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    scale = 10.0 ** abs(decimals)
    return operate(back, operate("rint", operate(there, a, scale, type=a.dtype)), scale, type=a.dtype)
