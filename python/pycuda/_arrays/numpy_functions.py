"""NumPy's functions of device arrays, with NumPy's parameters; universal functions are in a separate module."""

import inspect
import math
import operator

import numpy as np

from pycuda._arrays import averages as _averages
from pycuda._arrays import choice as _choice
from pycuda._arrays import comparing as _comparing
from pycuda._arrays import contractions as _contractions
from pycuda._arrays import counting as _counting
from pycuda._arrays import creation as _creation
from pycuda._arrays import gather as _gather
from pycuda._arrays import join as _join
from pycuda._arrays import matrices as _matrices
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import orders as _orders
from pycuda._arrays import rearrange as _rearrange
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import rounding as _rounding
from pycuda._arrays import search as _search
from pycuda._arrays import statistics as _statistics
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import into, output_of
from pycuda._arrays.numpys import registry as _registry

__all__ = ["creators", "functions", "of_sequences"]

#: Functions with NumPy's parameters, the first of which is the array.
_PARAMETERS = {
    **{name: "a axis dtype out keepdims initial where" for name in ("sum", "prod")},
    "mean": "a axis dtype out keepdims where", **{name: "a axis out keepdims" for name in ("argmin", "argmax")},
    **{name: "a axis out keepdims where" for name in ("any", "all")}, **{name: "a axis out keepdims initial where" for name in ("min", "max")},
    "cumsum": "a axis dtype out", "cumprod": "a axis dtype out", "transpose": "a axes", "nonzero": "a",
}


def _with_parameters(ours, text):
    parameters = text.split()
    takes_out = "out" in inspect.signature(ours).parameters

    def call(*args, **kwargs):
        if not kwargs and len(args) == 1:  # the usual call, without the work for others
            return ours(*args)
        if len(args) > len(parameters):
            raise TypeError(f"expected at most {len(parameters)} arguments, given {len(args)}")
        kwargs.update(zip(parameters, args))
        given = {name: value for name, value in kwargs.items() if value is not getattr(np, "_NoValue", None)}
        out = None if takes_out else given.pop("out", None)
        first = given.pop(parameters[0])
        return into(out, ours(first, **given))

    return call


# ---- functions

#: NumPy's functions that have a counterpart here; initially those that only read an attribute of an array.
functions = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: math.prod(a.shape[k] for k in normalise_axes(axis, a.ndim)),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
    np.squeeze: lambda a, axis=None: a.squeeze(axis),
    np.ravel: lambda a, order="C": _orders.raveled(a, order),
    np.copy: lambda a, order="K", subok=False: _orders.copied(a, order),
    np.result_type: lambda *operands: np.result_type(*(operand.dtype if _operations.is_array(operand) else operand for operand in operands)),
}


def _implements(function):
    def register_it(ours):
        functions[function] = ours
        return ours

    return register_it


@_implements(np.where)
def _where(condition, x=None, y=None):
    if x is None and y is None:
        return _ordering.nonzero(condition)
    if isinstance(condition, (list, tuple)) or isinstance(x, (list, tuple)) or isinstance(y, (list, tuple)):
        condition, x, y = map(_operations.of_lists, (condition, x, y))
    return _choice.where(condition, x, y)


@_implements(np.angle)
def _angle(z, deg=False):
    angle = _operations.operate("arg", z, type=np.dtype(np.float64) if z.dtype.kind == "b" else None)
    return _operations.operate("rad2deg", angle) if deg else angle


@_implements(np.dot)
def _dot(a, b, out=None):
    """For vectors the sum of products; with a number, the multiple; else the sums over a's last axis and b's second-to-last one."""
    a, b = _operations.of_lists(a), _operations.of_lists(b)
    if not (_operations.is_array(a) and _operations.is_array(b)) or a.ndim == 0 or b.ndim == 0:
        result = a * b
    elif a.ndim == b.ndim == 1:
        result = _reductions.dot(a, b)
    elif b.ndim < 3:
        result = _ordering.matmul(a, b)
    else:
        result = _operations.call("tensordot", (a, b), (1, a.ndim - 1, b.ndim - 2))
    if out is not None and output_of(out).dtype != result.dtype:
        raise ValueError(f"dot: out must have the dtype of the result, {result.dtype}, not {out.dtype}")
    return into(out, result)


@_implements(np.clip)
def _clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    lower, upper = _choice.bounds_of(a_min, a_max, min, max)
    return into(out, a.copy() if lower is None and upper is None else a.clip(lower, upper))


def _around(shape, axis):
    """The lengths before an axis, its own, and those after it."""
    return shape[:axis], shape[axis], shape[axis + 1:]


@_implements(np.take)
def _take(a, indices, axis=None, out=None, mode="raise"):
    if out is not None and not np.can_cast(a.dtype, output_of(out).dtype, "same_kind"):
        raise TypeError(f"take: elements of {a.dtype} cannot be written to out, of {output_of(out).dtype}")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"take: expected mode 'raise', 'wrap' or 'clip', given {mode!r}")
    before, length, after = ((), a.size, ()) if axis is None else _around(a.shape, normalise_axis(axis, a.ndim))
    wanted = indices.shape if _operations.is_array(indices) else np.shape(indices)
    none_is_read = 0 in before  # NumPy then ignores the indices
    if none_is_read or (mode != "raise" and not length and 0 not in wanted):
        if 0 not in before + after:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return into(out, _operations.new_array((*before, *wanted, *after), a.dtype, allocator=a.allocator))
    if mode != "raise":
        indices = indices if _operations.is_array(indices) else np.asarray(indices)
        indices = np.remainder(indices, max(length, 1)) if mode == "wrap" else np.clip(indices, 0, max(length - 1, 0))
    if axis is not None:
        result = a[(slice(None),) * normalise_axis(axis, a.ndim) + (indices,)]
    else:
        result = _gather.take(a, indices) if _operations.is_array(indices) else a.flatten()[indices]
    return into(out, result)


