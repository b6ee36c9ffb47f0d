"""Rules that make cases of padding, Einstein sums, histograms, comparisons, splits and functions without NaN; elementwise_rules.py explains rules.

A word after an operation's name, as in "pad reflect", is a text that it takes."""

import warnings

import numpy as np
from hypothesis import strategies as st

from made_up import BOOL, DTYPES, FLOATS, INTEGERS, RARE, REAL, Axes, Operand, broadcast_shapes, operands, shapes

HALF = np.dtype(np.float16)


def quiet(function, *arguments, **options):
    """NumPy's result, without its warnings of slices without numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(function(*arguments, **options))


# ---- padding

NUMBERS = {"constant": "constant_values", "linear_ramp": "end_values", "mean": "stat_length", "median": "stat_length", "maximum": "stat_length", "minimum": "stat_length"}
PADDED = {"constant": [*DTYPES, BOOL, HALF], "edge": [*DTYPES, *RARE], "reflect": DTYPES, "symmetric": DTYPES, "wrap": DTYPES,
          "linear_ramp": [*REAL, np.dtype(np.complex64)], "mean": REAL, "median": REAL, "maximum": REAL, "minimum": REAL}


def sides(values, ndim):
    """As NumPy's pad takes them: for all sides, for those before and after every axis, or for each axis."""
    if len(values) == 2 * ndim:
        return tuple(zip(values[::2], values[1::2]))
    if len(values) not in (1, 2):
        raise ValueError
    return tuple(values)


def options_of(mode, numbers, ndim):
    return {NUMBERS[mode]: sides(numbers, ndim)} if mode in NUMBERS and numbers else {}


@st.composite
def padding(draw):
    mode = draw(st.sampled_from(list(PADDED)))
    shape = draw(shapes(least=1))
    count = draw(st.sampled_from([1, 2, 2 * len(shape), 2 * len(shape), 3]))
    widths = Axes(draw(st.lists(st.sampled_from([0, 1, 2, 2, 7, -1]), min_size=count, max_size=count)))
    some = st.sampled_from([1, 2, 9]) if mode not in ("constant", "linear_ramp") else st.sampled_from([0, 1, 3])
    count = draw(st.sampled_from([1, 2, 2 * len(shape)])) if mode in NUMBERS else 0
    numbers = Axes(draw(st.lists(some, min_size=count, max_size=count)))

    def answer(x, widths, numbers):
        return np.pad(x, sides(widths, x.ndim), mode, **options_of(mode, numbers, x.ndim))

    return f"pad {mode}", (draw(operands(shape, PADDED[mode])), widths, numbers), answer


# ---- Einstein sums

SUMS = [("ij,jk->ik", "23", "35"), ("ij,jk", "23", "35"), ("ij,ij->", "23", "23"), ("ij,kj->kij", "23", "53"), ("bij,bjk->bik", "523", "535"), ("i,j->ij", "2", "3"),
        ("ii,i->i", "33", "3"), ("ij,j", "23", "3"), ("...ij,...j->...i", "523", "3"), ("...,...->...", "53", "3"), ("ij,ik->jk", "23", "25"), ("iij,jk->ki", "223", "35"),
        (" i j , j -> i ", "03", "3"), ("ij,jk->ik", "20", "05"), ("ij,jk->ik", "23", "25"), ("ij,j->ii", "23", "3"), ("i$,j->j", "23", "3"), ("ij->i", "23", "3"),
        ("ij,jk->il", "23", "35"), ("i,i->i", "1", "5"), ("ijk,k->ij", "23", "3"), ("aB,B", "23", "3"), ("i...,i...->...", "235", "25")]


@st.composite
def einstein_sums(draw):
    subscripts, *lengths = draw(st.sampled_from(SUMS))
    dtype = draw(st.sampled_from(DTYPES))
    arrays = [draw(operands(tuple(map(int, each)), [dtype])) for each in lengths]
    return f"einsum {subscripts}", tuple(arrays), lambda x, y: np.einsum(subscripts, x, y)


@st.composite
def einstein_sums_of_one(draw):
    subscripts, lengths = draw(st.sampled_from([("ii->i", "33"), ("ij->ji", "23"), ("ii", "33"), ("ijk->k", "235"), ("i...->...", "23"), ("ij->", "20"), ("ba", "23")]))
    return f"einsum {subscripts}", (draw(operands(tuple(map(int, lengths)))),), lambda x: np.einsum(subscripts, x)


# ---- histograms


