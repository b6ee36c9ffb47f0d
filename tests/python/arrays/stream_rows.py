"""Every public operation on arrays, with the operands and results that it may run on another stream with.

A row calls an operation on `o`, whose arrays hold: x, y, w float32 (3, 4), t a view of float32 (4, 3) with gaps, i integers from 0 to 3, v and u
float32 (12,), m a mask of v, s structures; `o.out` is the row's array for the result.
"""

import functools
import inspect
from typing import Any, Callable, NamedTuple

import numpy as np
import pycuda.cumath as cumath
import pycuda.gpuarray as gpuarray
from pycuda._arrays import operations as _operations
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

F, I, B = np.float32, np.int64, np.bool_
STRUCT = np.dtype([("a", F), ("b", np.int32)])


class Row(NamedTuple):
    name: str
    call: Callable[..., Any]
    out: Any = None  # shape and dtype
    waits: bool = False  # for its stream, for example because its result's length depends on elements


WITH_STREAM: list[Row] = []
IN_USE: list[Row] = []


def with_stream(name, call, out=None, waits=False):
    """An operation with a parameter `stream`: `call(o, stream=...)`. With `out`, it is also called with `out=o.out`."""
    WITH_STREAM.append(Row(name, call, None, waits))
    if out is not None:
        WITH_STREAM.append(Row(f"{name}, out", lambda o, **stream: call(o, out=o.out, **stream), out, waits))


def in_use(name, call, out=None, waits=False):
    """An operation on the stream in use: `call(o)`."""
    IN_USE.append(Row(name, call, out, waits))


def _written(write, array):
    write()
    return array


# ---- functions and methods with a stream

with_stream("if_positive", lambda o, **k: gpuarray.if_positive(o.x, o.y, o.w, **k), ((3, 4), F))
with_stream("where", lambda o, **k: gpuarray.where(o.x, o.y, 1, **k), ((3, 4), F))
for function in (gpuarray.minimum, gpuarray.maximum):
    with_stream(function.__name__, lambda o, function=function, **k: function(o.x, o.y, **k), ((3, 4), F))
with_stream("clip", lambda o, **k: gpuarray.clip(o.x, -1, 1, **k), ((3, 4), F))
with_stream("clip by arrays", lambda o, **k: gpuarray.clip(o.x, o.y, None, **k), ((3, 4), F))
with_stream("GPUArray.clip", lambda o, **k: o.t.clip(0, None, **k), ((4, 3), F))
with_stream("take", lambda o, **k: gpuarray.take(o.v, o.i, **k), ((4,), F))
with_stream("take of a view", lambda o, **k: gpuarray.take(o.t, o.i, **k), ((4,), F))
with_stream("multi_take", lambda o, **k: gpuarray.multi_take([o.v, o.u], o.i, **k))
with_stream("multi_take, out", lambda o, **k: gpuarray.multi_take([o.v], o.i, [o.q], **k))
with_stream("multi_put, out", lambda o, **k: gpuarray.multi_put([o.q], o.i, out=[o.u], **k))
with_stream("multi_take_put, out", lambda o, **k: gpuarray.multi_take_put([o.v], o.i, o.i, out=[o.u], src_offsets=[2], **k))

for axis, of in ((None, (12,)), (0, (3, 4)), (1, (3, 4))):
    with_stream(f"cumsum {axis}", lambda o, axis=axis, **k: gpuarray.cumsum(o.x, axis, **k), (of, F))
    with_stream(f"cumprod {axis}", lambda o, axis=axis, **k: gpuarray.cumprod(o.x, axis, **k), (of, F))
    with_stream(f"GPUArray.cumsum {axis}", lambda o, axis=axis, **k: o.x.cumsum(axis, **k), (of, F))
with_stream("cumsum of a view", lambda o, **k: gpuarray.cumsum(o.t, **k), ((12,), F))
with_stream("cumsum converted", lambda o, **k: gpuarray.cumsum(o.v, dtype=np.float64, **k), ((12,), np.float64))
for axis in (None, 0, -1):
    with_stream(f"sort {axis}", lambda o, axis=axis, **k: gpuarray.sort(o.t, axis, **k))
    with_stream(f"argsort {axis}", lambda o, axis=axis, **k: gpuarray.argsort(o.t, axis, **k))
with_stream("sort by keys", lambda o, **k: gpuarray.sort(o.v, keys=o.u, **k))
with_stream("unique", lambda o, **k: gpuarray.unique(o.v, **k), waits=True)
with_stream("nonzero", lambda o, **k: gpuarray.nonzero(o.m, **k), waits=True)
with_stream("GPUArray.nonzero", lambda o, **k: o.x.nonzero(**k), waits=True)
with_stream("matmul", lambda o, **k: gpuarray.matmul(o.x, o.t, **k), ((3, 3), F))
with_stream("matmul with a vector", lambda o, **k: gpuarray.matmul(o.x, o.q, **k), ((3,), F))