@_implements(np.reshape)
def _reshape(a, shape=None, order="C", *, newshape=None, copy=None):
    shape, order = newshape if shape is None else shape, _orders.resolved(a, order, "CFA")
    return (a.copy() if copy else a).reshape(shape) if order == "C" else _orders.reshaped(a, shape, order, copy)


# ---- joining, sorting


@_implements(np.concatenate)
def _concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return _join.joined("concatenate", _join.concatenate, arrays, axis, out, dtype, casting)


@_implements(np.stack)
def _stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    return _join.joined("stack", _join.stack, arrays, axis, out, dtype, casting)


@_implements(np.sort)
def _sort(a, axis=-1, kind=None, order=None, *, stable=None):
    _ordering.check_kind("sort", kind, order, stable)
    return _ordering.sort(a, axis)


@_implements(np.argsort)
def _argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    return a.argsort(axis, kind, order, stable=stable)


# ---- new arrays


def _filled(a, value):
    a[...] = value
    return a


def _empty_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    if device is not None and device != a.device:
        raise ValueError(f"expected device=None or {a.device}, given {device!r}")
    return _creation.array_like(a, dtype, order, shape)


functions[np.empty_like] = lambda prototype, /, *args, **kwargs: _empty_like(prototype, *args, **kwargs)
functions[np.full_like] = lambda a, fill_value, *args, **kwargs: _filled(_empty_like(a, *args, **kwargs), fill_value)
functions[np.zeros_like] = lambda a, *args, **kwargs: _empty_like(a, *args, **kwargs).fill(0)
functions[np.ones_like] = lambda a, *args, **kwargs: _empty_like(a, *args, **kwargs).fill(1)


@_implements(np.count_nonzero)
def _count_nonzero(a, axis=None, *, keepdims=False):
    count = _reductions.sum(_choice.logical_not(_choice.logical_not(a)), dtype=np.int64, axis=axis, keepdims=keepdims)
    return int(count.get()) if axis is None and not keepdims else count


@_implements(np.expand_dims)
def _expand_dims(a, axis):
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = a.ndim + len(axes)
    new = {normalise_axis(k, ndim) for k in axes}
    if len(new) != len(axes):
        raise ValueError("repeated axis")
    return a[tuple(None if k in new else slice(None) for k in range(ndim))]


@_implements(np.flip)
def _flip(m, axis=None):
    axes = normalise_axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(m.ndim))]


@_implements(np.swapaxes)
def _swapaxes(a, axis1, axis2):
    axes = list(range(a.ndim))
    one, other = normalise_axis(axis1, a.ndim), normalise_axis(axis2, a.ndim)
    axes[one], axes[other] = other, one
    return a.transpose(axes)


@_implements(np.moveaxis)
def _moveaxis(a, source, destination):
    sources, destinations = (tuple(normalise_axis(axis, a.ndim) for axis in (axes if hasattr(axes, "__iter__") else (axes,))) for axes in (source, destination))
    return _operations.call("moveaxis", (a,), (len(sources), *sources, *destinations))


for _module, _names in ((_reductions, "sum prod mean any all min max argmin argmax"), (_ordering, "cumsum cumprod nonzero")):
    for _name in _names.split():
        functions[getattr(np, _name)] = _with_parameters(getattr(_module, _name), _PARAMETERS[_name])
for _ours, _names in ((_reductions.amin, "min amin"), (_reductions.amax, "max amax")):
    for _name in _names.split():
        functions[getattr(np, _name)] = _with_parameters(_ours, _PARAMETERS["min"])
functions[np.transpose] = _with_parameters(lambda a, axes=None: a.transpose(axes), _PARAMETERS["transpose"])
functions[np.matmul] = _ordering.matmul
functions[np.round] = functions[np.around] = _rounding.round
functions[np.einsum] = _contractions.einsum
for _module in (_averages, _comparing, _counting, _matrices, _rearrange, _search, _statistics):
    functions.update(_module.FUNCTIONS)
if hasattr(np, "astype"):
    functions[np.astype] = lambda x, dtype, /, *, copy=True: x.astype(dtype) if copy or dtype != x.dtype else x
functions.update(_registry.FUNCTIONS)
_operations.answer_functions(functions)

#: NumPy's functions whose first argument is no array, but several, or a name, or must be the array to write to. Others accept a list of numbers there.
of_sequences = {_registry.named(name) for name in """block broadcast_arrays can_cast column_stack concatenate copyto dstack einsum einsum_path fill_diagonal histogramdd hstack ix_
    lexsort linalg.multi_dot meshgrid place put put_along_axis putmask ravel_multi_index result_type row_stack select stack vstack""".split()}

#: NumPy's functions that create arrays, on the device for like=, a GPUArray.
creators = _registry.CREATORS
