"""NumPy's namespaces for NumPy's own tests, with arrays on the device.

What creates arrays gives GPUArrays. Functions get their arrays on the device, also those that a test created elsewhere. Assertions get results on the
host, where results without axes are numbers, as NumPy's are.
"""

import types

import numpy as np
import numpy._core.umath
import numpy.testing
from pycuda import gpuarray
from pycuda._arrays.numpy_functions import creators, functions, of_sequences
from pycuda._arrays.numpys import unavailable
from pycuda._arrays.operations import of_lists

GPUArray = gpuarray.GPUArray

#: Element types that the device computes with.
_CODES = "?bBhHiIlLqQefdFD"

#: The reasons for which functions take no arrays on the device and return new ones.
_CREATING = ("They return arrays in host memory, for which arrays have the method `get()`", "They take no arrays")

#: Functions whose results without axes are arrays in NumPy, too.
_OF_VIEWS = {"reshape", "squeeze", "transpose", "broadcast_to", "broadcast_arrays", "ravel", "copy", "empty_like", "zeros_like", "ones_like", "full_like",
             "astype", "moveaxis", "swapaxes", "expand_dims", "as_strided", "sliding_window_view", "atleast_1d", "real", "imag"}

_METHODS_OF_UFUNCS = {"reduce", "accumulate", "reduceat", "outer", "at"}


class Uses:
    """What the current test did on the device: whether anything was computed there, and the arrays that were only copied to it."""

    computed = False
    copied: list = []

    @classmethod
    def reset(cls):
        cls.computed, cls.copied = False, []


# ---- conversion


def mapped(function, value):
    """The value, with `function` applied to what its lists, tuples and dictionaries hold."""
    if type(value) in (list, tuple):
        return type(value)(mapped(function, each) for each in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(mapped(function, each) for each in value)
    if type(value) is dict:
        return {name: mapped(function, each) for name, each in value.items()}
    return function(value)


def _to_device(value):
    if type(value) is not np.ndarray or value.dtype.char not in _CODES or not value.dtype.isnative:
        return value
    result = gpuarray.to_gpu(value)
    Uses.copied.append(result)
    return result


def _to_host(value):
    if value is GPUArray or isinstance(value, Type):
        return np.ndarray if value is GPUArray else value.__wrapped__
    if not isinstance(value, GPUArray):
        return value
    if not any(value is each for each in Uses.copied):
        Uses.computed = True
    return value.get() if value.ndim else value.get()[()]


def device(value):
    """The value with its arrays on the device."""
    return mapped(_to_device, value)


def host(value):
    """The value with its arrays on the host."""
    return mapped(_to_host, value)


def _has_arrays(value):
    if isinstance(value, (list, tuple)):
        return any(map(_has_arrays, value))
    if isinstance(value, dict):
        return any(map(_has_arrays, value.values()))
    return isinstance(value, GPUArray)


def _first_on_device(function, args):
    """The arguments, with numbers in lists or in an array of the host as an array on the device if they are the first one."""
    if not args or not isinstance(args[0], (list, tuple, np.ndarray)) or not isinstance(args[0], np.ndarray) and function in of_sequences:
        return args
    try:
        first = args[0] if isinstance(args[0], np.ndarray) else of_lists(args[0]) if _has_arrays(args[0]) else np.asarray(args[0])
    except (ValueError, TypeError):
        return args
    return (_to_device(first), *args[1:]) if np.size(first) or isinstance(args[0], np.ndarray) else args


def _write_back(given, written):
    """Copy what was written to copies on the device of `given`, an array or a tuple, into its arrays of the host."""
    if isinstance(given, tuple):
        for one, other in zip(given, written):
            _write_back(one, other)
    elif isinstance(given, np.ndarray) and isinstance(written, GPUArray):
        given[...] = written.get()


# ---- functions


class Function:
    """One of NumPy's functions, for arrays on the device."""

    def __init__(self, function, name=None):
        self.__wrapped__ = function
        self._name = name or getattr(function, "__name__", "")
        self._cached = {}

    def __call__(self, *args, **kwargs):
        given_out = kwargs.get("out")
        if isinstance(self.__wrapped__, np.ufunc) and self.__wrapped__.nin < len(args) <= self.__wrapped__.nargs and "out" not in kwargs:
            given_out, args = (*args[self.__wrapped__.nin:], *[None] * (self.__wrapped__.nargs - len(args))), args[:self.__wrapped__.nin]
            kwargs = {**kwargs, "out": given_out}
        args, kwargs = device(args), device(kwargs)
        if not _has_arrays((args[1:], kwargs)):
            args = _first_on_device(self.__wrapped__, args)
        if _has_arrays((args, kwargs)):
            Uses.computed = True
        result = self._result(self.__wrapped__(*args, **kwargs), kwargs)
        _write_back(given_out, kwargs.get("out"))
        return result

    def _result(self, result, kwargs):
        if self._name in _OF_VIEWS or kwargs.get("out") is not None or result is None:
            return result
        return mapped(lambda value: value.get()[()] if isinstance(value, GPUArray) and not value.ndim else value, device(result))

    def __getattr__(self, name):
        if name == "__wrapped__":
            raise AttributeError(name)  # before it is set
        value = getattr(self.__wrapped__, name)
        if name not in _METHODS_OF_UFUNCS or not isinstance(self.__wrapped__, np.ufunc):
            return value
        return self._cached.setdefault(name, Function(value, name))

    def __eq__(self, other):
        return getattr(other, "__wrapped__", other) is self.__wrapped__

    def __hash__(self):
        return hash(self.__wrapped__)

    def __repr__(self):
        return repr(self.__wrapped__)


class Creator(Function):
    """One that returns new arrays, from numbers and from arrays on the host."""

    def __call__(self, *args, **kwargs):
        if isinstance(kwargs.get("like"), GPUArray):
            return self.__wrapped__(*args, **kwargs)
        if self._name in ("asarray", "asanyarray") and args and isinstance(args[0], GPUArray) and len(args) == 1 and not kwargs:
            return args[0]
        computed = Uses.computed
        args, kwargs = host(args), host(kwargs)
        Uses.computed = computed
        return device(self.__wrapped__(*args, **kwargs))


class Assertion(Function):
    """One of numpy.testing's functions."""

    def __call__(self, *args, **kwargs):
        if self._name.startswith(("assert_raises", "assert_warns", "assert_no")):
            if self._name == "assert_raises_regex":  # the texts of messages are not compared
                return np.testing.assert_raises(args[0], *args[2:], **kwargs)
            return self.__wrapped__(*args, **kwargs)
        return self.__wrapped__(*host(args), **host(kwargs))


class Source:
    """An object whose methods return new arrays: a generator of random numbers."""

    def __init__(self, wrapped):
        self.__wrapped__ = wrapped

    def __getattr__(self, name):
        value = getattr(self.__wrapped__, name)
        return Creator(value, name) if callable(value) else value


class SourceType:
    """A class of such objects."""

    def __init__(self, wrapped):
        self.__wrapped__ = wrapped

    def __call__(self, *args, **kwargs):
        return Source(self.__wrapped__(*args, **kwargs))

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)