REDUCED = {"sum": F, "prod": F, "mean": F, "any": B, "all": B, "min": F, "max": F, "argmin": I, "argmax": I}
for name, dtype in REDUCED.items():
    for axis, shape in ((None, ()), (0, (3,)), (1, (4,))):
        with_stream(f"{name} {axis}", lambda o, name=name, axis=axis, **k: getattr(gpuarray, name)(o.t, axis=axis, **k), (shape, dtype))
    with_stream(f"GPUArray.{name}", lambda o, name=name, **k: getattr(o.x, name)(keepdims=True, **k), ((1, 1), dtype))
    if not name.startswith("arg"):
        initial = {"sum": {"initial": 2}, "prod": {"initial": 2}, "min": {"initial": 9}, "max": {"initial": -9}}.get(name, {})
        with_stream(f"{name}, where", lambda o, name=name, initial=initial, **k: getattr(gpuarray, name)(o.v, where=o.m, **initial, **k), ((), dtype))
with_stream("sum converted", lambda o, **k: gpuarray.sum(o.x, np.float64, **k), ((), np.float64))
with_stream("dot", lambda o, **k: gpuarray.dot(o.v, o.u, **k))
with_stream("dot of other shapes", lambda o, **k: gpuarray.dot(o.t, o.v, **k))
with_stream("GPUArray.dot", lambda o, **k: o.x.dot(o.y, axis=0, **k))
with_stream("subset_sum", lambda o, **k: gpuarray.subset_sum(o.i, o.v, **k))
with_stream("subset_dot", lambda o, **k: gpuarray.subset_dot(o.i, o.v, o.u, **k))
with_stream("subset_min", lambda o, **k: gpuarray.subset_min(o.i, o.v, **k))
with_stream("subset_max", lambda o, **k: gpuarray.subset_max(o.i.reshape(2, 2), o.v, **k))

with_stream("GPUArray.mul_add", lambda o, **k: o.x.mul_add(2, o.y, 3, **k), ((3, 4), F))
with_stream("GPUArray.mul_add of a view", lambda o, **k: o.t.mul_add(2, o.t, 3, add_timer=lambda count, seconds: None, **k), ((4, 3), F))
for of in "xt":
    with_stream(f"GPUArray.astype, {of}", lambda o, of=of, **k: getattr(o, of).astype(np.int32, **k))
    with_stream(f"GPUArray.astype to its dtype, {of}", lambda o, of=of, **k: getattr(o, of).astype(F, **k))
    with_stream(f"GPUArray.reverse, {of}", lambda o, of=of, **k: getattr(o, of).reverse(**k))
    with_stream(f"GPUArray.fill, {of}", lambda o, of=of, **k: _written(lambda: getattr(o, of).fill(3, **k), getattr(o, of)))
    with_stream(f"GPUArray.set_async, {of}", lambda o, of=of, **k: _written(lambda: getattr(o, of).set_async(o.host[of], **k), getattr(o, of)))
    with_stream(f"GPUArray.set, {of}", lambda o, of=of, **k: _written(lambda: getattr(o, of).set(o.host[of], async_=True, **k), getattr(o, of)))
    with_stream(f"GPUArray.get_async, {of}", lambda o, of=of, **k: getattr(o, of).get_async(**k), waits=True)
    with_stream(f"GPUArray.get, {of}", lambda o, of=of, **k: getattr(o, of).get(pagelocked=True, async_=True, **k), waits=of == "t")
with_stream("GPUArray.set_async from another", lambda o, **k: _written(lambda: o.x.set_async(o.y, **k), o.x))
with_stream("GPUArray.set_async of a view", lambda o, **k: _written(lambda: o.t.set_async(o.t2, **k), o.t))
with_stream("to_gpu_async", lambda o, **k: gpuarray.to_gpu_async(o.host["x"], **k))
with_stream("arange", lambda o, **k: gpuarray.arange(12, dtype=F, **k))

for name in cumath.__all__:
    function = getattr(cumath, name)
    if name in ("frexp", "modf"):
        with_stream(f"cumath.{name}", lambda o, function=function, **k: function(o.x, **k))
    elif name in ("fmod", "atan2", "hypot", "ldexp"):
        with_stream(f"cumath.{name}", lambda o, function=function, **k: function(o.x, o.y, **k))

    elif inspect.signature(function).parameters.get("out"):
        with_stream(f"cumath.{name}", lambda o, function=function, **k: function(o.x, **k), ((3, 4), F))
    else:
        with_stream(f"cumath.{name}", lambda o, function=function, **k: function(o.x, o.y, **k))


