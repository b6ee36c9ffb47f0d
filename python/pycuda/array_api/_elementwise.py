"""Elementwise functions."""

import builtins
import math

import numpy as np

from pycuda._arrays import rounding as _rounding
from pycuda.array_api._array import Array, as_operand, converted, in_dtype, run, wrap
from pycuda.array_api._dtypes import bool as _bool
from pycuda.array_api._dtypes import float64, is_python_number, isdtype, result_type

#: Functions of two arrays: the engine's operation, and the permitted kinds of the common dtype.
_BINARY = {
    "add": ("add", "numeric"), "subtract": ("sub", "numeric"), "multiply": ("mul", "numeric"), "pow": ("pow", "numeric"),
    "remainder": ("mod", "real"), "maximum": ("maximum", "real"), "minimum": ("minimum", "real"),
    "atan2": ("atan2", "real floating"), "hypot": ("hypot", "real floating"),
    "copysign": ("copysign", "real floating"), "logaddexp": ("logaddexp", "real floating"), "nextafter": ("nextafter", "real floating"),
    "bitwise_and": ("bit_and", "integral or bool"), "bitwise_or": ("bit_or", "integral or bool"), "bitwise_xor": ("bit_xor", "integral or bool"),
    "bitwise_left_shift": ("shift_left", "integral"), "bitwise_right_shift": ("shift_right", "integral"),
}
#: Those whose results are bool.
_TESTS = {
    "equal": ("eq", "any"), "not_equal": ("ne", "any"), "less": ("lt", "real"), "less_equal": ("le", "real"), "greater": ("gt", "real"),
    "greater_equal": ("ge", "real"), "logical_and": ("logical_and", "bool"), "logical_or": ("logical_or", "bool"), "logical_xor": ("logical_xor", "bool"),
}
#: Functions of one array, with results of its dtype.
_UNARY = {
    **{name: (name, "floating") for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log10", "log1p",
                                             "log2", "sin", "sinh", "sqrt", "tan", "reciprocal")},
    **{name: (name, "real") for name in ("ceil", "floor", "trunc")},
    "negative": ("neg", "numeric"), "sign": ("sign", "numeric"), "square": ("square", "numeric"), "conj": ("conj", "numeric"), "positive": ("copy", "numeric"),
    "bitwise_invert": ("invert", "integral or bool"),
}
_UNARY_TESTS = {"isfinite": "numeric", "isinf": "numeric", "isnan": "numeric", "signbit": "real floating", "logical_not": "bool"}

_KINDS = {
    "any": ("bool", "numeric"), "numeric": ("numeric",), "real": ("integral", "real floating"), "floating": ("real floating", "complex floating"),
    "real floating": ("real floating",), "integral or bool": ("integral", "bool"), "integral": ("integral",), "bool": ("bool",),
}

__all__ = [*_BINARY, *_TESTS, *_UNARY, *_UNARY_TESTS, "abs", "clip", "divide", "floor_divide", "imag", "real", "round", "tanh"]


def _check(name, dtype, kinds):
    if not isdtype(dtype, _KINDS[kinds]):
        raise TypeError(f"{name}: expected arrays of a dtype that is {' or '.join(_KINDS[kinds])}, given {dtype}")


def common(name, kinds, *values):
    """(dtype, operands) for the values: arrays and numbers, converted to that dtype if necessary."""
    if all(map(is_python_number, values)):
        raise TypeError(f"{name}: expected at least one array, given numbers only")
    for value in values:
        if not isinstance(value, Array) and not is_python_number(value):
            raise TypeError(f"{name}: expected arrays of this namespace and Python numbers, given {type(value).__name__}")
    dtype = result_type(*values)
    _check(name, dtype, kinds)
    return dtype, [as_operand(value, dtype) for value in values]


def _documented(function, name, text):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _binary_function(name, operation, kinds, is_test):
    def function(x1, x2, /):
        dtype, operands = common(name, kinds, x1, x2)
        return run(operation, _bool if is_test else dtype, *operands)

    return _documented(function, name, f"Return {name.replace('_', ' ')} of x1 and x2, element by element; shapes broadcast."
                       + (" The result is bool." if is_test else ""))


