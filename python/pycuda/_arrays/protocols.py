"""What lets NumPy and other packages work with arrays on the device."""

import numpy as np

from pycuda import _dlpack
from pycuda._arrays import operators as _operators

__all__ = ["ArrayProtocols", "register"]

#: NumPy's universal functions, by the engine's operation, for those that have another name there.
_UFUNCS = {
    "negative": "neg", "absolute": "abs", "fabs": "fabs", "sign": "sign", "square": "square", "reciprocal": "reciprocal",
    "conjugate": "conj", "logical_not": "logical_not", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor", "minimum": "minimum", "maximum": "maximum", "fmin": "fmin", "fmax": "fmax", "isnan": "isnan",
    "isinf": "isinf", "isfinite": "isfinite", "signbit": "signbit", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "fmod": "fmod", "invert": "invert",
    **{name: name for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh",
                               "tanh", "ceil", "floor", "trunc", "rint", "hypot", "copysign", "nextafter", "deg2rad", "rad2deg")},
}
#: Universal functions that are operators here, with the operators' types.
_OPERATORS = {
    "add": _operators.add, "subtract": _operators.subtract, "multiply": _operators.multiply, "power": _operators.power,
    "floor_divide": _operators.floor_divide, "remainder": _operators.remainder, "bitwise_and": _operators.bitwise_and,
    "bitwise_or": _operators.bitwise_or, "bitwise_xor": _operators.bitwise_xor, "left_shift": _operators.left_shift,
    "right_shift": _operators.right_shift, "divide": _operators.true_divide,
}
_COMPARISONS = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}

#: Reductions that numpy.NAME.reduce is.
_REDUCTIONS = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any"}

#: NumPy's functions that have a counterpart here; those that only ask an array for an attribute are here from the start.
_functions = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
    np.squeeze: lambda a, axis=None: a.squeeze(axis),
    np.ravel: lambda a: a.ravel(),
}


def register(namespace):
    """Makes numpy.NAME(arrays of ours) call `namespace`'s function of that name."""
    for name in ("concatenate", "stack", "where", "sum", "prod", "any", "all", "dot", "mean", "argmin", "argmax", "cumsum", "transpose", "reshape",
                 "take", "clip", "unique", "sort", "argsort", "cumprod", "nonzero", "empty_like", "zeros_like", "ones_like", "matmul"):
        if name in namespace and hasattr(np, name):
            _functions[getattr(np, name)] = namespace[name]
    for name, ours in (("amin", "min"), ("amax", "max"), ("min", "min"), ("max", "max")):
        if hasattr(np, name):
            _functions[getattr(np, name)] = namespace[ours]


def _ufunc_dtype(ufunc, operands):
    """What NumPy would give for operands of these types."""
    types = [operand.dtype if hasattr(operand, "dtype") else type(operand) for operand in operands]
    return ufunc.resolve_dtypes((*types, *[None] * ufunc.nout))[ufunc.nin]


def _reduce(name, array, axis=0, dtype=None, keepdims=False):
    from pycuda import gpuarray

    options = {} if dtype is None else {"dtype": dtype}
    return getattr(gpuarray, name)(array, axis=axis, keepdims=keepdims, **options)


class ArrayProtocols(_dlpack.ArrayExport):
    """The class under GPUArray: __array_ufunc__ and its like."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        name = ufunc.__name__
        if method == "reduce" and name in _REDUCTIONS and out is None:
            return _reduce(_REDUCTIONS[name], *inputs, **kwargs)
        if method != "__call__":
            return NotImplemented
        if ufunc in _functions and out is None and all(hasattr(operand, "gpudata") for operand in inputs):
            return _functions[ufunc](*inputs, **kwargs)  # NumPy's matmul is a ufunc
        if kwargs.get("dtype") is not None and name in _OPERATORS:
            inputs = [operand.astype(kwargs["dtype"]) if hasattr(operand, "gpudata") else operand for operand in inputs]
            kwargs = {key: value for key, value in kwargs.items() if key != "dtype"}
        if kwargs or ufunc.nout != 1:
            return NotImplemented
        operands = _operators.operands_of(*inputs)
        if operands is None:
            return NotImplemented
        target = None if out is None else out[0]
        if target is not None and not isinstance(target, type(self).__mro__[0]) and not hasattr(target, "gpudata"):
            return NotImplemented
        if name in _OPERATORS:
            return _OPERATORS[name](*operands, target)
        if name in _COMPARISONS:
            if target is None:
                return _operators.compare(_COMPARISONS[name], *operands)
            return _operators.elementwise(_COMPARISONS[name], target.dtype, *operands, out=target)
        operation = _UFUNCS.get(name)
        if operation is None:
            return NotImplemented
        dtype = _ufunc_dtype(ufunc, operands) if target is None else target.dtype
        return _operators.elementwise(operation, dtype, *operands, out=target)

    def __array_function__(self, function, types, args, kwargs):
        ours = _functions.get(function)
        if ours is None:
            return NotImplemented
        return ours(*args, **kwargs)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a GPUArray is not converted to a NumPy array implicitly, as that copies from the device; call its method get()")

    @property
    def __cuda_array_interface__(self):
        """Version 3. The default stream has what was computed here."""
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
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())


def _rebuild(cls, host, attributes):
    """Unpickles: an array of the class on the device that is current now."""
    from pycuda.gpuarray import GPUArray, to_gpu

    result = to_gpu(host)
    if cls is not GPUArray:
        result = cls(result.shape, result.dtype, gpudata=result.gpudata, strides=result.strides)
    if attributes:
        result.__dict__.update(attributes)
    return result
