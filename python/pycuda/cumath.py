"""Mathematical functions of arrays, entry by entry."""

import sys
import warnings

from pycuda import gpuarray  # noqa: F401  client programs import it from here
from pycuda._arrays import operations as _operations

_TABLE = {row.python.rpartition(".")[2]: row for row in _operations.table.values() if row.python.startswith("cumath.")}

__all__ = [*_TABLE]


def _require_array(name, value):
    if not _operations.is_array(value):
        raise TypeError(f"{name}: expected a GPUArray, given {type(value).__name__}")


def _documentation(row, parameters, result):
    sentence = row.sentence.format(a="the first", b="the second")
    return f"{row.name}({parameters})\n--\n\n{sentence[0].upper()}{sentence[1:]}, element by element, {result}."


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
        return _operations.operate(name, array, type=_operations.ARRAYS, out=out, stream=stream, converts=False)

    function.__name__ = function.__qualname__ = name
    doc = _documentation(row, "array, stream_or_out=None, *, out=None, stream=None", "in a new array of the same dtype, or in `out`")
    return _operations.plain_function(name, doc, function, sys.modules[__name__])


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


# All others, whose parameters are the same for each; those above have PyCUDA's names of parameters, or two results.
for _name, _row in _TABLE.items():
    if _name not in globals():
        globals()[_name] = (_make_unary if _row.arity == 1 else _make_binary)(_row)
