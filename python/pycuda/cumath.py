"""Mathematical functions of arrays, element by element."""

import re
import sys
import warnings

from pycuda import gpuarray  # noqa: F401  client programs import it from here
from pycuda._arrays import operations as _operations

_TABLE = {row.python.rpartition(".")[2]: row for row in _operations.table.values() if row.python.startswith("cumath.")}

__all__ = [*_TABLE]


def _require_array(name, value):
    if not _operations.is_array(value):
        raise TypeError(f"{name}: expected a GPUArray, given {type(value).__name__}")


# An argument and a result, rounded to three places, for the example of each function of one array.
_EXAMPLES = {
    "fabs": (-2, 2.0), "ceil": (1.5, 2.0), "floor": (1.5, 1.0), "exp": (0, 1.0), "log": (1, 0.0), "log10": (100, 2.0), "sqrt": (4, 2.0),
    "sin": (1, 0.841), "cos": (0, 1.0), "tan": (1, 1.557), "asin": (1, 1.571), "acos": (1, 0.0), "atan": (1, 0.785), "sinh": (1, 1.175),
    "cosh": (1, 1.543), "tanh": (1, 0.762), "asinh": (1, 0.881), "acosh": (2, 1.317), "atanh": (0.5, 0.549), "exp2": (3, 8.0), "expm1": (0, 0.0),
    "log2": (8, 3.0), "log1p": (0, 0.0), "cbrt": (8, 2.0), "rsqrt": (4, 0.5), "erf": (1, 0.843), "erfc": (0, 1.0), "tgamma": (4, 6.0),
    "lgamma": (4, 1.792), "trunc": (-1.5, -1.0), "rint": (1.75, 2.0),
}

_PARAMETERS = {
    "array": "GPUArray\n    Floating-point or complex elements.",
    "stream_or_out": "Stream or GPUArray, optional\n    Deprecated: pass `out` or `stream` by keyword.",
    "x": "GPUArray\n    The first operand.",
    "y": "GPUArray or number\n    The second operand.",
    "out": "GPUArray, optional\n    Array to write the result to, of the same shape and dtype; None: a new array.",
    "stream": "Stream, optional\n    The stream to run on; None is the default stream.",
}


def _documentation(row, parameters, result):
    sentence = row.sentence.format(a="the first operand", b="the second")
    summary = f"{sentence[0].upper()}{sentence[1:]}, element by element."
    described = "\n".join(f"{name} : {_PARAMETERS[name]}" for name in re.findall(r"\w+(?==|,|$)(?<!None)", parameters))
    example = ""
    if row.name in _EXAMPLES:
        argument, value = _EXAMPLES[row.name]
        example = ("\n\nExamples\n--------\n"
                   f">>> round(cumath.{row.name}(gpuarray.to_gpu(np.array([{argument}], np.float64))).item(), 3)\n{value}")
    return (f"{row.name}({parameters})\n--\n\n{summary}\n\nParameters\n----------\n{described}\n\nReturns\n-------\nGPUArray\n"
            f"    The result, {result}.\n\nRaises\n------\nTypeError\n    The argument is not a GPUArray, or its dtype is not supported.{example}")


def _make_unary(row):
    name = row.name

    def function(array, stream_or_out=None, *, out=None, stream=None):
        _require_array(name, array)
        if stream_or_out is not None:
            warnings.warn(f"{name}: give out and stream by keyword", DeprecationWarning, stacklevel=2)
            if _operations.is_array(stream_or_out):
                out = stream_or_out
            else:
                stream = stream_or_out
        return _operations.operate(name, array, type=_operations.ARRAYS, out=out, stream=stream, casting="no")

    function.__name__ = function.__qualname__ = name
    doc = _documentation(row, "array, stream_or_out=None, *, out=None, stream=None", "in a new array of the same dtype, or in `out`")
    return _operations.fast_function(name, doc, function, sys.modules[__name__])


def _make_binary(row):
    name = row.name

    def function(x, y, stream=None):
        return _binary(name, x, y, stream)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _documentation(row, "x, y, stream=None", "in a new array of their common dtype").partition("\n--\n\n")[2]
    return function


def _binary(name, x, y, stream, type=_operations.COMMON):
    _require_array(name, x)
    return _operations.operate(name, x, y, type=type, stream=stream)


def fmod(arg, mod, stream=None):
    """Return the remainder of a division, with the sign of the dividend.

    Parameters
    ----------
    arg : GPUArray
        The dividend: an array.
    mod : GPUArray or number
        The divisor: an array or a number.
    stream : _Stream, optional
        @stream

    Returns
    -------
    GPUArray
        The remainders, in the common dtype.

    Examples
    --------
    >>> cumath.fmod(gpuarray.to_gpu(np.array([7.0, -7.0])), 4).get().tolist()
    [3.0, -3.0]
    """
    return _binary("fmod", arg, mod, stream)


def atan2(y, x, stream=None):
    """Return the angle of the point (x, y), in radians.

    Parameters
    ----------
    y : GPUArray
        The y coordinates: an array.
    x : GPUArray or number
        The x coordinates: an array or a number.
    stream : _Stream, optional
        @stream

    Returns
    -------
    GPUArray
        The angles, from -pi to pi.

    Examples
    --------
    >>> cumath.atan2(gpuarray.zeros(1, np.float32), 1.0).item()
    0.0
    """
    return _binary("atan2", y, x, stream)


def hypot(x, y, stream=None):
    """Return ``sqrt(x * x + y * y)``, without overflow on the way.

    Parameters
    ----------
    x : GPUArray
        The first operand: an array.
    y : GPUArray or number
        The second operand: an array or a number.
    stream : _Stream, optional
        @stream

    Returns
    -------
    GPUArray
        The lengths, in the common dtype.

    Examples
    --------
    >>> cumath.hypot(gpuarray.to_gpu(np.array([3.0])), 4.0).item()
    5.0
    """
    return _binary("hypot", x, y, stream)


def ldexp(significand, exponent, stream=None):
    """Return ``significand * 2**exponent``.

    Parameters
    ----------
    significand : GPUArray
        Floating-point array.
    exponent : GPUArray or number
        Exponents: an array or a number.
    stream : _Stream, optional
        @stream

    Returns
    -------
    GPUArray
        The products, in the dtype of `significand`.

    Examples
    --------
    >>> cumath.ldexp(gpuarray.ones(1, np.float32), 3).item()
    8.0
    """
    return _binary("ldexp", significand, exponent, stream, _operations.FIRST)


def _two_results(array, names, stream):
    _require_array(names[0].partition("_")[0], array)
    return tuple(_operations.operate(name, array, type=_operations.ARRAYS, stream=stream) for name in names)


def frexp(arg, stream=None):
    """Split numbers into significand and exponent: ``arg == significand * 2**exponent``.

    Parameters
    ----------
    arg : GPUArray
        Floating-point array.
    stream : _Stream, optional
        @stream

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
        @stream

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


# All other functions share their parameters; those above have PyCUDA's parameter names, or two results.
for _name, _row in _TABLE.items():
    if _name not in globals():
        globals()[_name] = (_make_unary if _row.arity == 1 else _make_binary)(_row)
