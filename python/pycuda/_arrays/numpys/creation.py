"""NumPy's functions that create arrays, which are arrays on the device for like=, a GPUArray; and functions that only read dtypes and shapes."""

import operator

import numpy as np

from pycuda._arrays import creation as _creation
from pycuda._arrays import operations as _operations
from pycuda._arrays.numpys.registry import creates, implements
from pycuda._arrays.operations import is_array, new_array

__all__ = []


def _shape_of(shape):
    return tuple(map(operator.index, shape)) if hasattr(shape, "__iter__") else (operator.index(shape),)


def _check_device(name, device):
    if device not in (None, "cpu"):
        raise ValueError(f"{name}: expected device=None, given {device!r}")


@creates("empty")
def _empty(shape, dtype=None, order="C", *, device=None):
    _check_device("empty", device)
    return new_array(_shape_of(shape), np.float64 if dtype is None else dtype, order=order.upper())


@creates("zeros")
def _zeros(shape, dtype=None, order="C", *, device=None):
    return _empty(shape, dtype, order, device=device).fill(0)


@creates("ones")
def _ones(shape, dtype=None, order="C", *, device=None):
    return _empty(shape, dtype, order, device=device).fill(1)


@creates("full")
def _full(shape, fill_value, dtype=None, order="C", *, device=None):
    value = fill_value if is_array(fill_value) else np.asarray(fill_value)
    result = _empty(shape, value.dtype if dtype is None else dtype, order, device=device)
    result[...] = fill_value
    return result


@creates("tri")
def _tri(N, M=None, k=0, dtype=float):
    return _operations.call("triangle", (_ones((N, N if M is None else M), dtype),), (operator.index(k), False))


@creates("eye")
def _eye(N, M=None, k=0, dtype=float, order="C", *, device=None):
    result = _zeros((N, N if M is None else M), dtype, order, device=device)
    if result.size:
        diagonal = _operations.call("diagonal", (result,), (operator.index(k),))
        diagonal.fill(1)
    return result


@creates("identity")
def _identity(n, dtype=None):
    return _eye(n, dtype=float if dtype is None else dtype)


@creates("arange")
def _arange(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None):
    _check_device("arange", device)
    start, stop = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    return _creation.arange(start, stop, step, dtype=np.result_type(start, stop, step) if dtype is None else dtype)


@creates("asarray", "asanyarray")
def _asarray(a, dtype=None, order=None, *, device=None, copy=None):
    _check_device("asarray", device)
    result = _creation.asarray(a, None if dtype is None else np.dtype(dtype))
    if order in ("C", "F") and not getattr(result.flags, f"{order.lower()}_contiguous") or copy and result is a:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return result.copy("K" if order is None else order)
    return result


@creates("array")
def _array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0):
    result = _asarray(object, dtype, None if order in ("K", "A") else order, copy=copy)
    return result[(None,) * (ndmin - result.ndim) + (...,)]


@creates("ascontiguousarray")
def _ascontiguousarray(a, dtype=None):
    return _array(a, dtype, copy=None, order="C", ndmin=1)


@creates("asfortranarray")
def _asfortranarray(a, dtype=None):
    return _array(a, dtype, copy=None, order="F", ndmin=1)


@creates("require")
def _require(a, dtype=None, requirements=None):
    wanted = {name.upper() for name in (requirements if requirements is not None else ())}
    order = "F" if wanted & {"F", "F_CONTIGUOUS", "FORTRAN"} else "C" if wanted & {"C", "C_CONTIGUOUS", "CONTIGUOUS"} else None
    return _asarray(a, dtype, order)


@creates("fromfunction")
def _fromfunction(function, shape, *, dtype=float, **kwargs):
    indices = np.indices(_shape_of(shape), dtype=dtype)
    return function(*map(_creation.to_gpu, indices), **kwargs)


# ---- dtypes and shapes


def _stand_in(operand):
    """A NumPy array of this shape and dtype, without memory."""
    return np.broadcast_to(np.empty((), operand.dtype), operand.shape) if is_array(operand) else operand


@implements("einsum_path")
def _einsum_path(*operands, optimize="greedy", einsum_call=False):
    if einsum_call:
        raise TypeError("einsum_path: expected einsum_call=False, which NumPy's einsum alone sets")
    return np.einsum_path(*map(_stand_in, operands), optimize=optimize)


@implements("can_cast")
def _can_cast(from_, to, casting="safe"):
    return np.can_cast(from_.dtype if is_array(from_) else from_, to, casting)


@implements("common_type")
def _common_type(*arrays):
    return np.common_type(*map(_stand_in, arrays))


@implements("min_scalar_type")
def _min_scalar_type(a, /):
    return np.min_scalar_type(a.get()[()]) if not a.ndim else a.dtype


# ---- text, which copies the elements as printing does


@implements("array2string")
def _array2string(a, *args, **kwargs):
    return np.array2string(a.get(), *args, **kwargs)


@implements("array_repr")
def _array_repr(arr, *args, **kwargs):
    return np.array_repr(arr.get(), *args, **kwargs)


@implements("array_str")
def _array_str(a, *args, **kwargs):
    return np.array_str(a.get(), *args, **kwargs)


