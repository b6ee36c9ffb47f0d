"""Mathematical functions of arrays, element by element."""

import sys
import warnings

from pycuda._arrays.operators import check_out, common_dtype, elementwise, result_array
from pycuda import gpuarray  # noqa: F401  client programs import it from here
from pycuda._arrays import operations as _operations

# Of each function its summary, and an example: an argument and the result, rounded to three places.
_UNARY = {
    "fabs": ("magnitudes", -2, 2.0), "ceil": ("numbers rounded up", 1.5, 2.0), "floor": ("numbers rounded down", 1.5, 1.0),
    "exp": ("exponentials", 0, 1.0), "log": ("natural logarithms", 1, 0.0), "log10": ("logarithms to base 10", 100, 2.0),
    "sqrt": ("square roots", 4, 2.0), "sin": ("sines (of radians)", 1, 0.841), "cos": ("cosines (of radians)", 0, 1.0),
    "tan": ("tangents (of radians)", 1, 1.557), "asin": ("inverse sines (in radians)", 1, 1.571), "acos": ("inverse cosines (in radians)", 1, 0.0),
    "atan": ("inverse tangents (in radians)", 1, 0.785), "sinh": ("hyperbolic sines", 1, 1.175), "cosh": ("hyperbolic cosines", 1, 1.543),
    "tanh": ("hyperbolic tangents", 1, 0.762), "asinh": ("inverse hyperbolic sines", 1, 0.881), "acosh": ("inverse hyperbolic cosines", 2, 1.317),
    "atanh": ("inverse hyperbolic tangents", 0.5, 0.549), "exp2": ("powers of 2", 3, 8.0), "expm1": ("exponentials minus 1", 0, 0.0),
    "log2": ("logarithms to base 2", 8, 3.0), "log1p": ("natural logarithms of 1 plus each element", 0, 0.0), "cbrt": ("cube roots", 8, 2.0),
    "rsqrt": ("reciprocal square roots", 4, 0.5), "erf": ("error functions", 1, 0.843), "erfc": ("complementary error functions", 0, 1.0),
    "tgamma": ("gamma functions", 4, 6.0), "lgamma": ("logarithms of the gamma function", 4, 1.792), "trunc": ("integer parts", -1.5, -1.0),
    "rint": ("nearest whole numbers", 1.75, 2.0),
}

_DOC = """{name}(array, stream_or_out=None, *, out=None, stream=None)
--

Return the {what} of the elements.

Parameters
----------
array : GPUArray
    Floating-point{complex_too} elements.
stream_or_out : Stream or GPUArray, optional
    Deprecated: pass `out` or `stream` by keyword.
out : GPUArray, optional
    Array to write the result to, of the same shape and dtype; None: a new array.
stream : Stream, optional
    The stream to run on; None is the default stream.

Returns
-------
GPUArray
    The result, in the argument's shape and dtype.

Raises
------
TypeError
    The argument is not a GPUArray.

Examples
--------
>>> round(cumath.{name}(gpuarray.to_gpu(np.array([{argument}], np.float64))).item(), 3)
{result}
"""

__all__ = [*_UNARY, "atan2", "fmod", "frexp", "hypot", "ldexp", "modf"]


def _require_array(name, value):
    from pycuda.gpuarray import GPUArray

    if not isinstance(value, GPUArray):
        raise TypeError(f"{name}: expected a GPUArray, given {type(value).__name__}")


def _make_unary(name, what, argument, result):
    code = _operations.operation_code(name)

    def function(array, stream_or_out=None, *, out=None, stream=None):
        if out is None and stream is None and stream_or_out is None:
            result = _operations.map_like(code, array)
            if result is not None:
                return result
        _require_array(name, array)
        if stream_or_out is not None:
            warnings.warn(f"{name}: give out and stream by keyword", DeprecationWarning, stacklevel=2)
            if hasattr(stream_or_out, "gpudata"):
                out = stream_or_out
            else:
                stream = stream_or_out
        dtype = array.dtype
        if out is not None:
            check_out(out, dtype, (array,))
        return elementwise(name, dtype, array, out=out, stream=stream)

    function.__name__ = function.__qualname__ = name
    complex_too = "" if name in ("ceil", "floor") else " or complex"
    doc = _DOC.format(name=name, what=what, complex_too=complex_too, argument=argument, result=result)
    return _operations.plain_function(name, doc, function, sys.modules[__name__])


