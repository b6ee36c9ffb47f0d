"""Protocols by which NumPy and other packages use arrays on the device."""

import copy as _copy

import numpy as np

from pycuda import _dlpack
from pycuda._arrays import numpy_functions as _numpy_functions
from pycuda._arrays import operations as _operations
from pycuda._arrays import texts as _texts
from pycuda._arrays import universal_functions as _universal_functions
from pycuda._arrays.creation import to_gpu
from pycuda._arrays.numpys import unavailable as _unavailable

__all__ = ["ArrayProtocols"]


class ArrayProtocols(_dlpack.ArrayExport):
    """The base class of GPUArray with __array_ufunc__ and the other protocols."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"__array_ufunc__: expected a universal function, given {ufunc!r}")
        return _universal_functions.call_ufunc(ufunc, method, inputs, out, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        ours = _numpy_functions.functions.get(function) or _numpy_functions.creators.get(function)
        if ours is None:
            _unavailable.refuse(function)
            return NotImplemented
        if len(types) > 1 and not all(issubclass(kind, (ArrayProtocols, np.ndarray)) for kind in types):
            return NotImplemented  # another library's array knows how to mix with these
        _operations.require_one_kind(self, *args)
        if args and type(args[0]) in (list, tuple) and function not in _numpy_functions.of_sequences and function not in _numpy_functions.creators:
            args = (_operations.of_lists(args[0]), *args[1:])
        return ours(*args, **kwargs)

    def _of_sequence(self, values):
        """The numbers of a list or tuple, an operand of an operator, on the device."""
        return _operations.of_lists(values)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a GPUArray is not converted to a NumPy array implicitly, because that would copy it from the device; call its method get()")

    @property
    def __cuda_array_interface__(self):
        """Version 3. Results are ordered on the default stream."""
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "data": (self.ptr if self.size else 0, False),
            "stream": None,
            "version": 3,
        }

    def __reduce_ex__(self, protocol):
        return _rebuild, (type(self), self.get(), dict(self.__dict__) if getattr(self, "__dict__", None) else None)

    def __copy__(self):
        return _with_attributes(type(self), self.copy(), self.__dict__)

    def __deepcopy__(self, memo):
        result = _with_attributes(type(self), self.copy(), {})
        memo[id(self)] = result  # first: its attributes may lead back to it
        result.__dict__.update(_copy.deepcopy(self.__dict__, memo))
        return result

    def __str__(self):
        return _texts.str_of(self)

    def __repr__(self):
        return _texts.repr_of(self)

    def _repr_html_(self):
        from pycuda._html import array_html

        return array_html(self)


def _rebuild(cls, host, attributes):
    """Unpickles an array of the class to the current device."""
    return _with_attributes(cls, to_gpu(host), attributes or {})


def _with_attributes(cls, array, attributes):
    """The contents of `array` as an instance of `cls`, whose __init__ is not called, with these attributes."""
    if type(array) is not cls:
        result = type(array).__new__(cls)
        type(array).__init__(result, array.shape, array.dtype, allocator=array.allocator, gpudata=array.gpudata, strides=array.strides)
        array = result
    array.__dict__.update(attributes)
    return array