@st.composite
def histograms(draw):
    """Between bounds, or the extremes of the elements."""
    name = draw(st.sampled_from(["histogram", "histogramBinEdges"]))
    bins = draw(st.sampled_from([1, 2, 3, 10, 0, -1]))
    bounds = draw(st.sampled_from([None, (-2.0, 3.0), (0.0, 0.0), (0.25, 7.5), (1.0, 0.0)]))
    operand = draw(operands(draw(shapes()), [*REAL, HALF] if name == "histogram" else [*REAL]))

    def answer(x, bins, *bounds):
        found = quiet(np.histogram_bin_edges, x, bins, bounds or None)
        return np.histogram(x, bins, bounds or None)[0] if name == "histogram" else found

    return name, (operand, bins, *(bounds or ())), answer


@st.composite
def histograms_at_edges(draw):
    """The counts, sums of weights, or density of bins between given edges."""
    name = draw(st.sampled_from(["histogramAt", "histogramAt weighted", "histogramAt density"]))
    shape = draw(shapes())
    edges = draw(operands((draw(st.sampled_from([1, 2, 3, 5])),), [np.dtype(np.float64), np.dtype(np.int32)]))
    if draw(st.sampled_from([True, True, True, False])):
        edges.whole[...] = np.sort(edges.whole) if edges.layout != "reversed" else np.sort(edges.whole)[::-1]
    weights = (draw(operands(draw(st.sampled_from([shape, shape, shape, (*shape, 2)])), [BOOL, *DTYPES])),) if "weighted" in name else ()
    if "density" in name:
        edges.whole[...] = np.arange(edges.whole.size) if edges.layout != "reversed" else np.arange(edges.whole.size)[::-1]

    def answer(x, edges, *weights):
        if weights and weights[0].shape != x.shape:
            raise ValueError
        if weights:  # NumPy's subtracts no bool
            weights = [weights[0].astype(np.int64) if weights[0].dtype == bool else weights[0]]
        counts = quiet(lambda: np.histogram(x, edges, density="density" in name, weights=weights[0] if weights else None)[0])
        return counts.astype(weights[0].dtype) if weights else counts

    return name, (draw(operands(shape, REAL)), edges, *weights), answer


@st.composite
def weights_of_other_bins(draw):
    """Large weights, infinities and NaN in some bins leave the sums of others as they are."""
    weight = st.sampled_from([1e17, 1.0, 2.0, 3.0, -1e17, 1e300, float("inf"), float("nan")])
    weights = np.array(draw(st.lists(weight, min_size=4, max_size=4)))
    x, edges = np.array(draw(st.permutations([0.0, 1.0, 2.0, 3.0]))), np.arange(5) - 0.5
    return "histogramAt weighted", tuple(Operand("C", array, ()) for array in (x, edges, weights)), lambda x, edges, weights: weights[np.argsort(x)]


# ---- comparisons


@st.composite
def closeness(draw):
    """Of small integers, NaN and infinities, and numbers that differ a little."""
    first, second = draw(broadcast_shapes())
    dtypes = [draw(st.sampled_from([*DTYPES, BOOL, HALF]))]  # NumPy rounds the magnitudes of narrower operands
    a, b = draw(operands(first, dtypes)), draw(operands(second, dtypes))
    for operand in (a, b):
        if operand.whole.dtype.kind in "fc":
            operand.whole[operand.whole == 2] = np.nan
            operand.whole[operand.whole == 3] = np.inf
            operand.whole[operand.whole == -3] = -np.inf
            operand.whole[operand.whole == 1] += draw(st.sampled_from([0, 1e-9, 1e-3]))
    rtol, atol = draw(st.sampled_from([1e-5, 0.0, 0.25, 1.0])), draw(st.sampled_from([1e-8, 0.0, 0.5, 2.0]))
    return "isclose", (a, b, rtol, atol, draw(st.sampled_from([0, 1]))), lambda x, y, rtol, atol, nan: np.isclose(x, y, rtol, atol, bool(nan))


# ---- without NaN


def with_nan(operand):
    if operand.whole.dtype.kind in "fc":
        operand.whole[np.abs(operand.whole) >= 2] = np.nan
    return operand


def one_or_all(axes, one):
    return (axes[0] if one else tuple(axes)) if axes else None