def _unary_function(name, operation, kinds, is_test):
    def function(x, /):
        _check(name, x.dtype, kinds)
        return run(operation, _bool if is_test else x.dtype, x)

    return _documented(function, name, f"Return {name} of each element of x, {'as bool' if is_test else 'in its dtype'}.")


globals().update((name, _binary_function(name, *row, False)) for name, row in _BINARY.items())
globals().update((name, _binary_function(name, *row, True)) for name, row in _TESTS.items())
globals().update((name, _unary_function(name, *row, False)) for name, row in _UNARY.items())
globals().update((name, _unary_function(name, name, kinds, True)) for name, kinds in _UNARY_TESTS.items())


def _is_complex(x):
    return x.dtype.kind == "c"


def abs(x, /):
    """Return the magnitude of each element, which is real for complex numbers."""
    _check("abs", x.dtype, "numeric")
    return run("abs", x.dtype.type(0).real.dtype, x)


def real(x, /):
    """Return the real part of each element."""
    _check("real", x.dtype, "numeric")
    return run("real", x.dtype.type(0).real.dtype, x) if _is_complex(x) else run("copy", x.dtype, x)


def imag(x, /):
    """Return the imaginary part of each complex element."""
    if not _is_complex(x):
        raise TypeError(f"imag: expected an array of complex numbers, given {x.dtype}")
    return run("imag", x.dtype.type(0).real.dtype, x)


def round(x, /):
    """Return each element rounded to the nearest integer, halves to even."""
    _check("round", x.dtype, "numeric")
    return wrap(_rounding.round(x))


def _complex(re, im):
    return wrap(_rounding.complex_of(re, im))


def tanh(x, /):
    """Return the hyperbolic tangent of each element. Beside an infinite real part the imaginary part is a zero with the sign of that of x."""
    _check("tanh", x.dtype, "floating")
    result = run("tanh", x.dtype, x)
    if not _is_complex(x):
        return result
    im = imag(x)
    is_limit = run("logical_and", _bool, run("isinf", _bool, real(x)), run("isfinite", _bool, im))
    return _complex(real(result), run("where", im.dtype, is_limit, run("copysign", im.dtype, 0, im), imag(result)))


def divide(x1, x2, /):
    """Return the quotients of x1 and x2, element by element; shapes broadcast. Those of integers are float64, which the standard leaves open."""
    dtype, operands = common("divide", "numeric", x1, x2)
    if isdtype(dtype, "integral"):
        dtype = float64
        operands = [as_operand(value, dtype) for value in operands]
    return run("div", dtype, *operands)


def floor_divide(x1, x2, /):
    """Return the quotients rounded down, element by element. Infinite quotients are those of the division."""
    dtype, (x1, x2) = common("floor_divide", "real", x1, x2)
    result = run("floor_div", dtype, x1, x2)
    if dtype.kind != "f":
        return result
    return run("where", dtype, run("logical_and", _bool, _finite(x1), _finite(x2)), result, run("div", dtype, x1, x2))


def _finite(x):
    return run("isfinite", _bool, x) if isinstance(x, Array) else bool(math.isfinite(x))


def clip(x, /, min=None, max=None):
    """Limit elements to [min, max], which are numbers or arrays; None: no limit. The dtype does not change."""
    _check("clip", x.dtype, "real")
    for name, bound in (("min", min), ("max", max)):
        if bound is not None:
            x = run("maximum" if name == "min" else "minimum", x.dtype, x, _bound(bound, x.dtype, name))
    return run("copy", x.dtype, x) if min is None and max is None else x


def _bound(bound, dtype, name):
    """A limit in the elements' dtype: integers out of its range are clamped."""
    if isinstance(bound, Array):
        if bound.dtype.kind in "iu" and dtype.kind in "iu" and bound.dtype != dtype:
            limits = np.iinfo(dtype)
            wide = np.result_type(bound.dtype, dtype)
            if wide.kind == "f":  # int64 beside uint64
                return converted(bound, dtype) if bound.dtype.kind == "u" else converted(run("maximum", bound.dtype, bound, 0), dtype)
            bound = run("minimum", wide, run("maximum", wide, converted(bound, wide), int(limits.min)), int(limits.max))
        return in_dtype(bound, dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return int(builtins.min(builtins.max(bound, int(limits.min)), int(limits.max)))
    return dtype.type(bound)


