"""NumPy's functions, universal functions and ndarray's methods of Arrays.

They compute on GPUArrays over the same memory, but with NumPy's dtypes and orders, which are the standard's where that defines them, and give Arrays.
"""

import numpy as np

from pycuda._arrays import numpy_functions as _numpy_functions
from pycuda._arrays import operations as _operations
from pycuda._arrays import orders as _orders
from pycuda._arrays import universal_functions as _universal_functions

__all__ = ["METHODS", "call_function", "call_ufunc"]

#: Functions whose results have 64 bits for integers, and their counterparts among the methods of universal functions.
_ACCUMULATE = {np.sum, np.prod, np.cumsum, np.cumprod, np.nansum, np.nanprod, np.nancumsum, np.nancumprod}
_ACCUMULATING_UFUNCS = {np.add, np.multiply}

#: Functions for which GPUArrays have PyCUDA's order of elements.
_IN_ORDER_OF_INDICES = {
    np.reshape: lambda a, shape=None, order="C", *, newshape=None, copy=None: _orders.reshaped(
        a, newshape if shape is None else shape, _orders.resolved(a, order, "CFA"), copy),
    np.ravel: lambda a, order="C": _orders.reshaped(a, -1, "C", None) if order == "C" else _orders.raveled(a, order),
}

#: ndarray's methods, and the functions that do the same.
METHODS = {
    **{name: getattr(np, name) for name in ("all", "any", "argmax", "argmin", "argsort", "clip", "cumsum", "dot", "max", "mean", "min", "prod", "ravel", "repeat",
                                            "round", "std", "sum", "var", "argpartition", "choose", "cumprod", "diagonal", "nonzero", "searchsorted", "swapaxes", "take",
                                            "trace")},
    "conj": np.conjugate, "conjugate": np.conjugate, "compress": lambda array, condition, axis=None, out=None: np.compress(condition, array, axis, out),
}


class _Views:
    """GPUArrays over the memory of Arrays, for one call."""

    def __init__(self, array_class):
        self.array_class, self.arrays = array_class, {}

    def of(self, value):
        """A value with GPUArrays in place of the Arrays in it."""
        if isinstance(value, self.array_class):
            view = _operations.index(value, ...)
            self.arrays[id(view)] = view, value
            return view
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.of, value))
        _operations.require_one_kind(self.array_class, value)
        return value

    def results(self, value):
        """A result with Arrays in place of the GPUArrays in it: those of the call, or new ones."""
        if _operations.is_array(value):
            if id(value) in self.arrays:
                return self.arrays[id(value)][1]
            value.__class__ = self.array_class
            value._answers = 0
            return value
        if not isinstance(value, (list, tuple)):
            return value
        return getattr(type(value), "_make", type(value))(map(self.results, value))  # _make: of a named tuple


def _sum_dtype(array):
    """The dtype of a sum of an array's elements, as in NumPy."""
    return {"b": np.dtype(np.int64), "i": np.dtype(np.int64), "u": np.dtype(np.uint64)}.get(array.dtype.kind)


def call_function(array_class, function, args, kwargs):
    """NumPy's function of these arguments, one of which is an Array; NotImplemented if there is none for arrays on the device."""
    ours = _IN_ORDER_OF_INDICES.get(function) or _numpy_functions.functions.get(function)
    if ours is None:
        return NotImplemented
    views = _Views(array_class)
    args, kwargs = views.of(list(args)), {name: views.of(value) for name, value in kwargs.items()}
    if function in _ACCUMULATE and len(args) < 3 and kwargs.get("dtype") is None:
        kwargs["dtype"] = _sum_dtype(args[0] if args else kwargs["a"])
    return views.results(ours(*args, **kwargs))


def call_ufunc(array_class, ufunc, method, inputs, out, keywords):
    """ufunc.method(*inputs, out=out, **keywords), with NumPy's dtypes; NotImplemented beside foreign objects."""
    views = _Views(array_class)
    inputs, out, keywords = views.of(inputs), views.of(out), {name: views.of(value) for name, value in keywords.items()}
    if ufunc in _ACCUMULATING_UFUNCS and method in ("reduce", "accumulate") and keywords.get("dtype") is None:
        keywords["dtype"] = _sum_dtype(inputs[0])
    return views.results(_universal_functions.call_ufunc(ufunc, method, inputs, out, keywords, has_numpys_dtypes=True))
