"""Products of vectors, matrices and tensors."""

import operator

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays.axes import axis_error, normalise_axis
from pycuda._arrays.copies import into
from pycuda._arrays.numpys import exact
from pycuda._arrays.numpys.registry import implements
from pycuda._arrays.operations import broadcast_to, is_array
from pycuda._arrays.universal_functions import composed

__all__ = ["outer", "tensordot"]


@implements("inner")
def _inner(a, b, /):
    a, b = (exact.on_device("inner", x) for x in (a, b))
    if not a.ndim or not b.ndim:
        return exact.multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"shapes {a.shape} and {b.shape} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[-1]} (dim {b.ndim - 1})")
    return _operations.call("tensordot", (a, b), (1, a.ndim - 1, b.ndim - 1))


@implements("outer")
def outer(a, b, out=None):
    """The products of each element of a and each element of b, both in C order."""
    a, b = (exact.flat(exact.on_device("outer", x)) for x in (a, b))
    if out is None and a.dtype is b.dtype and a.dtype.kind in "iufc":
        return a[:, None] * b  # whose dtype is NumPy's
    return exact.calculate(np.multiply, a[:, None], b[None, :], out=out)


@implements("tensordot")
def tensordot(a, b, axes=2):
    """The sums of products along pairs of axes."""
    a, b = (exact.on_device("tensordot", x) for x in (a, b))
    if hasattr(axes, "__iter__"):
        first, second = (tuple(each) if hasattr(each, "__iter__") else (each,) for each in axes)
    else:
        first, second = tuple(range(-axes, 0)), tuple(range(axes))
    if len(first) != len(second) or any(not -x.ndim <= k < x.ndim for x, each in ((a, first), (b, second)) for k in each):
        raise ValueError("shape-mismatch for sum") if len(first) != len(second) else IndexError("tuple index out of range")
    first, second = ([normalise_axis(k, x.ndim) for k in each] for x, each in ((a, first), (b, second)))
    if [a.shape[k] for k in first] != [b.shape[k] for k in second]:
        raise ValueError("shape-mismatch for sum")
    return _operations.call("tensordot", (a, b), (len(first), *first, *second))


@implements("linalg.tensordot")
def _tensordot(x1, x2, /, *, axes=2):
    return tensordot(x1, x2, axes)


@implements("linalg.matmul")
def _matmul(x1, x2, /):
    return _ordering.matmul(x1, x2)


@implements("linalg.outer")
def _outer(x1, x2, /):
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return outer(x1, x2)


@implements("matrix_transpose", "linalg.matrix_transpose")
def _matrix_transpose(x, /):
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return np.swapaxes(x, -1, -2)


# ---- cross products


def _components(x, axis):
    """The components, each without the axis; a vector of two has no third one."""
    return [x[(*(slice(None),) * axis, k)] for k in range(x.shape[axis])]


def _minor(a, b, i, j):
    return exact.subtract(exact.multiply(a[i], b[j]), exact.multiply(a[j], b[i]))