@st.composite
def without_nan(draw):
    name = draw(st.sampled_from(["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin", "nanargmax"]))
    shape = tuple(length or 2 for length in draw(shapes(least=1)))
    dtypes = [*DTYPES, np.dtype(np.complex64)] if name in ("nansum", "nanprod", "nanmean") else [np.dtype(np.int32), *FLOATS]
    operand = with_nan(draw(operands(shape, dtypes)))
    one = name.startswith("nanarg")
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=1 if one else 2, unique_by=lambda k: k % len(shape))))
    axes.keep = bool(axes) and draw(st.booleans())

    def answer(x, axes):
        options = {"dtype": x.dtype} if name in ("nansum", "nanprod") else {}
        return quiet(getattr(np, name), x, axis=one_or_all(axes, one), keepdims=axes.keep, **options)

    return name, (operand, axes), answer


@st.composite
def running_without_nan(draw):
    name = draw(st.sampled_from(["nancumsum", "nancumprod"]))
    shape = draw(shapes(least=1))
    axes = Axes([draw(st.integers(-len(shape), len(shape)))])
    operand = with_nan(draw(operands(shape, [*INTEGERS, *FLOATS])))
    return name, (operand, axes), lambda x, axes: getattr(np, name)(x, axis=axes[0], dtype=x.dtype)


# ---- splits and joins


@st.composite
def splitting(draw):
    """One of the parts. The number of sections, or the indices, come last."""
    name = draw(st.sampled_from(["split", "arraySplit"]))
    shape = draw(shapes(least=1))
    axis = draw(st.integers(-len(shape), len(shape)))
    sections = draw(st.sampled_from([1, 2, 3, 0, -1])) if draw(st.booleans()) else Axes(draw(st.lists(st.sampled_from([0, 1, 2, -1, 9]), min_size=1, max_size=3)))

    def answer(x, axes, sections):
        if sections == 0 and x.shape[axes[0]] is not None:  # NumPy divides by it
            raise ValueError
        function = np.split if name == "split" else np.array_split
        return function(x, sections if isinstance(sections, int) else list(sections), axes[0])[0]

    return name, (draw(operands(shape)), Axes([axis]), sections), answer


@st.composite
def stacking(draw):
    name = draw(st.sampled_from(["hstack", "vstack", "dstack", "columnStack"]))
    shape = draw(shapes())
    other = draw(st.sampled_from([shape, shape, (*shape, 2)]))
    function = getattr(np, {"columnStack": "column_stack"}.get(name, name))
    return name, (draw(operands(shape)), draw(operands(other))), lambda x, y: function([x, y])


# ---- the same in Python


def _padded(mode):
    return lambda a, widths, numbers: np.pad(a, sides(widths, a.ndim), mode, **options_of(mode, numbers, a.ndim))


def _nan(name, one=False):
    return lambda a, axes: getattr(np, name)(a, axis=one_or_all(axes, one), keepdims=axes.keep)


def _split(function):
    return lambda a, axes, sections: function(a, sections if isinstance(sections, int) else list(sections), axes[0])[0]


OPERATIONS = {
    **{f"pad {mode}": _padded(mode) for mode in PADDED},
    **{f"einsum {subscripts}": lambda *arrays, subscripts=subscripts: np.einsum(subscripts, *arrays)
       for subscripts in [*(row[0] for row in SUMS), "ii->i", "ij->ji", "ii", "ijk->k", "i...->...", "ij->", "ba"]},
    "histogram": lambda a, bins, *bounds: np.histogram(a, bins, bounds or None)[0],
    "histogramBinEdges": lambda a, bins, *bounds: np.histogram_bin_edges(a, bins, bounds or None),
    "histogramAt": lambda a, edges: np.histogram(a, edges)[0], "histogramAt weighted": lambda a, edges, weights: np.histogram(a, edges, weights=weights)[0],
    "histogramAt density": lambda a, edges: np.histogram(a, edges, density=True)[0],
    "isclose": lambda a, b, rtol, atol, nan: np.isclose(a, b, rtol, atol, bool(nan)),
    **{name: _nan(name) for name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd")},
    **{name: _nan(name, True) for name in ("nanargmin", "nanargmax")},
    "nancumsum": lambda a, axes: np.nancumsum(a, axes[0]), "nancumprod": lambda a, axes: np.nancumprod(a, axes[0]),
    "split": _split(np.split), "arraySplit": _split(np.array_split), "hstack": lambda a, b: np.hstack([a, b]), "vstack": lambda a, b: np.vstack([a, b]),
    "dstack": lambda a, b: np.dstack([a, b]), "columnStack": lambda a, b: np.column_stack([a, b]),
}

RULES = [padding, einstein_sums, einstein_sums_of_one, histograms, histograms_at_edges, weights_of_other_bins, closeness, without_nan, running_without_nan, splitting, stacking]
