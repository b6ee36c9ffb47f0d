"""Rules that make cases of products, grids, decompositions and Fourier transforms; elementwise_rules.py explains rules."""

import numpy as np
import pycuda.array_api as xp
from hypothesis import strategies as st
from pycuda import gpuarray
from pycuda._arrays import operations

from made_up import INTEGERS, Axes, broadcast_shapes, operands, shapes

DOUBLE = [np.dtype(np.float64)]
COMPLEX = [np.dtype(np.float64), np.dtype(np.complex128)]


@st.composite
def contracting(draw):
    """Contracts pairs of axes: those of the first operand, then those of the second."""
    shape = draw(shapes(least=1))
    summed = draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=2, unique_by=lambda k: k % len(shape)))
    other = [shape[k] for k in summed] + list(draw(shapes()))[:2]
    order = draw(st.permutations(range(len(other))))
    second = [order.index(k) for k in range(len(summed))]
    if draw(st.integers(0, 7)) == 0 and summed:
        other[0] += 1  # mismatched lengths
    given = tuple(other[k] for k in order)
    return "tensordot", (draw(operands(shape, INTEGERS)), draw(operands(given, INTEGERS)), Axes(summed), Axes(second)), lambda x, y, a, b: np.tensordot(
        x, y, (tuple(a), tuple(b))).astype(np.result_type(x, y))


@st.composite
def products_of_vectors(draw):
    """Products along an axis counted from the last one; the other axes broadcast."""
    name = draw(st.sampled_from(["vecdot", "cross"]))
    given = draw(broadcast_shapes())
    axis = -draw(st.integers(1, 1 + min(map(len, given))))
    lengths = [3, 3] if name == "cross" else [draw(st.sampled_from([0, 1, 2, 5]))] * 2
    if draw(st.integers(0, 7)) == 0:
        lengths[draw(st.integers(0, 1))] = 4  # mismatched lengths
    first, second = ((*shape[:len(shape) + 1 + axis], length, *shape[len(shape) + 1 + axis:]) for shape, length in zip(given, lengths))
    return name, (draw(operands(first)), draw(operands(second)), axis), lambda x, y, axis: getattr(np.linalg, name)(x, y, axis=axis).astype(np.result_type(x, y))


@st.composite
def outer_products(draw):
    first, second = (draw(operands(draw(st.sampled_from([(0,), (1,), (2,), (5,), (2, 2)])))) for _ in range(2))
    return "outer", (first, second), np.linalg.outer


@st.composite
def traces(draw):
    operand = draw(operands(draw(shapes(least=2))))
    return "trace", (operand, draw(st.integers(-4, 4))), lambda x, k: np.asarray(np.linalg.trace(x, offset=k, dtype=x.dtype))


@st.composite
def grids(draw):
    name = draw(st.sampled_from(["meshgrid.xy.0", "meshgrid.xy.1", "meshgrid.ij.0", "meshgrid.ij.1"]))
    _, indexing, k = name.split(".")
    first, second = (draw(operands((draw(st.sampled_from([0, 1, 2, 5])),))) for _ in range(2))
    return name, (first, second), lambda x, y: np.meshgrid(x, y, indexing=indexing)[int(k)]


@st.composite
def spacing(draw):
    """Evenly spaced numbers, as many as the array has elements, in its dtype."""
    like = draw(operands((draw(st.sampled_from([0, 1, 2, 5, 40])),), DOUBLE))
    start, stop = (draw(st.sampled_from([0.0, 1.0, -3.5, 1.5e308, -1.5e308, 5e-324])) for _ in range(2))

    def answer(x, start, stop, endpoint):
        with np.errstate(all="ignore"):
            if np.isfinite(stop - start):
                return np.linspace(start, stop, x.size, bool(endpoint))
            share = np.arange(x.size) / max(x.size - endpoint, 1)
            return share * stop + (1 - share) * start

    return "linspace", (like, start, stop, draw(st.sampled_from([0, 1]))), answer


TRANSFORMS = {"fft": COMPLEX, "ifft": COMPLEX, "rfft": DOUBLE, "irfft": COMPLEX, "hfft": COMPLEX, "ihfft": DOUBLE}
NORMS = ["backward", "ortho", "forward"]