class Grid:
    """numpy.r_ and the like, which create arrays from indices."""

    def __init__(self, wrapped):
        self.__wrapped__ = wrapped

    def __getitem__(self, index):
        return device(self.__wrapped__[host(index)])

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)


class Type:
    """One of NumPy's classes, of which `others` count as instances, too. Subclasses are NumPy's."""

    def __init__(self, wrapped, others):
        self.__wrapped__, self._others = wrapped, others

    def __mro_entries__(self, bases):
        return (self.__wrapped__,)

    def __instancecheck__(self, value):
        return isinstance(value, self.__wrapped__) or self._others(value)

    def __subclasscheck__(self, other):
        return issubclass(getattr(other, "__wrapped__", other), self.__wrapped__)

    def __call__(self, *args, **kwargs):
        return device(self.__wrapped__(*args, **kwargs))

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)


# ---- namespaces


class Namespace(types.ModuleType):
    """One of NumPy's modules."""

    def __init__(self, module):
        super().__init__(module.__name__)
        self.__dict__["_module"] = module

    def __getattr__(self, name):
        value = stand_in(getattr(self._module, name))
        self.__dict__[name] = value
        return value


_table = {}


def _register(value, made):
    _table[id(value)] = (value, made)


def stand_in(value):
    """What stands for one of NumPy's objects; other values unchanged."""
    known = _table.get(id(value))
    return known[1] if known is not None and known[0] is value else value


def _fill_table():
    creating = {name for reason in _CREATING for name in unavailable.REASONS[reason].split()}
    for module in (np, np.linalg, np.fft, np.lib.stride_tricks):
        for name in dir(module):
            value = getattr(module, name)
            if isinstance(value, type) or not callable(value):
                continue
            if value in functions or isinstance(value, np.ufunc) or module is np.lib.stride_tricks:
                _register(value, Function(value))
            elif value in creators or name in creating:
                _register(value, Creator(value))
    for name in dir(np.testing):
        if name.startswith("assert_"):
            _register(getattr(np.testing, name), Assertion(getattr(np.testing, name)))
    for name in np.random.__all__:
        value = getattr(np.random, name)
        if name in ("RandomState", "default_rng"):
            _register(value, SourceType(value))
        elif callable(value) and not isinstance(value, type) and name not in ("seed", "get_state", "set_state"):
            _register(value, Creator(value, name))
    for name in ("r_", "c_", "mgrid", "ogrid"):
        _register(getattr(np, name), Grid(getattr(np, name)))
    _register(np.ndarray, Type(np.ndarray, lambda value: isinstance(value, GPUArray)))
    _register(np.ufunc, Type(np.ufunc, lambda value: isinstance(getattr(value, "__wrapped__", None), np.ufunc)))
    for module in (np, np.linalg, np.fft, np.random, np.testing, np.lib, np.lib.stride_tricks, np._core, np._core.umath):
        _register(module, Namespace(module))


_fill_table()