@functools.cache
def doubled():
    return ElementwiseKernel("float *z, const float *x", "z[i] = 2 * x[i]", "doubled")


@functools.cache
def summed():
    return ReductionKernel(F, "0", "a + b", "x[i]", "const float *x", name="summed")


@functools.cache
def scan(kind, *neutral):
    return kind(F, "a + b", *neutral)


with_stream("ElementwiseKernel", lambda o, **k: _written(lambda: doubled()(o.u, o.v, **k), o.u))
with_stream("ElementwiseKernel of views", lambda o, **k: _written(lambda: doubled()(o.u[1:], o.v[1:], **k), o.u))
with_stream("ReductionKernel", lambda o, **k: summed()(o.v, **k), ((), F))
for kind in ((InclusiveScanKernel,), (ExclusiveScanKernel, "0")):
    with_stream(kind[0].__name__, lambda o, kind=kind, **k: scan(*kind)(o.v, **k))
    with_stream(f"{kind[0].__name__}, output_ary", lambda o, kind=kind, **k: scan(*kind)(o.v, o.u, **k))

# ---- on the stream in use: NumPy's universal functions

for row in _operations.table.values():
    ufunc = getattr(np, row.ufunc, None) if row.ufunc else None
    if ufunc is None:
        continue
    are_integers = row.ufunc.startswith(("bitwise", "left", "right", "invert", "gcd", "lcm"))
    operands = ("n" if are_integers else "f" if row.ufunc.startswith("is") else "x", "k" if are_integers or row.ufunc == "ldexp" else "y")[:ufunc.nin]
    types = [np.dtype(np.int32 if name in "nk" else F) for name in operands]
    result = ufunc.resolve_dtypes((*types, None))[-1]
    in_use(f"np.{row.ufunc}", lambda o, ufunc=ufunc, operands=operands: ufunc(*(getattr(o, name) for name in operands)))
    in_use(f"np.{row.ufunc}, out", lambda o, ufunc=ufunc, operands=operands: ufunc(*(getattr(o, name) for name in operands), out=o.out), ((1, 4) if operands == ("f",) else (3, 4), result))
in_use("np.add, where", lambda o: np.add(o.v, o.u, out=o.out, where=o.m), ((12,), F))
in_use("np.add, dtype", lambda o: np.add(o.x, o.y, out=o.out, dtype=np.float64), ((3, 4), np.float64))
in_use("np.divmod", lambda o: np.divmod(o.x, o.y, out=(o.out, o.w))[0], ((3, 4), F))
in_use("np.modf", lambda o: np.modf(o.x))
in_use("np.frexp", lambda o: np.frexp(o.x))
in_use("np.add.reduce", lambda o: np.add.reduce(o.x, axis=0, out=o.out), ((4,), F))
in_use("np.add.accumulate", lambda o: np.add.accumulate(o.x, axis=0, out=o.out), ((3, 4), F))
in_use("np.multiply.outer", lambda o: np.multiply.outer(o.v, o.q, out=o.out), ((12, 4), F))
in_use("np.add.at", lambda o: _written(lambda: np.add.at(o.v, o.i, o.q), o.v))

# ---- operators

for name, operator in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv"), ("//", "floordiv"), ("%", "mod"), ("**", "pow")):
    in_use(f"a {name} b", lambda o, operator=operator: getattr(o.x, f"__{operator}__")(o.y))
    in_use(f"a {name}= b", lambda o, operator=operator: getattr(o.x, f"__i{operator}__")(o.y))
    in_use(f"2 {name} a", lambda o, operator=operator: getattr(o.x, f"__r{operator}__")(2))
    in_use(f"a {name}= b of a view", lambda o, operator=operator: getattr(o.t, f"__i{operator}__")(o.t2))
for name, operator in (("&", "and"), ("|", "or"), ("^", "xor"), ("<<", "lshift"), (">>", "rshift")):
    in_use(f"a {name} b", lambda o, operator=operator: getattr(o.n, f"__{operator}__")(o.k))
    in_use(f"a {name}= b", lambda o, operator=operator: getattr(o.n, f"__i{operator}__")(o.k))
for operator in ("eq", "ne", "lt", "le", "gt", "ge"):
    in_use(f"a {operator} b", lambda o, operator=operator: getattr(o.x, f"__{operator}__")(o.y))