@st.composite
def transforming(draw):
    name = draw(st.sampled_from(list(TRANSFORMS)))
    shape = draw(shapes(least=1))
    n, axis, norm = draw(st.sampled_from([-1, -1, 1, 2, 3, 4, 7, 8, 0])), draw(st.integers(-len(shape), len(shape))), draw(st.integers(0, 2))

    def answer(x, n, axes, norm):
        if n == 0:
            raise ValueError
        return getattr(np.fft, name)(x, None if n == -1 else n, axes[0], NORMS[norm])

    return name, (draw(operands(shape, TRANSFORMS[name])), n, Axes([axis]), norm), answer


def _transform(name):
    return lambda x, n, axes, norm: getattr(xp.fft, name)(xp.asarray(x), n=None if n == -1 else n, axis=axes[0], norm=NORMS[norm])


@st.composite
def transforming_over_axes(draw):
    name = draw(st.sampled_from(["fftn", "ifftn", "rfftn"]))
    shape = tuple(length or 3 for length in draw(shapes(least=1)))
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=3, unique_by=lambda k: k % len(shape))))
    return name, (draw(operands(shape, DOUBLE)), axes), lambda x, axes: getattr(np.fft, name)(x, axes=tuple(axes))


def square(draw, n, dtypes=COMPLEX):
    """Diagonally dominant matrices, whose inverses are small."""
    matrix = draw(operands((n, n), dtypes))
    matrix.whole[...] /= 8
    for row in range(n):
        matrix.host[row, row] += 8
    return matrix


@st.composite
def of_square_matrices(draw):
    name = draw(st.sampled_from(["det", "inv", "solve", "slogdet", "cholesky"]))
    n = draw(st.sampled_from([1, 2, 3, 5]))
    matrix = square(draw, n)
    if name == "solve":
        return name, (matrix, square(draw, n)), np.linalg.solve
    if name == "cholesky":
        return name, (matrix,), lambda x: np.linalg.cholesky(np.tril(x) + np.conj(np.tril(x, -1).T))
    return name, (matrix,), lambda x: np.asarray(np.linalg.slogdet(x)[1] if name == "slogdet" else getattr(np.linalg, name)(x))


@st.composite
def values_of_matrices(draw):
    name = draw(st.sampled_from(["svdvals", "eigvalsh", "pinv", "matrixRank", "matrixNorm"]))
    n = draw(st.sampled_from([1, 2, 4]))
    matrix = square(draw, n)
    answers = {"svdvals": lambda x: np.linalg.svd(x, compute_uv=False), "eigvalsh": np.linalg.eigvalsh, "pinv": np.linalg.pinv,
               "matrixRank": lambda x: np.asarray(np.linalg.matrix_rank(x)), "matrixNorm": lambda x: np.asarray(np.linalg.norm(x, "nuc"))}
    return name, (matrix,), answers[name]


def _linalg(compute):
    return lambda *arrays: compute(*(xp.asarray(each) for each in arrays))


def _spaced(like, start, stop, endpoint):
    result = gpuarray.empty(like.shape, like.dtype)
    operations.call("fill_linspace", (result,), (start, 0.0, stop, 0.0, endpoint))
    return result


OPERATIONS = {
    "tensordot": lambda a, b, first, second: operations.call("tensordot", (a, b), (len(first), *first, *second)),
    "vecdot": lambda a, b, axis: operations.call("vecdot", (a, b), (axis,)), "cross": lambda a, b, axis: operations.call("cross", (a, b), (axis,)),
    "outer": lambda a, b: operations.call("outer", (a, b)), "trace": lambda a, k: xp.linalg.trace(xp.asarray(a), offset=k, dtype=a.dtype),
    **{f"meshgrid.{indexing}.{k}": lambda a, b, indexing=indexing, k=k: operations.call("meshgrid", (a, b), (indexing == "xy",))[k] for indexing in ("xy", "ij") for k in (0, 1)},
    "linspace": _spaced,
    **{name: _transform(name) for name in TRANSFORMS},
    **{name: lambda a, axes, name=name: getattr(xp.fft, name)(xp.asarray(a), axes=tuple(axes)) for name in ("fftn", "ifftn", "rfftn")},
    **{name: _linalg(getattr(xp.linalg, name)) for name in ("det", "inv", "solve", "cholesky", "svdvals", "eigvalsh", "pinv")},
    "slogdet": _linalg(lambda x: xp.linalg.slogdet(x).logabsdet), "matrixRank": _linalg(xp.linalg.matrix_rank),
    "matrixNorm": _linalg(lambda x: xp.linalg.matrix_norm(x, ord="nuc")),
}

RULES = [contracting, products_of_vectors, outer_products, traces, grids, spacing, transforming, transforming_over_axes, of_square_matrices, values_of_matrices]
