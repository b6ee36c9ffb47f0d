"""Rules that make cases of operations on whole arrays, for write_cases.py and test_properties_of_cases.py; elementwise_rules.py explains rules."""

import numpy as np
from hypothesis import strategies as st

from made_up import BOOL, DTYPES, FLOATS, INTEGERS, REAL, Axes, Operand, broadcast_shapes, indices, operands, packed, shapes


@st.composite
def reduction(draw):
    name = draw(st.sampled_from(["sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax"]))
    shape = tuple(length or 2 for length in draw(shapes(least=1))) if name in ("min", "max", "mean", "argmin", "argmax") else draw(shapes())
    operand = draw(operands(shape, REAL))
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=1 if name.startswith("arg") else 2,
                              unique_by=lambda k: k % len(shape)))) if shape else Axes()
    axes.keep = bool(axes) and draw(st.booleans())
    typed = {"sum", "prod"}

    def answer(x, axes):
        axis = (axes[0] if name.startswith("arg") else tuple(axes)) if axes else None
        dtype = {"dtype": x.dtype} if name in typed else {"dtype": np.float64} if name == "mean" and x.dtype.kind != "f" else {}
        return np.asarray(getattr(np, name)(x, axis=axis, keepdims=axes.keep, **dtype))

    return name, (operand, axes), answer


@st.composite
def bad_axis(draw):
    operand = draw(operands(draw(shapes()), FLOATS))
    axes = Axes([operand.host.ndim or 1])  # NumPy accepts axis 0 for arrays without axes
    axes.keep = False
    return "sum", (operand, axes), lambda x, axes: np.sum(x, axis=axes[0])


@st.composite
def running(draw):
    name = draw(st.sampled_from(["cumsum", "cumprod"]))
    shape = draw(shapes(least=1))
    axes = Axes([draw(st.integers(-len(shape), len(shape)))])
    return name, (draw(operands(shape, [*INTEGERS, np.dtype(np.float64)])), axes), lambda x, axes: getattr(np, name)(x, axis=axes[0], dtype=x.dtype)


@st.composite
def order(draw):
    name = draw(st.sampled_from(["sort", "argsort"]))
    shape = draw(shapes(least=1))
    axes = Axes([draw(st.integers(-len(shape), len(shape) - 1))])

    def answer(x, axes):
        return np.sort(x, axis=axes[0]) if name == "sort" else np.argsort(x, axis=axes[0], kind="stable")

    return name, (draw(operands(shape, DTYPES)), axes), answer


@st.composite
def distinct(draw):
    return "unique", (draw(operands(draw(shapes()), DTYPES)),), np.unique


@st.composite
def selection(draw):
    """Selection by masks; a mask of another shape is rejected."""
    shape = draw(shapes())
    mask = draw(operands(draw(st.sampled_from([shape, shape, shape, (*shape, 2)])), [BOOL]))

    def answer(x, mask):
        if mask.shape != x.shape:
            raise ValueError
        return x[mask]

    return "select", (draw(operands(shape)), mask), answer


@st.composite
def gathering(draw):
    """Flat indices in C order; out-of-range indices are clamped (unlike in NumPy)."""
    shape = tuple(length or 1 for length in draw(shapes()))
    indices = draw(operands(draw(shapes()), [np.dtype(np.int32), np.dtype(np.int64)]))

    def answer(x, indices):
        flat = x.reshape(-1)
        indices = np.where(indices < 0, indices + flat.size, indices)
        return flat[np.clip(indices, 0, flat.size - 1)]

    return "take", (draw(operands(shape)), indices), answer


@st.composite
def product(draw):
    m, k, n, other = (draw(st.sampled_from([1, 2, 3, 5])) for _ in range(4))
    left = draw(st.sampled_from([(m, k), (k,), (2, m, k), (3, 1, m, k)]))
    right = draw(st.sampled_from([(k, n), (k,), (other, n), (2, k, n), (1, k, n)]))
    return "matmul", (draw(operands(left)), draw(operands(right))), np.matmul


@st.composite
def joining(draw):
    shape = draw(shapes(least=1))
    name = draw(st.sampled_from(["concatenate", "stack"]))
    arguments = [draw(operands(shape)), draw(operands(draw(st.sampled_from([shape, shape, (*shape, 2)]))))]
    axes = Axes([draw(st.integers(-len(shape), len(shape)))])

    def answer(x, y, axes):
        return getattr(np, name)((x, y), axis=axes[0])

    return name, (*arguments, axes), answer


@st.composite
def reordering(draw):
    shape = draw(shapes())
    axes = Axes(draw(st.permutations(range(len(shape)))))
    return "transpose", (draw(operands(shape)), axes), lambda x, axes: np.transpose(x, axes)


@st.composite
def assignment(draw):
    """Assignment within one dtype; a shape that does not broadcast is rejected. Never with more axes: Python drops leading ones like NumPy, Java rejects them."""
    first, second = draw(broadcast_shapes().filter(lambda pair: len(pair[1]) <= len(pair[0])))
    dtype = draw(st.sampled_from(DTYPES))
    return "set", (draw(operands(first, [dtype])), draw(operands(second, [dtype]))), lambda x, y: np.broadcast_to(y, x.shape)


@st.composite
def conversion(draw):
    source = draw(operands(draw(shapes()), REAL))
    target = draw(st.sampled_from([dtype for dtype in DTYPES if source.host.min(initial=0) >= 0 or dtype.kind != "u"]))
    return f"astype {target.name.upper()}", (source,), lambda x: x.astype(target)


