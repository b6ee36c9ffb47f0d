"""The array of the standard: a GPUArray with the standard's types, operators and indexing."""

import functools

import numpy as np

from pycuda import _driver
from pycuda._arrays import operations as _operations
from pycuda._arrays import orders as _orders
from pycuda._arrays.copies import copy_on_device, in_c_order, packed_copy
from pycuda.array_api import _numpy
from pycuda.array_api._dtypes import is_python_number
from pycuda.gpuarray import GPUArray

__all__ = ["Array"]


def wrap(array):
    """Turn an array of the engine, which may be a view or 0-d, into an Array: the same object."""
    array.__class__ = Array
    array._answers = 0
    return array


def run(operation, dtype, *operands):
    """A new array of `dtype` with the result of the engine's operation on arrays and numbers, which broadcast."""
    return wrap(_operations.operate(operation, *operands, type=dtype))


def converted(array, dtype):
    """A new array with the elements converted to a dtype."""
    return run("copy", dtype, array)


def in_dtype(array, dtype):
    """The array if it has the dtype, else a new one with converted elements."""
    return array if array.dtype == dtype else converted(array, dtype)


def view_at(array, index):
    """The view at a basic index."""
    return wrap(_operations.index(array, index))


def as_operand(value, dtype):
    """A value as an operand of the engine, in a dtype."""
    if isinstance(value, GPUArray):
        return in_dtype(value, dtype)
    return np.array(value, dtype)[()]


def namespace():
    from pycuda import array_api

    return array_api