@implements("cross")
def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = (exact.on_device("cross", x) for x in (a, b))
    if not a.ndim or not b.ndim:
        raise ValueError("At least one array has zero dimension")
    parts = [_components(x, normalise_axis(each, x.ndim)) for x, each in ((a, axisa), (b, axisb))]
    if not {2, 3} >= {len(parts[0]), len(parts[1])}:
        raise ValueError(f"Both input arrays must be (arrays of) 3-dimensional vectors, but they are {len(parts[0])} and {len(parts[1])} dimensional instead.")
    one, other = parts
    if len(one) == len(other) == 2:
        return _minor(one, other, 0, 1)
    for vector in parts:
        if len(vector) == 2:
            vector.append(exact.multiply(vector[0], 0))
    made = [_minor(one, other, i, j) for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(made, axis=normalise_axis(axisc, made[0].ndim + 1))


@implements("linalg.cross")
def _cross_of_three(x1, x2, /, *, axis=-1):
    x1, x2 = (exact.on_device("cross", x) for x in (x1, x2))
    if axis is None:
        raise TypeError("axis must be an integer, not None")
    lengths = [x.shape[normalise_axis(axis, x.ndim)] for x in (x1, x2)]
    if lengths != [3, 3]:
        raise ValueError(f"Both input arrays must be (arrays of) 3-dimensional vectors, but they are {lengths[0]} and {lengths[1]} dimensional instead.")
    return _cross(x1, x2, axis=axis)


# ---- universal functions of vectors and matrices


def _conjugate(x):
    return exact.conjugate(x) if x.dtype.kind == "c" else x


def _vecdot(a, b):
    return _last(_ordering.matmul(_conjugate(a)[..., None, :], b[..., :, None]))


def _last(product):
    return product[..., 0, 0]


def _core(name, x, ndim):
    if x.ndim < ndim:
        raise ValueError(f"{name}: Input operand does not have enough dimensions (has {x.ndim}, gufunc core with signature requires {ndim})")


#: The numbers of axes of both operands and of the result of a product.
_CORES = {"vecdot": (1, 1, 0), "matvec": (2, 1, 1), "vecmat": (1, 2, 1)}


def _axes_of(name, axes, keepdims):
    """Where the axes of each operand's and of the result's vectors and matrices are."""
    axes = [each if isinstance(each, tuple) else (each,) for each in axes]
    cores = (*_CORES[name][:2], 1) if keepdims else _CORES[name]
    if len(axes) == 2 and (keepdims or not cores[2]):
        axes.append((-1,) if keepdims else ())
    if len(axes) != 3:
        raise ValueError(f"{name}: expected axes of both operands and of the result, given {axes}")
    for each, count in zip(axes, cores):
        if len(each) != count:
            raise axis_error(f"{name}: expected axes of {cores} axes for the operands and the result, given {axes}")
    return axes


def _vector_product(name, a, b, out=None, axis=None, axes=None, keepdims=False):
    """numpy.vecdot, matvec and vecmat."""
    a, b = (exact.on_device(name, x) for x in (a, b))
    if axes is not None:
        *first, last = _axes_of(name, axes, keepdims)
        a, b = (np.moveaxis(x, each, range(-len(each), 0)) for x, each in zip((a, b), first))
        result = _vector_product(name, a, b, keepdims=keepdims)
        return into(out, np.moveaxis(result, range(-len(last), 0), last) if last else result)
    _core(name, a, 2 if name == "matvec" else 1)
    _core(name, b, 2 if name == "vecmat" else 1)
    if axis is not None:
        a, b = (np.moveaxis(x, axis, -1) for x in (a, b))
    lengths = a.shape[-1], b.shape[-2 if name == "vecmat" else -1]
    if lengths[0] != lengths[1]:
        raise ValueError(f"{name}: expected vectors of one length, given {lengths[0]} and {lengths[1]}")
    if name == "vecdot":
        result = _vecdot(a, b)
    elif name == "matvec":
        result = _ordering.matmul(a, b[..., None])[..., 0]
    else:
        result = _ordering.matmul(_conjugate(a)[..., None, :], b)[..., 0, :]
    return into(out, np.expand_dims(result, -1 if axis is None else axis) if keepdims else result)


def _register(name):
    def call(*inputs, out=None, **keywords):
        if keywords.keys() - ({"axis", "axes", "keepdims"} if name == "vecdot" else {"axes"}) or not all(is_array(x) for x in inputs):
            return NotImplemented
        return _vector_product(name, *inputs, out=out, **keywords)

    composed[name] = call


for _name in ("vecdot", "matvec", "vecmat"):
    _register(_name)


@implements("linalg.vecdot")
def _linalg_vecdot(x1, x2, /, *, axis=-1):
    return _vector_product("vecdot", x1, x2, axis=operator.index(axis))


@implements("linalg.multi_dot")
def _multi_dot(arrays, *, out=None):
    arrays = [exact.on_device("multi_dot", array) for array in arrays]
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    is_row, is_column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    arrays[0] = arrays[0][None] if is_row else arrays[0]
    arrays[-1] = arrays[-1][:, None] if is_column else arrays[-1]
    for array in arrays:
        if array.ndim != 2:
            raise np.linalg.LinAlgError(f"{array.ndim}-dimensional array given. Array must be two-dimensional")
    result = _in_cheapest_order(arrays)
    result = result[0] if is_row else result
    return into(out, result[..., 0] if is_column else result, casting="no")


def _in_cheapest_order(arrays):
    """The product of matrices, in the order with the fewest multiplications."""
    count, lengths = len(arrays), [array.shape[0] for array in arrays] + [arrays[-1].shape[1]]
    costs, cuts = {(k, k): 0 for k in range(count)}, {}
    for width in range(1, count):
        for first in range(count - width):
            last = first + width
            costs[first, last], cuts[first, last] = min(
                (costs[first, cut] + costs[cut + 1, last] + lengths[first] * lengths[cut + 1] * lengths[last + 1], cut) for cut in range(first, last))

    def multiplied(first, last):
        if first == last:
            return arrays[first]
        return _ordering.matmul(multiplied(first, cuts[first, last]), multiplied(cuts[first, last] + 1, last))

    return multiplied(0, count - 1)


# ---- sums of products of neighbours


def _sliding(longer, shorter, mode):
    """The sums of products of `shorter` and each window of `longer`, for the windows that numpy.correlate's mode selects."""
    width, length = shorter.size, longer.size
    before, count = {"full": (width - 1, length + width - 1), "same": (width // 2, length), "valid": (0, length - width + 1)}[mode]
    padded = exact.zeros((count + width - 1,), longer.dtype, longer)
    padded[before:before + length] = longer
    windows = _operations.strided(padded, (count, width), (padded.strides[0], padded.strides[0]), padded.dtype)
    return _operations.reduced("dot", (windows, broadcast_to(shorter, (count, width))), 2)


_MODES = {"valid": "valid", "same": "same", "full": "full", 0: "valid", 1: "same", 2: "full"}


def _mode_of(mode):
    if not isinstance(mode, (str, int)):
        raise TypeError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    if mode not in _MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    return _MODES[mode]


@implements("correlate")
def _correlate(a, v, mode="valid"):
    mode = _mode_of(mode)
    a, v = (exact.on_device("correlate", x) for x in (a, v))
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(f"object {'of too small depth' if not a.ndim or not v.ndim else 'too deep'} for desired array")
    if not a.size or not v.size:
        raise ValueError("first array argument cannot be empty" if not a.size else "second array argument cannot be empty")
    dtype = np.result_type(a.dtype, v.dtype)
    a, v = a.astype(dtype, copy=False), _conjugate(v).astype(dtype, copy=False)
    if v.size <= a.size:
        return _sliding(a, v, mode)
    return _sliding(v, a, mode)[::-1].copy()


@implements("convolve")
def _convolve(a, v, mode="full"):
    mode = _mode_of(mode)
    a, v = (exact.on_device("convolve", x) for x in (a, v))
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    a, v = (exact.shaped(x, 1) if not x.ndim else x for x in (a, v))
    if not a.size or not v.size:
        raise ValueError("a cannot be empty" if not a.size else "v cannot be empty")
    if v.size > a.size:
        a, v = v, a
    dtype = np.result_type(a.dtype, v.dtype)
    return _sliding(a.astype(dtype, copy=False), v.astype(dtype, copy=False)[::-1], mode)
