"""Rules that make cases in which elements are moved, repeated, searched and compared; elementwise_rules.py explains rules."""

import numpy as np
from hypothesis import strategies as st
from pycuda import gpuarray
from pycuda._arrays import operations

from made_up import BOOL, DTYPES, FLOATS, INTEGERS, REAL, Axes, broadcast_shapes, operands, shapes

PLACES = [np.dtype(np.int8), np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint16)]


def axis_of(draw, shape):
    return draw(st.integers(-len(shape), len(shape) - 1))


def not_negative(answer):
    """NumPy accepts negative repeats for arrays without elements."""

    def checked(x, counts, *others):
        if np.min(counts) < 0:
            answer(x, np.abs(counts), *others)  # a wrong axis is found first
            raise ValueError
        return answer(x, counts, *others)

    return checked


@st.composite
def rolling(draw):
    shape = draw(shapes())
    shift = draw(st.sampled_from([0, 1, -1, 2, 7, -1000]))
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape)), max_size=2)) if shape else [])
    return "roll", (draw(operands(shape)), shift, axes), lambda x, shift, axes: np.roll(x, shift, tuple(axes) or None)


@st.composite
def tiling(draw):
    counts = Axes(draw(st.lists(st.sampled_from([0, 1, 2, 3, -1]), min_size=1, max_size=4)))
    return "tile", (draw(operands(draw(shapes()))), counts), not_negative(np.tile)


@st.composite
def repeating(draw):
    shape = draw(shapes(least=1))
    axis = draw(st.integers(-len(shape), len(shape)))
    return "repeat", (draw(operands(shape)), draw(st.sampled_from([0, 1, 2, 3, -1])), Axes([axis])), not_negative(lambda x, n, axes: np.repeat(x, n, axes[0]))


@st.composite
def repeating_each(draw):
    """Repeats each position along an axis by its own number."""
    shape = draw(shapes(least=1))
    axis = axis_of(draw, shape)
    more = draw(st.sampled_from([0, 0, 0, 2]))
    counts = draw(operands((shape[axis] + more,), [np.dtype(np.uint8), np.dtype(np.int64)]))
    counts.whole[...] %= 4

    def answer(x, counts, axes):
        if counts.size != x.shape[axes[0]]:
            raise ValueError
        return np.repeat(x, counts, axes[0])

    return "repeatEach", (draw(operands(shape)), counts, Axes([axis])), answer


@st.composite
def gathering_along(draw):
    """Indices along an axis, the same for all rows or different; out-of-range indices are clamped (unlike in NumPy)."""
    name = draw(st.sampled_from(["takeAt", "takeAlongAxis"]))
    shape = tuple(length or 1 for length in draw(shapes(least=1)))
    axis = axis_of(draw, shape)
    lengths = list(shape)
    lengths[axis] = draw(st.sampled_from([0, 1, 4]))
    if draw(st.booleans()):
        lengths[draw(st.integers(0, len(shape) - 1))] = 1
    wanted = tuple(lengths) if name == "takeAlongAxis" else draw(shapes())

    def answer(x, indices, axes):
        length = x.shape[axes[0]]
        indices = indices.astype(np.int64)
        indices = np.clip(np.where(indices < 0, indices + length, indices), 0, length - 1)
        if name == "takeAt":
            return np.take(x, indices, axes[0])
        others = [list(a.shape) for a in (x, indices)]
        for other in others:
            other[axes[0]] = 1
        common = np.broadcast_shapes(*others)
        full = [np.broadcast_to(a, [n if k == axes[0] % a.ndim else m for k, (n, m) in enumerate(zip(a.shape, common))]) for a in (x, indices)]
        return np.take_along_axis(*full, axes[0])

    return name, (draw(operands(shape)), draw(operands(wanted, PLACES)), Axes([axis])), answer


@st.composite
def turning(draw):
    shape = draw(shapes(least=1))
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=2, unique_by=lambda k: k % len(shape))))
    return "flip", (draw(operands(shape)), axes), lambda x, axes: np.flip(x, tuple(axes) or None)


@st.composite
def moving_axes(draw):
    shape = draw(shapes(least=1))
    both = Axes([draw(st.integers(-len(shape), len(shape))), axis_of(draw, shape)])
    return "moveaxis", (draw(operands(shape)), both), lambda x, both: np.moveaxis(x, *both)


@st.composite
def expanding(draw):
    shape = draw(shapes())
    return "expandDims", (draw(operands(shape)), Axes([draw(st.integers(-len(shape) - 2, len(shape) + 1))])), lambda x, axes: np.expand_dims(x, axes[0])


@st.composite
def parts_of_matrices(draw):
    name = draw(st.sampled_from(["diagonal", "tril", "triu"]))
    shape = draw(shapes(least=1))
    k = draw(st.sampled_from([0, 1, -1, 2, -9, 9, 2**40]))

    def answer(x, k):
        if x.ndim < 2 and name == "diagonal":
            raise ValueError
        return np.diagonal(x, max(min(k, 99), -99), -2, -1) if name == "diagonal" else getattr(np, name)(x, max(min(k, 99), -99))

    return name, (draw(operands(shape)), k), answer


@st.composite
def differing(draw):
    shape = draw(shapes(least=1))
    n = draw(st.sampled_from([0, 1, 1, 2, 3, -1]))
    axes = Axes([draw(st.integers(-len(shape), len(shape) if n else len(shape) - 1))])  # NumPy does not check the axis of an empty array
    return "diff", (draw(operands(shape, [BOOL, *INTEGERS, np.dtype(np.float64)])), n, axes), lambda x, n, axes: np.diff(x, n, axes[0])