for _name, _texts in _UNARY.items():
    globals()[_name] = _make_unary(_name, *_texts)


def _binary(name, x, y, dtype, stream, out=None):
    _require_array(name, x)
    return elementwise(name, dtype, x, y, out=out, stream=stream)


def fmod(arg, mod, stream=None):
    """Return the remainder of a division, with the sign of the dividend.

    Parameters
    ----------
    arg : GPUArray
        The dividend: an array.
    mod : GPUArray or number
        The divisor: an array or a number.
    stream : _Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    GPUArray
        The remainders, in the common dtype.

    Examples
    --------
    >>> cumath.fmod(gpuarray.to_gpu(np.array([7.0, -7.0])), 4).get().tolist()
    [3.0, -3.0]
    """
    return _binary("fmod", arg, mod, common_dtype(arg, mod), stream)


def atan2(y, x, stream=None):
    """Return the angle of the point (x, y), in radians.

    Parameters
    ----------
    y : GPUArray
        The y coordinates: an array.
    x : GPUArray or number
        The x coordinates: an array or a number.
    stream : _Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    GPUArray
        The angles, from -pi to pi.

    Examples
    --------
    >>> cumath.atan2(gpuarray.zeros(1, np.float32), 1.0).item()
    0.0
    """
    return _binary("atan2", y, x, common_dtype(y, x), stream)


def hypot(x, y, stream=None):
    """Return ``sqrt(x * x + y * y)``, without overflow on the way.

    Parameters
    ----------
    x : GPUArray
        The first operand: an array.
    y : GPUArray or number
        The second operand: an array or a number.
    stream : _Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    GPUArray
        The lengths, in the common dtype.

    Examples
    --------
    >>> cumath.hypot(gpuarray.to_gpu(np.array([3.0])), 4.0).item()
    5.0
    """
    return _binary("hypot", x, y, common_dtype(x, y), stream)


def ldexp(significand, exponent, stream=None):
    """Return ``significand * 2**exponent``.

    Parameters
    ----------
    significand : GPUArray
        Floating-point array.
    exponent : GPUArray or number
        Exponents: an array or a number.
    stream : _Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    GPUArray
        The products, in the dtype of `significand`.

    Examples
    --------
    >>> cumath.ldexp(gpuarray.ones(1, np.float32), 3).item()
    8.0
    """
    return _binary("ldexp", significand, exponent, significand.dtype, stream)


def _two_results(array, names, stream):
    _require_array(names[0].partition("_")[0], array)
    results = []
    for name in names:
        result = result_array(array.dtype, (array,))
        _operations.apply(name, result, array, stream=stream)
        results.append(result)
    return tuple(results)


def frexp(arg, stream=None):
    """Split numbers into significand and exponent: ``arg == significand * 2**exponent``.

    Parameters
    ----------
    arg : GPUArray
        Floating-point array.
    stream : _Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    tuple[GPUArray, GPUArray]
        The significands, from 1/2 to below 1, and the exponents, both in the dtype of `arg`.

    Examples
    --------
    >>> significand, exponent = cumath.frexp(gpuarray.to_gpu(np.array([8.0])))
    >>> significand.item(), exponent.item()
    (0.5, 4.0)
    """
    return _two_results(arg, ("frexp_significand", "frexp_exponent"), stream)


def modf(arg, stream=None):
    """Split numbers into fractional and integer part, both with the number's sign.

    Parameters
    ----------
    arg : GPUArray
        Floating-point array.
    stream : _Stream, optional
        The stream to run on; None is the default stream.

    Returns
    -------
    tuple[GPUArray, GPUArray]
        The fractional parts, and the integer parts.

    Examples
    --------
    >>> fraction, whole = cumath.modf(gpuarray.to_gpu(np.array([2.5])))
    >>> fraction.item(), whole.item()
    (0.5, 2.0)
    """
    return _two_results(arg, ("modf_fraction", "modf_integer"), stream)