@st.composite
def dot_product(draw):
    """Sums of products in the common dtype."""
    shape = draw(shapes())
    axes = Axes(draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=2, unique_by=lambda k: k % len(shape)))) if shape else Axes()
    axes.keep = bool(axes) and draw(st.booleans())

    def answer(x, y, axes):
        dtype = np.result_type(x, y)
        return np.sum(np.multiply(x, y, dtype=dtype), axis=tuple(axes) or None, keepdims=axes.keep, dtype=dtype)

    return "dot", (draw(operands(shape)), draw(operands(shape)), axes), answer


@st.composite
def among_nans(draw):
    """Extrema skip NaN, searches for an extremum find the first NaN, and sorting puts them last."""
    name = draw(st.sampled_from(["min", "max", "argmin", "argmax", "sort", "argsort"]))
    operand = draw(operands((draw(st.sampled_from([2, 5, 40])),), FLOATS))
    operand.whole[operand.whole == 2] = np.nan
    operand.whole[0] = operand.whole[-1] = 3
    ordered = name.endswith("sort")
    answer = {"min": np.fmin.reduce, "max": np.fmax.reduce, "argmin": np.argmin, "argmax": np.argmax, "sort": np.sort,
              "argsort": lambda x: np.argsort(x, kind="stable")}[name]
    return name, (operand, Axes([-1] if ordered else [])), lambda x, axes: np.asarray(answer(x))


@st.composite
def zeros_of_both_signs(draw):
    """Zeros of both signs are equal, and keep their order."""
    name, dtype = draw(st.sampled_from(["argsort", "unique"])), draw(st.sampled_from(FLOATS))
    x = np.array(draw(st.lists(st.sampled_from([0.0, -0.0, 1, -1]), min_size=1, max_size=40)), dtype)
    if name == "unique":
        return name, (Operand("C", x, ()),), np.unique
    return name, (Operand("C", x, ()), Axes([-1])), lambda x, axes: np.argsort(x, kind="stable")


@st.composite
def order_by_keys(draw):
    n = draw(st.sampled_from([0, 1, 5, 40]))
    return "sort", (draw(operands((n,))), draw(operands((draw(st.sampled_from([n, n, n + 1])),), REAL))), sorted_by


def sorted_by(x, keys):
    if keys.shape != x.shape:
        raise ValueError
    return x[np.argsort(keys, kind="stable")]


@st.composite
def nonzero(draw):
    return "nonzero", (draw(operands((draw(st.sampled_from([0, 1, 5, 40])),), [BOOL, *REAL])),), lambda x: np.nonzero(x)[0]


@st.composite
def masked_assignment(draw):
    shape, dtype = draw(shapes()), draw(st.sampled_from(DTYPES))
    target, mask = draw(operands(shape, [dtype])), draw(operands(shape, [BOOL]))
    if dtype.kind in "iu" and draw(st.booleans()):
        target.whole[...] = np.iinfo(dtype).max - target.whole  # which no other dtype can tell apart
    if draw(st.booleans()):
        return "fillWhere", (target, mask, draw(st.sampled_from([0, 1, 3]))), lambda x, mask, n: np.where(mask, x.dtype.type(n), x)
    count = int(np.count_nonzero(mask.host)) + draw(st.sampled_from([0, 0, 0, 2]))

    def answer(x, mask, values):
        x = x.copy()
        if values.size != np.count_nonzero(mask) and values.size != 1:
            raise ValueError
        x[mask] = values
        return x

    return "setWhere", (target, mask, draw(operands((count,), [dtype]))), answer


@st.composite
def subsets(draw):
    name = draw(st.sampled_from(["subsetSum", "subsetMin", "subsetMax"]))
    n = draw(st.sampled_from([6, 9]))
    operand, chosen = draw(operands((n,), REAL)), draw(operands((draw(st.sampled_from([1, 5])),), [np.dtype(np.uint8), np.dtype(np.int64)]))
    answer = {"subsetSum": lambda part: part.sum(dtype=part.dtype), "subsetMin": np.min, "subsetMax": np.max}[name]
    return name, (operand, chosen), lambda x, chosen: np.asarray(answer(x[chosen]))


@st.composite
def slicing(draw):
    shape = draw(shapes())
    return "slice", (draw(operands(shape)), draw(indices(len(shape)))), lambda x, index: x[tuple(index)]


@st.composite
def shaping(draw):
    operand = packed(draw(operands(draw(shapes()))))
    size = operand.host.size
    lengths = draw(st.sampled_from([(size,), (-1,), (1, size), (size, 1, 1), (2, -1), (-1, -1), (size + 1,), (3, -1, 1)]))
    return "reshape", (operand, Axes(lengths)), np.reshape


@st.composite
def squeezing(draw):
    return "squeeze", (draw(operands(draw(shapes()))),), np.squeeze


@st.composite
def reinterpretation(draw):
    operand = packed(draw(operands(draw(shapes(least=1)), [np.dtype(np.float32), np.dtype(np.int64), np.dtype(np.complex64)])))
    target = draw(st.sampled_from([np.dtype(np.int32), np.dtype(np.float64), np.dtype(np.uint8)]))
    return f"view {target.name.upper()}", (operand,), lambda x: x.view(target)


RULES = [reduction, bad_axis, running, order, distinct, selection, gathering, product, joining, reordering, assignment, conversion, dot_product,
         among_nans, zeros_of_both_signs, order_by_keys, nonzero, masked_assignment, subsets, slicing, shaping, squeezing, reinterpretation]