class Array(GPUArray):
    """An array on the device that follows the Python array API standard.

    Functions of `pycuda.array_api` make them, asarray() of a GPUArray among them. Memory, `gpudata` and kernels' arguments are GPUArray's.
    """

    __slots__ = ()

    def __array_namespace__(self, *, api_version=None):
        """Return the module pycuda.array_api. ValueError for a version that it does not follow."""
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
            raise ValueError(f"expected an api_version up to '2025.12', given {api_version!r}")
        return namespace()

    def to_device(self, device, /, *, stream=None):
        """Return the array itself: the context's device is the only one. ValueError for another device."""
        check_device(device)
        return self

    @property
    def T(self):
        """The transpose of a matrix."""
        if self.ndim != 2:
            raise ValueError(f"T: expected an array of two axes, given {self.ndim}; use mT, or permute_dims()")
        return self.mT

    @property
    def mT(self):
        """The transpose of the matrices in the last two axes."""
        if self.ndim < 2:
            raise ValueError(f"mT: expected an array of at least two axes, given {self.ndim}")
        return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    # NumPy's functions of Arrays, and ndarray's methods.

    def __array_function__(self, function, types, args, kwargs):
        return _numpy.call_function(Array, function, args, kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        return _numpy.call_ufunc(Array, ufunc, method, inputs, out, kwargs)

    @property
    def real(self):
        """The real parts, a new array; for real arrays, the array itself."""
        return wrap(super().real)

    @real.setter
    def real(self, values):
        self._part(0)[...] = values

    @property
    def imag(self):
        """The imaginary parts, a new array; for real arrays, zeros."""
        return wrap(super().imag)

    @imag.setter
    def imag(self, values):
        self._part(1)[...] = values

    def mul_add(self, selffac, other, otherfac):
        """Return ``selffac * self + otherfac * other``."""
        return selffac * self + otherfac * other

    # Views and copies are Arrays, too.

    def transpose(self, *axes):
        """The array with its axes permuted; without arguments, reversed."""
        return wrap(super().transpose(*axes))

    def squeeze(self, axis=None):
        """The array without its axes of length 1, or without these."""
        return wrap(super().squeeze(axis))

    def view(self, dtype=None):
        """The same bytes as elements of another dtype."""
        return wrap(super().view(dtype))

    def copy(self, order="K"):
        """A new array with the same elements, in this order."""
        return wrap(super().copy(order))

    def astype(self, dtype, *, order="K", casting="unsafe", copy=True):
        """The elements converted to a dtype: a new array, unless `copy` is False and the dtype and order are the same."""
        if self.dtype.kind == "c" and np.dtype(dtype).kind not in "cb":
            raise TypeError(f"complex elements cannot be converted to {np.dtype(dtype)}; use real() or abs()")
        return wrap(super().astype(dtype, order=order, casting=casting, copy=copy))

    def flatten(self, order="C"):
        """A copy of the elements in one dimension."""
        return wrap(super().flatten(order))

    def byteswap(self, inplace=False):
        """The elements with their bytes in reverse order; `inplace`: this array, changed."""
        return self if inplace and super().byteswap(True) is self else wrap(super().byteswap())

    def reverse(self):
        """A copy with the elements in reverse memory order."""
        return wrap(super().reverse())

    def reshape(self, *shape, order="C", copy=None):
        """The elements, read and placed in this order of their indices, in another shape: a view if the layout allows it, else a copy."""
        return wrap(_orders.reshaped(self, shape[0] if len(shape) == 1 else shape, _orders.resolved(self, order, "CFA"), copy))

    # ---- Python numbers

    def _number(self, kinds, what):
        if self.shape:
            raise TypeError(f"only arrays without axes are converted to {what}, given shape {self.shape}")
        if self.dtype.kind not in kinds:
            raise TypeError(f"an array of {self.dtype} is not converted to {what}")
        return self.get()[()].item()

    def __bool__(self):
        return bool(self._number("biufc", "bool"))

    def __int__(self):
        return int(self._number("biuf", "int"))

    def __float__(self):
        return float(self._number("biuf", "float"))

    def __complex__(self):
        return complex(self._number("biufc", "complex"))

    def __index__(self):
        return self._number("iu", "an index")

    def __iter__(self):
        if not self.shape:
            raise TypeError("an array without axes has no elements to iterate over")
        return (self[k] for k in range(self.shape[0]))

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    # ---- indices

    def __getitem__(self, index):
        from pycuda.array_api import _indices

        return _indices.get(self, index)

    def __setitem__(self, index, value):
        from pycuda.array_api import _indices

        _indices.put(self, index, value)

    def __pos__(self):
        return namespace().positive(self)

    def __neg__(self):
        return namespace().negative(self)

    def __invert__(self):
        return namespace().bitwise_invert(self)

    def __abs__(self):
        return namespace().abs(self)

    def __matmul__(self, other):
        return namespace().matmul(self, other) if isinstance(other, GPUArray) else NotImplemented

    def __rmatmul__(self, other):
        return namespace().matmul(other, self) if isinstance(other, GPUArray) else NotImplemented

    def __imatmul__(self, other):
        return _into(self, namespace().matmul(self, other))

    __hash__ = None  # type: ignore[assignment]


def _into(array, result):
    """array[...] = result, for operators in place, which keep dtype and shape."""
    if result.dtype != array.dtype and not (np.can_cast(result.dtype, array.dtype, "same_kind")):
        raise TypeError(f"an array of {array.dtype} cannot hold results of {result.dtype} in place")
    if result.shape != array.shape:
        raise ValueError(f"an array of shape {array.shape} cannot hold results of shape {result.shape} in place")
    if array.size:
        copy_on_device(array, result)
    return array


def _is_operand(value):
    return isinstance(value, GPUArray) or is_python_number(value)  # functions refuse GPUArrays that are no Arrays


def _operators_of(function):
    def forward(self, other, /):
        return getattr(namespace(), function)(self, other) if _is_operand(other) else NotImplemented

    def reflected(self, other, /):
        return getattr(namespace(), function)(other, self) if _is_operand(other) else NotImplemented

    def in_place(self, other, /):
        return _into(self, getattr(namespace(), function)(self, other)) if _is_operand(other) else NotImplemented

    return forward, reflected, in_place


for _name, _function in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}.items():
    for _prefix, _method in zip(("", "r", "i"), _operators_of(_function)):
        setattr(Array, f"__{_prefix}{_name}__", _method)
for _name, _function in {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
    setattr(Array, f"__{_name}__", _operators_of(_function)[0])


def _method_of(name, function):
    def method(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    method.__name__, method.__qualname__ = name, f"Array.{name}"
    method.__doc__ = f"Return ``numpy.{name}()`` of the array, an Array."
    return method


for _name, _function in _numpy.METHODS.items():
    setattr(Array, _name, _method_of(_name, _function))


def of_arrays(function):
    """Return the function with a check of its arguments: GPUArrays, which follow PyCUDA's rules, are a TypeError."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        for value in (*args, *kwargs.values()) if kwargs else args:
            _operations.require_one_kind(Array, *(value if type(value) in (list, tuple) else (value,)))
        return function(*args, **kwargs)

    return call


def current_device():
    """The device of the current context."""
    return _driver.Context.get_device()


def check_device(device):
    """ValueError unless the device is None or that of the current context."""
    if device is not None and device != current_device():
        raise ValueError(f"expected the device of the current context, {current_device()}, given {device!r}; make a context of the other one current")


def packed(array):
    """The array, or a copy, with its elements in C order without gaps."""
    return array if array.flags.c_contiguous else wrap(packed_copy(array))


def flat(array):
    """The elements in C order in one dimension."""
    return wrap(in_c_order(array))
