"""Rules that make cases of operations element by element, for write_cases.py and test_properties_of_cases.py.

A rule is a strategy for (name, arguments, function that computes NumPy's answer from the arguments on the host). Names are those in Java.
"""

import sys

import numpy as np
from hypothesis import strategies as st

from made_up import BOOL, DTYPES, FLOATS, INTEGERS, RARE, REAL, Operand, broadcast_shapes, numbers, operands, pair, shapes

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
# Exact for integers, in floating-point dtypes too.
UNARY = {"neg": np.negative, "abs": np.abs, "copy": np.copy, "square": np.square, "flatten": np.ravel, "reverse": lambda x: x.reshape(-1)[::-1].reshape(x.shape)}
PARTS = {"real": np.real, "imag": np.imag, "conj": np.conj}
MATHEMATICS = {
    "fabs": np.fabs, "ceil": np.ceil, "floor": np.floor, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
}

MATHEMATICS_OF_TWO = {"atan2": np.arctan2, "copysign": np.copysign, "hypot": np.hypot, "logaddexp": np.logaddexp}
WHOLE = {"floorDiv": np.floor_divide, "mod": np.mod, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


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
        """For integers, C's result in their common dtype."""
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
    """Arrays keep shape and dtype; operands that do not fit are rejected, without narrowing (unlike in NumPy)."""
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
    """Functions of floating-point numbers; other dtypes must be converted first."""
    name = draw(st.sampled_from(list(MATHEMATICS)))

    def answer(x):
        if x.dtype.kind != "f":
            raise TypeError
        return MATHEMATICS[name](x)

    return name, (draw(operands(draw(shapes()), [*FLOATS, *FLOATS, np.dtype(np.int32)])),), answer


@st.composite
def mathematics_of_two(draw):
    """Functions of two floating-point numbers."""
    name = draw(st.sampled_from(list(MATHEMATICS_OF_TWO)))
    return name, draw(pair(dtypes=[np.dtype(np.float32), np.dtype(np.float64)])), MATHEMATICS_OF_TWO[name]


@st.composite
def whole_numbers(draw):
    name = draw(st.sampled_from(list(WHOLE)))
    return name, draw(pair(dtypes=INTEGERS, zeros=False)), WHOLE[name]


@st.composite
def shifts(draw):
    name = draw(st.sampled_from(["shiftLeft", "shiftRight"]))
    bits = draw(st.sampled_from([0, 1, 3]))

    def answer(x, bits):
        return {"shiftLeft": np.left_shift, "shiftRight": np.right_shift}[name](np.atleast_1d(x), bits).reshape(x.shape)

    return name, (draw(operands(draw(shapes()), INTEGERS)), bits), answer


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
def clipping_by_fractions(draw):
    def answer(x, least, most):
        return np.clip(np.atleast_1d(x), least, most).reshape(x.shape)  # to NumPy, a 0-d array is a scalar

    return "clip", (draw(operands(draw(shapes()), REAL)), 0.5, 2.5), answer


@st.composite
def mixed_signs(draw):
    """No dtype can represent all of uint64 and int64, but they are compared by value."""
    name = draw(st.sampled_from(list(COMPARISONS)))
    natural = np.array([0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1], np.uint64)
    signed = np.array([-2**63, -1, 0, 1, 2**63 - 2, 2**63 - 1], np.int64)
    x, y = natural, draw(st.sampled_from([signed[:, None], np.roll(signed, 1), np.array([-128, -1, 0, 1, 2, 127], np.int8)]))
    if draw(st.booleans()):
        x, y = y, x
    return name, (Operand("C", x, ()), Operand("C", y, ())), lambda x, y: COMPARISONS[name](x, y).astype(np.result_type(x, y))


@st.composite
def complex_mathematics(draw):
    """Complex functions near branch cuts, and where squares overflow."""
    name = draw(st.sampled_from([name for name in MATHEMATICS if name not in ("fabs", "ceil", "floor", "log1p")]))  # NumPy's log1p loses digits
    dtype = draw(st.sampled_from([np.dtype(np.complex64), np.dtype(np.complex128)]))
    z = np.array([1e-4 + 1j, 0.99j, -1 + 1e-6j, 0.6 + 0.8j, -0.999999, 2 - 3j, complex(-2, -0.0), 20 + 1j, 1e-30 + 1e-20j, 5e-10 - 1j, -3 + 1e-5j])
    if name in ("sqrt", "log", "log10", "log2", "asin", "acos", "atan", "tanh") and (name, sys.platform) != ("sqrt", "win32"):  # whose csqrtf halves the imaginary part
        z = np.append(z, [float(np.finfo(dtype).max) / 2 * (1 + 1j), float(np.finfo(dtype).max) / 3 * 1j])
    return name, (Operand("C", z.astype(dtype), ()),), MATHEMATICS[name]


@st.composite
def rare_dtypes(draw):
    """The dtypes that the other rules leave out; integers small enough for float16."""
    name = draw(st.sampled_from(["add", "mul", "eq", "lt", "minimum", "maximum"]))
    answer = {"add": np.add, "mul": np.multiply, "eq": np.equal, "lt": np.less, "minimum": np.fmin, "maximum": np.fmax}[name]
    first, second = draw(broadcast_shapes())
    return name, (draw(operands(first, RARE)), draw(operands(second, [*RARE, *DTYPES]))), lambda x, y: answer(x, y).astype(np.result_type(x, y))


@st.composite
def parts(draw):
    name = draw(st.sampled_from(list(PARTS)))
    return name, (draw(operands(draw(shapes()))),), lambda x: np.asarray(PARTS[name](x), x.dtype if name == "conj" else None)


@st.composite
def negation(draw):
    return "logicalNot", (draw(operands(draw(shapes()), [*DTYPES, *RARE])),), np.logical_not


@st.composite
def power(draw):
    """Non-negative exponents only: NumPy rejects negative ones for integers, kernels cannot."""
    first, second = draw(broadcast_shapes())
    base = draw(operands(first, [*INTEGERS, *FLOATS]))
    if draw(st.booleans()):
        return "pow", (base, draw(operands(second, [np.dtype(np.uint8)]))), lambda x, y: np.power(x, y)
    return "pow", (base, draw(st.sampled_from([0, 1, 2, 3]))), lambda x, n: np.power(x, n, dtype=x.dtype)


@st.composite
def combination(draw):
    shape = draw(shapes())
    return "mulAdd", (draw(operands(shape)), draw(st.sampled_from([0, 1, 3])), draw(operands(shape)), draw(st.sampled_from([0, 2]))), \
        lambda x, f, y, g: np.asarray(f * x.astype(np.result_type(x, y)) + g * y.astype(np.result_type(x, y)), np.result_type(x, y))


@st.composite
def beside_nans(draw):
    """The operand that is not NaN, as in PyCUDA."""
    name = draw(st.sampled_from(["minimum", "maximum"]))
    first, second = draw(pair(dtypes=FLOATS))
    first.whole[first.whole == 1] = np.nan
    return name, (first, second), {"minimum": np.fmin, "maximum": np.fmax}[name]


@st.composite
def filling(draw):
    return "fill", (draw(operands(draw(shapes()))), draw(st.sampled_from([0, 1, 3]))), lambda x, n: np.full_like(x, n)


RULES = [arithmetic, mathematics_of_two, whole_numbers, shifts, arithmetic_with_number, division, comparison, comparison_with_number, in_place, unary, mathematics, extremum, logic, choice,
         clipping, clipping_by_fractions, mixed_signs, complex_mathematics, rare_dtypes, parts, negation, power, combination, beside_nans, filling]
