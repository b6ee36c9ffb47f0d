"""Comparisons of whole arrays, and of elements that are nearly equal."""

import numpy as np

from pycuda._arrays import reductions as _reductions
from pycuda._arrays.operands import is_scalar, kind_of
from pycuda._arrays.operations import is_array, of_lists, operate

__all__ = ["FUNCTIONS", "allclose", "array_equal", "isclose"]

_BOOL = np.dtype(np.bool_)


def _check(name, *operands):
    for operand in operands:
        if not is_array(operand) and not is_scalar(operand):
            raise TypeError(f"numpy.{name} of a GPUArray and {type(operand).__name__}, which is on the host: copy that with gpuarray.to_gpu(), "
                            "or the GPUArray with its method get()")


def _compute(operation, ufunc, *operands, **options):
    """The operation on arrays and numbers; on numbers alone, NumPy's."""
    return operate(operation, *operands, **options) if any(map(is_array, operands)) else ufunc(*operands)


def _both_nan(a, b):
    return _compute("logical_and", np.logical_and, *(_compute("ne", np.not_equal, x, x) for x in (a, b)), type=_BOOL)


def _tolerance(value, is_exact):
    """The tolerance in the type to compare in: that of the elements, or float64 for exact ones."""
    if is_array(value):
        return operate("copy", value, type=np.dtype(np.float64)) if is_exact and kind_of(value.dtype) not in "fc" else value
    return np.float64(value) if is_exact else float(value) if isinstance(value, int) else value


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol * |b|; infinities are only close to themselves."""
    a, b, rtol, atol = map(of_lists, (a, b, rtol, atol))
    _check("isclose", a, b, rtol, atol)
    dtype = np.result_type(*(operand.dtype if is_array(operand) else operand for operand in (a, b)))
    tolerances = (_tolerance(value, kind_of(dtype) not in "fc") for value in (rtol, atol))
    return operate("is_close_or_nan" if equal_nan else "is_close", a, b, *tolerances)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether isclose() is true of all elements. Waits for the device."""
    return bool(_reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal. Waits for the device."""
    a1, a2 = of_lists(a1), of_lists(a2)
    _check("array_equal", a1, a2)
    if np.shape(a1) != np.shape(a2):
        return False
    equal = operate("eq", a1, a2, type=_BOOL)
    if equal_nan:
        equal = operate("logical_or", equal, _both_nan(a1, a2), type=_BOOL)
    return bool(_reductions.all(equal))


#: NumPy's functions, and the functions here that implement them.
FUNCTIONS = {np.isclose: isclose, np.allclose: allclose, np.array_equal: array_equal}
