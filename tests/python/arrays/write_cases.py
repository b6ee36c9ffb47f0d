"""Writes cases with NumPy's answers, one a line, for arrays in other languages: ArrayCasesTest runs them in Java.

usage: write_cases.py FILE

A line is the operation, its arguments, and the answer, with tabs between them. Words with blanks between them make each of these:

    array DTYPE LAYOUT SHAPE BYTES   an operand: the whole array in C order, and which part of it counts (made_up.LAYOUTS)
    whole N, real X, complex RE IM   a number
    axes N,N... [keep]               axes, or none; keep: with length 1
    = DTYPE SHAPE BYTES              the answer, in C order
    ! NAME                           the exception that there must be instead

Shapes are lengths with commas, bytes are hexadecimal; "-" stands for none. The same lines come out of every run.
"""

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from made_up import DTYPES, REAL, Operand, broadcast_shapes, few, operands, shapes

INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]
FLOATS = [np.dtype(np.float32), np.dtype(np.float64)]
BOOL = np.dtype(np.bool_)
EXAMPLES = max(12, few.max_examples // 4)  # of each rule, at most


class Axes(tuple):
    """Axes of a reduction or a transposition."""


def numbers(dtype):
    """Python's numbers, which a dtype of whole numbers may be too small for."""
    values = [0, 1, 3, 2.5, -1.5, 2 - 1j]
    if dtype.kind in "iu" and dtype.itemsize < 8:
        values.append(2 ** (8 * dtype.itemsize))
    return st.sampled_from(values)


@st.composite
def pair(draw, **options):
    first, second = draw(broadcast_shapes())
    return draw(operands(first, **options)), draw(operands(second, **options))


@st.composite
def alike(draw, count, dtypes):
    """Operands of one shape and dtype."""
    shape, dtype = draw(shapes()), draw(st.sampled_from(dtypes))
    return [draw(operands(shape, [dtype])) for _ in range(count)]


def hosts(arguments):
    return [argument.host if isinstance(argument, Operand) else argument for argument in arguments]


# ---- rules: a strategy each, of (name, arguments, function of the arguments on the host that gives the answer)

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
# Of whole numbers, floating-point ones take them as they are.
UNARY = {"neg": np.negative, "abs": np.abs, "copy": np.copy, "reverse": lambda x: x.reshape(-1)[::-1].reshape(x.shape)}
MATHEMATICS = {"sin": np.sin, "exp": np.exp, "tanh": np.tanh, "floor": np.floor, "fabs": np.fabs, "atan": np.arctan}


@st.composite
def arithmetic(draw):
    name = draw(st.sampled_from(list(ARITHMETIC)))
    return name, draw(pair()), ARITHMETIC[name]


@st.composite
def arithmetic_with_number(draw):
    name = draw(st.sampled_from(["add", "sub", "mul", "rsub"]))
    operand = draw(operands(draw(shapes())))
    number = draw(numbers(operand.host.dtype))

    def answer(x, number):
        wide = np.atleast_1d(x)  # to NumPy, a 0-d array is a scalar
        return (number - wide if name == "rsub" else ARITHMETIC[name](wide, number)).reshape(x.shape)

    return name, (operand, number), answer


@st.composite
def division(draw):
    def answer(x, y):
        """Of integers C's, in their common dtype."""
        dtype = np.result_type(x, y)
        quotient = np.divide(x, y, dtype=np.result_type(dtype, np.float64))
        return (np.trunc(quotient) if dtype.kind in "iu" else quotient).astype(dtype)

    return "div", draw(pair(zeros=False)), answer


@st.composite
def comparison(draw):
    name = draw(st.sampled_from(list(COMPARISONS)))
    return name, draw(pair(dtypes=REAL)), lambda x, y: COMPARISONS[name](x, y).astype(np.result_type(x, y))


@st.composite
def comparison_with_number(draw):
    name = draw(st.sampled_from(list(COMPARISONS)))
    return name, (draw(operands(draw(shapes()), REAL)), draw(st.sampled_from([0, 2, 1.5]))), lambda x, n: COMPARISONS[name](x, n).astype(x.dtype)


@st.composite
def in_place(draw):
    """Arrays keep shape and dtype; what does not fit them is refused, without narrowing (another rule than NumPy's)."""
    name = draw(st.sampled_from(list(ARITHMETIC)))

    def answer(x, y):
        result = ARITHMETIC[name](x, y)
        if result.dtype != x.dtype:
            raise TypeError
        if result.shape != x.shape:
            raise ValueError
        return result

    return f"{name}InPlace", draw(pair()), answer


@st.composite
def unary(draw):
    name = draw(st.sampled_from(list(UNARY)))
    return name, (draw(operands(draw(shapes()))),), UNARY[name]


@st.composite
def mathematics(draw):
    """Functions of floating-point numbers; others have to be converted before."""
    name = draw(st.sampled_from(list(MATHEMATICS)))

    def answer(x):
        if x.dtype.kind != "f":
            raise TypeError
        return MATHEMATICS[name](x)

    return name, (draw(operands(draw(shapes()), [*FLOATS, *FLOATS, np.dtype(np.int32)])),), answer


@st.composite
def extremum(draw):
    name = draw(st.sampled_from(["minimum", "maximum"]))
    return name, draw(pair(dtypes=REAL)), {"minimum": np.fmin, "maximum": np.fmax}[name]


@st.composite
def logic(draw):
    name = draw(st.sampled_from(["logicalAnd", "logicalOr"]))
    return name, draw(pair(dtypes=[*DTYPES, BOOL])), {"logicalAnd": np.logical_and, "logicalOr": np.logical_or}[name]


@st.composite
def choice(draw):
    shape, dtype = draw(shapes()), draw(st.sampled_from(DTYPES))
    return "where", (draw(operands(shape, [BOOL, np.dtype(np.int32)])), draw(operands(shape, [dtype])), draw(operands(shape, [dtype]))), np.where


@st.composite
def clipping(draw):
    return "clip", (draw(operands(draw(shapes()), REAL)), 1, 3), lambda x, least, most: np.clip(x, least, most).astype(x.dtype)


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
    axes = Axes([operand.host.ndim or 1])  # NumPy lets arrays of no axes have axis 0
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

    return name, (draw(operands(shape, REAL)), axes), answer


@st.composite
def distinct(draw):
    return "unique", (draw(operands(draw(shapes()), REAL)),), np.unique


@st.composite
def selection(draw):
    """A mask of another shape is refused."""
    shape = draw(shapes())
    mask = draw(operands(draw(st.sampled_from([shape, shape, shape, (*shape, 2)])), [BOOL]))

    def answer(x, mask):
        if mask.shape != x.shape:
            raise ValueError
        return x[mask]

    return "select", (draw(operands(shape)), mask), answer


@st.composite
def gathering(draw):
    """Places in C order; those outside are taken for the nearest inside (another rule than NumPy's)."""
    shape = tuple(length or 1 for length in draw(shapes()))
    places = draw(operands(draw(shapes()), [np.dtype(np.int32), np.dtype(np.int64)]))

    def answer(x, places):
        flat = x.reshape(-1)
        places = np.where(places < 0, places + flat.size, places)
        return flat[np.clip(places, 0, flat.size - 1)]

    return "take", (draw(operands(shape)), places), answer


@st.composite
def product(draw):
    m, k, n, other = (draw(st.sampled_from([1, 2, 3, 5])) for _ in range(4))
    left = draw(st.sampled_from([(m, k), (k,)]))
    right = draw(st.sampled_from([(k, n), (k,), (other, n)]))
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
    """Of one dtype; a shape that does not broadcast is refused."""
    first, second = draw(broadcast_shapes())
    dtype = draw(st.sampled_from(DTYPES))
    return "set", (draw(operands(first, [dtype])), draw(operands(second, [dtype]))), lambda x, y: np.broadcast_to(y, x.shape)


@st.composite
def conversion(draw):
    source = draw(operands(draw(shapes()), REAL))
    target = draw(st.sampled_from([dtype for dtype in DTYPES if source.host.min(initial=0) >= 0 or dtype.kind != "u"]))
    return f"astype {name_of(target)}", (source,), lambda x: x.astype(target)


RULES = [arithmetic, arithmetic_with_number, division, comparison, comparison_with_number, in_place, unary, mathematics, extremum, logic, choice,
         clipping, reduction, bad_axis, running, order, distinct, selection, gathering, product, joining, reordering, assignment, conversion]


# ---- text


def name_of(dtype):
    return np.dtype(dtype).name.upper()


def shape_and_bytes(array):
    return f"{','.join(map(str, array.shape)) or '-'} {array.tobytes('C').hex() or '-'}"


def word(argument):
    if isinstance(argument, Operand):
        return f"array {name_of(argument.whole.dtype)} {argument.layout} {shape_and_bytes(argument.whole)}"
    if isinstance(argument, Axes):
        return f"axes {','.join(map(str, argument)) or '-'}{' keep' if getattr(argument, 'keep', False) else ''}"
    if isinstance(argument, complex):
        return f"complex {argument.real!r} {argument.imag!r}"
    return f"{'whole' if isinstance(argument, int) else 'real'} {argument!r}"


def answer_word(answer, arguments):
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(answer(*hosts(arguments)))
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        kinds = [kind.__name__ for kind in (IndexError, ValueError, TypeError, OverflowError) if isinstance(error, kind)]
        return f"! {kinds[0]}"
    return f"= {name_of(result.dtype)} {shape_and_bytes(result)}"


def lines_of(rule):
    lines = {}

    @few
    @given(rule())
    def collect(case):
        name, arguments, answer = case
        lines["\t".join([name, *map(word, arguments), answer_word(answer, arguments)])] = True

    collect()
    every = -(-len(lines) // EXAMPLES)  # hypothesis begins with the simplest
    return list(lines)[::every]


def main(path):
    lines = [line for rule in RULES for line in lines_of(rule)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