for operator in ("neg", "pos", "abs"):
    in_use(f"{operator} a", lambda o, operator=operator: getattr(o.t, f"__{operator}__")())
in_use("~a", lambda o: ~o.n)
in_use("divmod(a, b)", lambda o: divmod(o.x, o.y))
in_use("a @ b", lambda o: o.x @ o.t)

# ---- elements at indices

INDICES = {"all": lambda o: ..., "slice": lambda o: np.s_[1:3], "array": lambda o: o.i, "mask": lambda o: o.m, "list": lambda o: [3, 1], "number": lambda o: 5}
for name, index in INDICES.items():
    waits = name in ("mask", "list")
    in_use(f"a[{name}]", lambda o, index=index: o.v[index(o)].copy(), waits=waits)
    in_use(f"a[{name}] = number", lambda o, index=index: _written(lambda: o.v.__setitem__(index(o), 3), o.v), waits=name == "list")
    in_use(f"a[{name}] = array", lambda o, index=index: _written(lambda: o.v.__setitem__(index(o), o.u[index(o)]), o.v), waits=waits)
in_use("a[array, slice]", lambda o: o.x[o.i[:2] % 3, 1:])
in_use("a[array, slice] = b", lambda o: _written(lambda: o.x.__setitem__((o.i[:2] % 3, np.s_[1:]), o.y[:2, 1:]), o.x))
in_use("a[...] = another type", lambda o: _written(lambda: o.x.__setitem__(..., o.n), o.x))
in_use("a[...] = itself", lambda o: _written(lambda: o.v.__setitem__(slice(1, None), o.v[:-1]), o.v))
in_use("a[...] = host", lambda o: _written(lambda: o.x.__setitem__(..., o.host["x"]), o.x), waits=True)
in_use("field", lambda o: _written(lambda: o.s.__setitem__("a", o.q), o.s))
in_use("GPUArray.set", lambda o: _written(lambda: o.x.set(o.host["x"]), o.x), waits=True)
in_use("GPUArray.set from another", lambda o: _written(lambda: o.x.set(o.y), o.x))
in_use("GPUArray.get", lambda o: o.x.get(), waits=True)
in_use("GPUArray.get of a view", lambda o: o.t.get(), waits=True)
in_use("GPUArray.item", lambda o: o.v[3:4].item(), waits=True)

# ---- functions and methods without a stream

for name in ("logical_and", "logical_or"):
    in_use(name, lambda o, name=name: getattr(gpuarray, name)(o.x, o.y, o.out), ((3, 4), B))
in_use("logical_not", lambda o: gpuarray.logical_not(o.x, o.out), ((3, 4), B))
for name in ("conj", "conjugate"):
    in_use(f"GPUArray.{name}", lambda o, name=name: getattr(o.c, name)(o.out), ((4,), np.complex64))
in_use("GPUArray.real", lambda o: o.c.real)
in_use("GPUArray.imag", lambda o: o.c.imag)
in_use("GPUArray.round", lambda o: o.x.round(1, o.out), ((3, 4), F))
for name in ("std", "var"):
    in_use(f"GPUArray.{name}", lambda o, name=name: getattr(o.x, name)(out=o.out), ((), F))
for of in "xt":
    in_use(f"GPUArray.copy, {of}", lambda o, of=of: getattr(o, of).copy())
    in_use(f"GPUArray.flatten, {of}", lambda o, of=of: getattr(o, of).flatten())
    in_use(f"GPUArray.repeat, {of}", lambda o, of=of: getattr(o, of).repeat(2))
in_use("GPUArray.argsort", lambda o: o.t.argsort())
for name in ("zeros", "ones"):
    in_use(name, lambda o, name=name: getattr(gpuarray, name)((3, 4), F))
    in_use(f"{name}_like", lambda o, name=name: getattr(gpuarray, f"{name}_like")(o.t))
in_use("concatenate", lambda o: gpuarray.concatenate((o.x, o.y)))
in_use("stack", lambda o: gpuarray.stack((o.x, o.y), 1))
in_use("to_gpu", lambda o: gpuarray.to_gpu(o.host["x"]), waits=True)
in_use("asarray", lambda o: gpuarray.asarray(o.x, np.float64))