@st.composite
def running_from_start(draw):
    name = draw(st.sampled_from(["cumsumFromZero", "cumprodFromOne"]))
    shape = draw(shapes(least=1))
    start = 0 if name == "cumsumFromZero" else 1

    def answer(x, axes):
        scanned = (np.cumsum if start == 0 else np.cumprod)(x, axes[0], dtype=x.dtype)
        first = np.full([1 if k == axes[0] % x.ndim else n for k, n in enumerate(x.shape)], start, x.dtype)
        return np.concatenate([first, scanned], axes[0])

    return name, (draw(operands(shape, [*INTEGERS, np.dtype(np.float64)])), Axes([axis_of(draw, shape)])), answer


@st.composite
def spreading(draw):
    """Standard deviation and variance in float32 and float64; integers are computed in float64."""
    name = draw(st.sampled_from(["var", "std"]))
    shape = tuple(length or 2 for length in draw(shapes(least=1)))
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=2, unique_by=lambda k: k % len(shape))))
    axes.keep = draw(st.booleans())
    dtypes = [*INTEGERS, np.dtype(np.float64)]
    return name, (draw(operands(shape, dtypes)), draw(st.sampled_from([0, 1, 3])), axes), lambda x, less, axes: np.asarray(
        getattr(np, name)(x, axis=tuple(axes), ddof=less, keepdims=axes.keep))


@st.composite
def searching(draw):
    """Searches in ascending elements; NaN counts as the greatest."""
    dtype = draw(st.sampled_from([*REAL, np.dtype(np.float16)]))
    ordered = draw(operands((draw(st.sampled_from([0, 1, 5, 40])),), [dtype]))
    if dtype in FLOATS and ordered.whole.size > 3:
        ordered.whole[ordered.whole == 2] = np.nan
    ordered.whole[...] = np.sort(ordered.whole) if ordered.layout != "reversed" else np.sort(ordered.whole)[::-1]
    return "searchsorted", (ordered, draw(operands(draw(shapes()), [dtype])), draw(st.sampled_from([0, 1]))), lambda x, wanted, right: np.asarray(
        np.searchsorted(x, wanted, "right" if right else "left"))


@st.composite
def membership(draw):
    first, second = draw(broadcast_shapes())
    dtype = draw(st.sampled_from(DTYPES))
    return "isin", (draw(operands(first, [dtype])), draw(operands(second, [dtype])), draw(st.sampled_from([0, 1]))), lambda x, others, invert: np.isin(
        x, others, invert=bool(invert))


@st.composite
def distinct_parts(draw):
    """Each NaN counts as distinct."""
    name = draw(st.sampled_from(["uniqueAll.values", "uniqueAll.indices", "uniqueAll.inverseIndices", "uniqueAll.counts"]))
    operand = draw(operands(draw(shapes()), DTYPES))
    if operand.whole.dtype in FLOATS:
        operand.whole[operand.whole == 2] = np.nan

    def answer(x):
        found = np.unique(x, True, True, True, equal_nan=False)
        part = found["values indices inverseIndices counts".split().index(name.partition(".")[2])]
        return part.reshape(x.shape) if name.endswith("Indices") else part

    return name, (operand,), answer


def part_of_unique(k):
    return lambda a: operations.call("unique_all", (a,))[k]


def _scan(code):
    return lambda a, axes: operations.call("scanned_from_start", (a,), (code, axes[0]))


#: The same operations in Python: NumPy's functions on our arrays, where NumPy has one.
OPERATIONS = {
    "roll": lambda a, shift, axes: np.roll(a, shift, tuple(axes) or None), "tile": lambda a, counts: np.tile(a, tuple(counts)),
    "repeat": lambda a, n, axes: np.repeat(a, n, axes[0]), "repeatEach": lambda a, counts, axes: operations.call("repeat_each", (a, counts), (axes[0],)),
    "takeAt": lambda a, indices, axes: operations.call("take_axis", (a, indices), (axes[0],)),
    "takeAlongAxis": lambda a, indices, axes: operations.call("take_along_axis", (a, indices), (axes[0],)),
    "flip": lambda a, axes: np.flip(a, tuple(axes) or None), "moveaxis": lambda a, both: np.moveaxis(a, *both),
    "expandDims": lambda a, axes: np.expand_dims(a, axes[0]), "diagonal": lambda a, k: operations.call("diagonal", (a,), (k,)),
    "tril": lambda a, k: np.tril(a, k), "triu": lambda a, k: np.triu(a, k), "diff": lambda a, n, axes: np.diff(a, n, axes[0]),
    "cumsumFromZero": _scan(0), "cumprodFromOne": _scan(1),
    "var": lambda a, less, axes: gpuarray.GPUArray.var(a, tuple(axes), ddof=less, keepdims=axes.keep),
    "std": lambda a, less, axes: gpuarray.GPUArray.std(a, tuple(axes), ddof=less, keepdims=axes.keep),
    "searchsorted": lambda a, wanted, right: np.searchsorted(a, wanted, "right" if right else "left"),
    "isin": lambda a, others, invert: np.isin(a, others, invert=bool(invert)),
    **{f"uniqueAll.{name}": part_of_unique(k) for k, name in enumerate("values indices inverseIndices counts".split())},
}

RULES = [rolling, tiling, repeating, repeating_each, gathering_along, turning, moving_axes, expanding, parts_of_matrices, differing, running_from_start,
         spreading, searching, membership, distinct_parts]
