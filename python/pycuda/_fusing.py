"""Functions of arrays whose operations run in one kernel."""

import functools
import inspect
import linecache
import operator
import os

from pycuda import _driver
from pycuda._arrays.operations import is_array
from pycuda._arrays.operands import is_scalar

__all__ = ["fuse"]

_native = _driver._native

#: How messages of CannotFuse begin.
_REFUSED = "this cannot be fused: "

_ARRAY, _TUPLE, _LIST = range(3)


class _Number(_native.TracedNumber):
    """A number that is an argument of a traced function.

    Operations on arrays take it as it is, so that later calls may give another number. Whatever else the function does with it takes its value,
    for which the kernel then is.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if any(map(is_array, inputs)):
            return NotImplemented  # the array's
        return getattr(ufunc, method)(*(_value(each) for each in inputs), **keywords)

    def __getattr__(self, name):
        return getattr(self.fixed_value(), name)

    def __hash__(self):
        return hash(self.fixed_value())

    def __repr__(self):
        return repr(self.fixed_value())

    def __round__(self, *digits):
        return round(self.fixed_value(), *digits)

    def __pow__(self, other, *modulus):
        return NotImplemented if is_array(other) else pow(self.fixed_value(), _value(other), *modulus)

    def __rpow__(self, other):
        return NotImplemented if is_array(other) else pow(_value(other), self.fixed_value())


def _value(object):
    return object.fixed_value() if isinstance(object, _Number) else object


def _binary(function, is_reflected):
    def method(self, other):
        if is_array(other):
            return NotImplemented
        return function(_value(other), self.fixed_value()) if is_reflected else function(self.fixed_value(), _value(other))
    return method


def _unary(function):
    return lambda self: function(self.fixed_value())


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "and", "or", "xor", "lshift", "rshift"):
    _function = divmod if _name == "divmod" else getattr(operator, f"__{_name}__")
    setattr(_Number, f"__{_name}__", _binary(_function, False))
    setattr(_Number, f"__r{_name}__", _binary(_function, True))
for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(_Number, f"__{_name}__", _binary(getattr(operator, _name), False))
for _name, _function in (("neg", operator.neg), ("pos", operator.pos), ("abs", abs), ("invert", operator.invert), ("bool", bool), ("int", int),
                         ("float", float), ("complex", complex), ("index", operator.index)):
    setattr(_Number, f"__{_name}__", _unary(_function))


def fuse(function=None, *, fast=False):
    """Return a function that runs the operations of another one in one kernel.

    At the first call with arrays of certain dtypes, shapes and strides, the function runs with arrays that have no elements yet. What it does with them is
    recorded: operators, NumPy's universal functions, ``where`` and ``clip``, conversions, views, and reductions. Then, and at later calls with such arrays, one
    kernel computes all of it, and what a function that is fused calls is a part of it. Results of one shape come from one kernel; each
    reduction has one, which computes the elements that it reduces.

    Arguments are GPUArrays and numbers, and the result is a GPUArray, or a tuple or list of them. Numbers may differ from call to call, unless the function looks at
    their values: then there is a kernel for each.

    Parameters
    ----------
    function : callable
        A function of arrays and numbers that returns arrays, and has no other effect. None: return a decorator.
    fast : bool, optional
        False: the results are those of the separate operations, bit for bit. True: the compiler may contract products and sums, and 16-bit numbers are not rounded
        between operations.

    Returns
    -------
    callable
        The fused function. Its attribute ``__wrapped__`` is the function.

    Raises
    ------
    TypeError
        The argument is not callable. A call raises it, too: for an argument that is neither a GPUArray nor a number, and where the function does what cannot be
        fused, such as a branch that depends on elements; the message names the line.

    Examples
    --------
    >>> @gpuarray.fuse
    ... def distance(a, b):
    ...     return ((a - b)**2).mean()
    >>> distance(gpuarray.arange(4, dtype=np.float32), gpuarray.ones(4, np.float32)).get().item()
    1.5
    """
    if function is None:
        return functools.partial(fuse, fast=fast)
    if not callable(function):
        raise TypeError(f"fuse: expected a function, given {type(function).__name__}")
    fused = _native.FusedFunction(function, functools.partial(_trace, bool(fast)))
    for name in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(function, name):
            setattr(fused, name, getattr(function, name))
    return fused


def _trace(fast, fused, arguments, keywords):
    """Call the function with other arguments than before: trace it for these."""
    function = fused.__wrapped__
    if keywords:
        bound = inspect.signature(function).bind(*arguments, **keywords)
        if bound.kwargs:
            raise TypeError(f"{_name_of(function)}: arguments of a fused function are positional, given {', '.join(bound.kwargs)} by keyword only")
        return fused(*bound.args)
    for number, argument in enumerate(arguments, 1):
        if not is_array(argument) and not is_scalar(argument):
            raise TypeError(f"{_name_of(function)}: argument {number} of a fused function must be a GPUArray or a number, not {type(argument).__name__}"
                            + ("; copy it to the device with gpuarray.to_gpu()" if hasattr(argument, "__array_interface__") else ""))
    plain = tuple(argument if is_array(argument) else _plain(argument) for argument in arguments)
    trace = _native.begin_trace(plain, fast, _Number)
    try:
        result = function(*trace.arguments)
        returned = _TUPLE if type(result) is tuple else _LIST if type(result) is list else _ARRAY
        results = (result,) if returned == _ARRAY else tuple(result)
        for each in results:
            if not is_array(each):
                raise TypeError(f"{_REFUSED}it returns {_described(each)}; expected GPUArrays, or a tuple or list of them")
        fused._add_program(trace, plain, results, returned)
    except TypeError as error:
        if error.args and isinstance(error.args[0], str) and error.args[0].startswith(_REFUSED):
            error.args = (f"{_name_of(function)}: {error.args[0]}{_place(error)}", *error.args[1:])
        raise
    finally:
        trace.close()
    return fused(*plain)


def _plain(number):
    """A number that the native code reads without calling Python."""
    if getattr(number, "shape", None) == () and hasattr(number, "__array_interface__") and hasattr(number, "item") and not is_array(number):
        return number[()]
    return number


def _described(value):
    return "nothing" if value is None else f"{'an' if type(value).__name__[0] in 'aeiou' else 'a'} {type(value).__name__}"


def _name_of(function):
    return getattr(function, "__qualname__", None) or type(function).__name__


def _place(error):
    """The line of the program where the error occurred: " (line 3 of f.py: if x > 0:)"."""
    ours, found, frame = os.path.dirname(__file__), None, error.__traceback__
    while frame is not None:
        if not frame.tb_frame.f_code.co_filename.startswith(ours + os.sep):
            found = frame.tb_frame.f_code.co_filename, frame.tb_lineno
        frame = frame.tb_next
    if found is None:
        return ""
    text = linecache.getline(*found).strip()
    return f" (line {found[1]} of {found[0]}{': ' if text else ''}{text})"
