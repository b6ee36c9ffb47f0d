"""Mathematical functions of arrays, entry by entry."""

import sys
import warnings

from pycuda import gpuarray  # noqa: F401  client programs import it from here
from pycuda._arrays import operations as _operations

_UNARY = {
    "fabs": "Magnitude", "ceil": "Least whole number not below", "floor": "Largest whole number not above", "exp": "Exponential",
    "log": "Natural logarithm", "log10": "Logarithm to base 10", "sqrt": "Square root", "sin": "Sine", "cos": "Cosine", "tan": "Tangent",
    "asin": "Inverse sine", "acos": "Inverse cosine", "atan": "Inverse tangent", "sinh": "Hyperbolic sine", "cosh": "Hyperbolic cosine",
    "tanh": "Hyperbolic tangent", "asinh": "Inverse hyperbolic sine", "acosh": "Inverse hyperbolic cosine",
    "atanh": "Inverse hyperbolic tangent", "exp2": "Power of 2", "expm1": "Exponential less 1", "log2": "Logarithm to base 2",
    "log1p": "Logarithm of 1 and", "cbrt": "Cube root", "rsqrt": "Reciprocal square root", "erf": "Error function",
    "erfc": "Complementary error function", "tgamma": "Gamma function", "lgamma": "Logarithm of the gamma function", "trunc": "Integer part",
    "rint": "Nearest whole number",
}

__all__ = [*_UNARY, "atan2", "fmod", "frexp", "hypot", "ldexp", "modf"]


def _require_array(name, value):
    if not _operations.is_array(value):
        raise TypeError(f"{name}: expected a GPUArray, given {type(value).__name__}")


def _make_unary(name, what):
    def function(array, stream_or_out=None, *, out=None, stream=None):
        _require_array(name, array)
        if stream_or_out is not None:
            warnings.warn(f"{name}: give out and stream by keyword", DeprecationWarning, stacklevel=2)
            if hasattr(stream_or_out, "gpudata"):
                out = stream_or_out
            else:
                stream = stream_or_out
        return _operations.operate(name, array, type=_operations.ARRAYS, out=out, stream=stream, converts=False)

    function.__name__ = function.__qualname__ = name
    doc = f"{name}(array, stream_or_out=None, *, out=None, stream=None)\n--\n\n{what} of every entry, in a new array of the same dtype, or in `out`."
    return _operations.plain_function(name, doc, function, sys.modules[__name__])


for _name, _what in _UNARY.items():
    globals()[_name] = _make_unary(_name, _what)


def _binary(name, x, y, stream, type=_operations.COMMON):
    _require_array(name, x)
    return _operations.operate(name, x, y, type=type, stream=stream)


def fmod(arg, mod, stream=None):
    """The remainder of the quotient of both, with the sign of `arg`."""
    return _binary("fmod", arg, mod, stream)


def atan2(y, x, stream=None):
    """The angle of the point (x, y)."""
    return _binary("atan2", y, x, stream)


def hypot(x, y, stream=None):
    """The square root of x*x + y*y."""
    return _binary("hypot", x, y, stream)


def ldexp(significand, exponent, stream=None):
    """significand * 2**exponent."""
    return _binary("ldexp", significand, exponent, stream, _operations.FIRST)


def _two_results(array, names, stream):
    _require_array(names[0].partition("_")[0], array)
    return tuple(_operations.operate(name, array, type=_operations.ARRAYS, stream=stream) for name in names)


def frexp(arg, stream=None):
    """(significand, exponent) with arg == significand * 2**exponent and the significand from 1/2 to before 1; both of arg's dtype."""
    return _two_results(arg, ("frexp_significand", "frexp_exponent"), stream)


def modf(arg, stream=None):
    """(fractional part, integer part), both with arg's sign."""
    return _two_results(arg, ("modf_fraction", "modf_integer"), stream)