NUMPYS = {
    "sum": ((4,), F, lambda o, **k: np.sum(o.x, 0, **k)), "prod": ((4,), F, lambda o, **k: np.prod(o.x, 0, **k)),
    "mean": ((4,), F, lambda o, **k: np.mean(o.x, 0, **k)), "var": ((4,), F, lambda o, **k: np.var(o.x, 0, **k)),
    "std": ((4,), F, lambda o, **k: np.std(o.x, 0, **k)), "min": ((4,), F, lambda o, **k: np.min(o.x, 0, **k)),
    "max": ((4,), F, lambda o, **k: np.max(o.x, 0, **k)), "argmin": ((4,), I, lambda o, **k: np.argmin(o.x, 0, **k)),
    "any": ((4,), B, lambda o, **k: np.any(o.x, 0, **k)), "all": ((4,), B, lambda o, **k: np.all(o.x, 0, **k)),
    "cumsum": ((12,), F, lambda o, **k: np.cumsum(o.t, **k)), "cumprod": ((3, 4), F, lambda o, **k: np.cumprod(o.x, 1, **k)),
    "nansum": ((4,), F, lambda o, **k: np.nansum(o.x, 0, **k)), "nanmean": ((4,), F, lambda o, **k: np.nanmean(o.x, 0, **k)),
    "nanstd": ((4,), F, lambda o, **k: np.nanstd(o.x, 0, **k)), "nanmin": ((4,), F, lambda o, **k: np.nanmin(o.x, 0, **k)),
    "nancumsum": ((12,), F, lambda o, **k: np.nancumsum(o.x, **k)), "clip": ((3, 4), F, lambda o, **k: np.clip(o.x, -1, 1, **k)),
    "round": ((3, 4), F, lambda o, **k: np.round(o.x, 1, **k)), "take": ((4,), F, lambda o, **k: np.take(o.v, o.i, **k)),
    "take along an axis": ((3, 4), F, lambda o, **k: np.take(o.x, o.i, 1, mode="wrap", **k)), "dot": ((3, 3), F, lambda o, **k: np.dot(o.x, o.t, **k)),
    "matmul": ((3, 3), F, lambda o, **k: np.matmul(o.x, o.t, **k)), "concatenate": ((6, 4), F, lambda o, **k: np.concatenate((o.x, o.y), **k)),
    "stack": ((2, 3, 4), F, lambda o, **k: np.stack((o.x, o.y), **k)), "einsum": ((3, 3), F, lambda o, **k: np.einsum("ij,jk->ik", o.x, o.t, **k)),
}
for name, (shape, dtype, call) in NUMPYS.items():
    in_use(f"np.{name}", lambda o, call=call: call(o))
    in_use(f"np.{name}, out", lambda o, call=call: call(o, out=o.out), (shape, dtype))

METHODS = {
    "take": ((4,), F, lambda o, **k: o.v.take(o.i, **k)), "compress": ((2,), F, lambda o, **k: o.v.compress([True, False, True], **k)),
    "choose": ((4,), F, lambda o, **k: o.i.choose((o.q, o.q * 2, o.q * 3, o.q * 4), mode="wrap", **k)),
    "trace": ((), F, lambda o, **k: o.x.trace(**k)), "cumprod": ((3, 4), F, lambda o, **k: o.x.cumprod(1, **k)),
}
for name, (shape, dtype, call) in METHODS.items():
    in_use(f"GPUArray.{name}", lambda o, call=call: call(o), waits=name == "compress")
    in_use(f"GPUArray.{name}, out", lambda o, call=call: call(o, out=o.out), (shape, dtype), waits=name == "compress")

for name, call in {
    "where": lambda o: np.where(o.x, o.y, o.w), "sort": lambda o: np.sort(o.t, 0), "argsort": lambda o: np.argsort(o.t, None), "roll": lambda o: np.roll(o.t, 1),
    "tile": lambda o: np.tile(o.x, 2), "repeat": lambda o: np.repeat(o.t, 2), "diff": lambda o: np.diff(o.t), "tril": lambda o: np.tril(o.t),
    "pad": lambda o: np.pad(o.x, 1), "searchsorted": lambda o: np.searchsorted(o.v, o.q), "isin": lambda o: np.isin(o.x, o.q), "hstack": lambda o: np.hstack((o.x, o.y)),
    "take_along_axis": lambda o: np.take_along_axis(o.x, o.i[None, :], 1), "nan_to_num": lambda o: np.nan_to_num(o.x),
    "flip": lambda o: np.flip(o.x).copy(), "angle": lambda o: np.angle(o.c),
}.items():
    in_use(f"np.{name}", call)
for name, call in {
    "unique": lambda o: np.unique(o.v), "nonzero": lambda o: np.nonzero(o.x), "count_nonzero": lambda o: np.count_nonzero(o.n), "allclose": lambda o: np.allclose(o.x, o.x),
    "histogram": lambda o: np.histogram(o.v, 4), "repeat each": lambda o: np.repeat(o.q, np.array([1, 2, 0, 1])),
}.items():
    in_use(f"np.{name}", call, waits=True)
