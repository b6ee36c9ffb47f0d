"""NumPy's functions of device arrays, with NumPy's parameters; universal functions are in a separate module."""

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
from pycuda._arrays import rearrange as _rearrange
from pycuda._arrays import reductions as _reductions
from pycuda._arrays import rounding as _rounding
from pycuda._arrays import search as _search
from pycuda._arrays import statistics as _statistics
from pycuda._arrays.axes import normalise_axes, normalise_axis
from pycuda._arrays.copies import into

__all__ = ["functions"]

#: Functions with NumPy's parameters, the first of which is the array or the arrays. Those in brackets have no effect here.
_PARAMETERS = {
    **{name: "a axis dtype out keepdims initial where" for name in ("sum", "prod")},
    "mean": "a axis dtype out keepdims where", **{name: "a axis out keepdims" for name in ("argmin", "argmax")},
    **{name: "a axis out keepdims where" for name in ("any", "all")}, **{name: "a axis out keepdims initial where" for name in ("min", "max")},
    "cumsum": "a axis dtype out", "cumprod": "a axis dtype out", "sort": "a axis [kind]", "argsort": "a axis [kind]",
    "transpose": "a axes", "unique": "ar", "nonzero": "a",
    "concatenate": "arrays axis out [casting]", "stack": "arrays axis out [casting]",
    **{name: "prototype dtype order [subok]" for name in ("empty_like", "zeros_like", "ones_like")},
}


def _with_parameters(ours, text):
    names = text.split()
    parameters = [name.strip("[]") for name in names]
    ignored = {name.strip("[]") for name in names if name.startswith("[")}

    def call(*args, **kwargs):
        if len(args) > len(parameters):
            raise TypeError(f"expected at most {len(parameters)} arguments, given {len(args)}")
        kwargs.update(zip(parameters, args))
        given = {name: value for name, value in kwargs.items() if name not in ignored and value is not getattr(np, "_NoValue", None)}
        out = given.pop("out", None)
        first = given.pop(parameters[0])
        result = ours(first, **given)
        return into(out, result)

    return call


# ---- functions

#: NumPy's functions that have a counterpart here; initially those that only read an attribute of an array.
functions = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
    np.squeeze: lambda a, axis=None: a.squeeze(axis),
    np.ravel: lambda a, order="C": a.ravel(),
    np.copy: lambda a, order="K", subok=False: a.copy(),
    np.result_type: lambda *operands: np.result_type(*(operand.dtype if _operations.is_array(operand) else operand for operand in operands)),
}


def _implements(function):
    def register_it(ours):
        functions[function] = ours
        return ours

    return register_it


@_implements(np.where)
def _where(condition, x=None, y=None):
    return _ordering.nonzero(condition) if x is None and y is None else _choice.where(condition, x, y)


@_implements(np.angle)
def _angle(z, deg=False):
    angle = _operations.operate("arg", z, type=np.dtype(np.float64) if z.dtype.kind == "b" else None)
    return _operations.operate("rad2deg", angle) if deg else angle


@_implements(np.dot)
def _dot(a, b, out=None):
    """For vectors the sum of products; for matrices their product; with a number, the multiple."""
    if not (_operations.is_array(a) and _operations.is_array(b)) or a.ndim == 0 or b.ndim == 0:
        result = a * b
    else:
        result = _reductions.dot(a, b) if a.ndim == b.ndim == 1 else _ordering.matmul(a, b)
    return into(out, result)


@_implements(np.clip)
def _clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    least, most = (None if bound is getattr(np, "_NoValue", None) else bound for bound in (a_min, a_max))
    result = a.clip(min if least is None else least, max if most is None else most)
    return into(out, result)


def _around(shape, axis):
    """The lengths before an axis, its own, and those after it."""
    return shape[:axis], shape[axis], shape[axis + 1:]


@_implements(np.take)
def _take(a, indices, axis=None, out=None, mode="raise"):
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
    return (a.copy() if copy else a).reshape(newshape if shape is None else shape, order=order)


@_implements(np.full_like)
def _full_like(a, fill_value, dtype=None, order="K"):
    return _creation.empty_like(a, dtype, order).fill(fill_value)


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
    sources, destinations = (tuple(axes) if isinstance(axes, (tuple, list)) else (axes,) for axes in (source, destination))
    return _operations.call("axes_moved", (a,), (len(sources), *sources, *destinations))


for _module, _names in ((_reductions, "sum prod mean any all min max argmin argmax"), (_ordering, "cumsum cumprod sort argsort unique nonzero"),
                        (_join, "concatenate stack"), (_creation, "empty_like zeros_like ones_like")):
    for _name in _names.split():
        functions[getattr(np, _name)] = _with_parameters(getattr(_module, _name), _PARAMETERS[_name])
for _ours, _names in ((_reductions.least, "min amin"), (_reductions.greatest, "max amax")):
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
