"""Binary operators of arrays compared with NumPy's, on generated operands: dtypes, layouts, shapes, scalars."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray

from conftest import close
from made_up import DTYPES, broadcast_shapes, few, operands

ARITHMETIC = [operator.add, operator.sub, operator.mul]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
IN_PLACE = {operator.add: operator.iadd, operator.sub: operator.isub, operator.mul: operator.imul, operator.truediv: operator.itruediv}


@st.composite
def arrays(draw, shape, dtypes=DTYPES, zeros=True):
    """(ours, NumPy's): the same elements in the same layout."""
    operand = draw(operands(shape, dtypes, zeros))
    return operand.cut(gpuarray.to_gpu(operand.whole)), operand.host


@st.composite
def pairs(draw, **options):
    first, second = draw(broadcast_shapes())
    return (*draw(arrays(first, **options)), *draw(arrays(second, **options)))


def scalars(zeros=True):
    """Python and NumPy numbers, small enough for every dtype."""
    numbers = [value for value in (0, 1, 3, 2.5, 2 - 1j) if zeros or value != 0]
    typed = [np.int8(3), np.uint32(2), np.int64(1), np.float32(2.5), np.float64(-1.5), np.complex64(1 + 2j), np.array(2.0)]
    return st.sampled_from([*numbers, *typed])


def check(ours, expected, dtype=None):
    assert isinstance(ours, GPUArray)
    assert ours.dtype == (expected.dtype if dtype is None else dtype)
    close(ours, expected)


@few
@given(pairs(), st.sampled_from(ARITHMETIC))
def test_arithmetic(pair, op):
    a, x, b, y = pair
    with np.errstate(over="ignore"):
        check(op(a, b), np.asarray(op(x, y)))


@few
@given(broadcast_shapes().flatmap(lambda shapes: arrays(shapes[0])), scalars(), st.sampled_from(ARITHMETIC))
def test_arithmetic_with_scalars(pair, scalar, op):
    a, x = pair
    wide = np.atleast_1d(x)  # NumPy treats its 0-d arrays as scalars, ours stay arrays
    with np.errstate(over="ignore"):
        check(op(a, scalar), op(wide, scalar).reshape(x.shape))
        check(op(scalar, a), op(scalar, wide).reshape(x.shape))


@few
@given(pairs(zeros=False))
def test_division(pair):
    """For integers, C's division in their common dtype, where NumPy returns floating-point numbers."""
    a, x, b, y = pair
    dtype = np.result_type(x, y)
    quotient = np.asarray(np.divide(x, y, dtype=np.result_type(dtype, np.float64)))
    if dtype.kind in "iu":
        check(a / b, np.trunc(quotient).astype(dtype), dtype)
    else:
        check(a / b, quotient.astype(dtype), dtype)


@few
@given(pairs(zeros=False, dtypes=[t for t in DTYPES if t.kind != "c"]), st.sampled_from([operator.floordiv, operator.mod]))
def test_floor_division_and_remainder(pair, op):
    a, x, b, y = pair
    check(op(a, b), np.asarray(op(x, y)))


@few
@given(pairs(dtypes=[t for t in DTYPES if t.kind in "iu"]), st.sampled_from([operator.and_, operator.or_, operator.xor]))
def test_bits(pair, op):
    a, x, b, y = pair
    if np.result_type(x, y).kind in "iu":
        check(op(a, b), np.asarray(op(x, y)))


@few
@given(pairs(dtypes=[t for t in DTYPES if t.kind != "c"]), st.sampled_from(COMPARISONS))
def test_comparisons(pair, op):
    """0 and 1 of the common dtype, where NumPy returns bool."""
    a, x, b, y = pair
    check(op(a, b), np.asarray(op(x, y)), np.result_type(x, y))


@few
@given(pairs(dtypes=[t for t in DTYPES if t.kind != "c"]), st.sampled_from(COMPARISONS), st.sampled_from([-1, 0, 2]))
def test_comparisons_with_numbers(pair, op, number):
    """0 and 1 of the array's dtype."""
    a, x, _, _ = pair
    if x.dtype.kind != "u" or number >= 0:
        check(op(a, number), np.asarray(op(x, number)), x.dtype)


@few
@given(pairs(zeros=False), st.sampled_from(list(IN_PLACE)))
def test_in_place(pair, op):
    """Keeps the dtype, whatever the other operand's is; an operand that does not broadcast to the shape is rejected."""
    a, x, b, y = pair
    if np.result_type(x, y).kind == "c" and x.dtype.kind != "c":
        return  # there is no conversion from complex numbers to real ones
    if np.broadcast_shapes(x.shape, y.shape) != x.shape:
        with pytest.raises(ValueError):
            IN_PLACE[op](a, b)
        return
    expected = op(a, b).get().astype(x.dtype)
    before = b.get().copy()
    result = IN_PLACE[op](a, b)
    assert result is a and a.dtype == x.dtype
    close(a, expected)
    close(b, before)


@few
@given(pairs(dtypes=[np.dtype(np.float32), np.dtype(np.float64)]))
def test_layouts_of_results(pair):
    """A result's elements do not overlap, and writing to it does not change the operands."""
    a, x, b, y = pair
    result = a + b
    result.fill(7)
    close(a, x)
    close(b, y)
    close(result, np.full(result.shape, 7, result.dtype))
