"""reduce, accumulate, reduceat and at of universal functions, beyond what the core computes in one launch."""

import both
import numpy as np
import pytest
from pycuda.gpuarray import GPUArray

X = np.array([[7, 3, 5], [12, 6, 9], [1, 2, 4], [8, 8, 8], [3, 0, 1]])
OF_INTEGERS = [np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.gcd, np.lcm, np.left_shift, np.floor_divide, np.subtract, np.remainder, np.power, np.logical_xor, np.fmod, np.equal, np.greater]
OF_FLOATS = [np.hypot, np.logaddexp, np.logaddexp2, np.divide, np.copysign, np.nextafter, np.heaviside, np.float_power]
PARAMETERS = [
    {}, {"axis": 1}, {"axis": -1}, {"axis": None}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}, {"initial": 2}, {"axis": 0, "where": X > 2}, {"axis": 0, "where": X > 2, "initial": 5}, {"where": False, "initial": 3},
    {"dtype": np.int16}, {"dtype": np.bool_},
]


def check(call, message, **options):
    """As both.check(). Frees the arrays: NumPy 2.4 never releases the arguments of reductions that raise."""
    made = []

    def noted(A):
        def make(x):
            made.append(A(x))
            return made[-1]

        return call(make)

    both.check(noted, message, **options)
    for array in made:
        if isinstance(array, GPUArray) and array.size:
            array.gpudata.free()


def with_arrays(A, keywords):
    return {name: A(value) if isinstance(value, np.ndarray) else value for name, value in keywords.items()}


@pytest.mark.parametrize("ufunc", OF_INTEGERS, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_])
def test_integers(ufunc, dtype):
    x = X > 3 if dtype is np.bool_ else X.astype(dtype)
    for keywords in PARAMETERS:
        check(lambda A: ufunc.reduce(A(x), **with_arrays(A, keywords)), f"reduce {keywords}")
    for name, part, axis in (("rows", x[:0], 0), ("rows, along others", x[:0], 1), ("columns", x[:, :0], 1)):
        check(lambda A: ufunc.reduce(A(part), axis=axis), f"reduce no {name}")
        check(lambda A: ufunc.accumulate(A(part), axis=axis), f"accumulate no {name}")
    for keywords in ({}, {"axis": 1}, {"axis": -1}, {"dtype": np.int64}):
        check(lambda A: ufunc.accumulate(A(x), **keywords), f"accumulate {keywords}")
    check(lambda A: ufunc.reduce(A(np.array(3, dtype))), "reduce a number")
    check(lambda A: ufunc.accumulate(A(np.array(3, dtype))), "accumulate a number")
    check(lambda A: [ufunc.reduceat(A(x), [0, 3, 1]), ufunc.reduceat(A(x), [0, 2], axis=1)], "reduceat")


@pytest.mark.parametrize("ufunc", OF_FLOATS, ids=lambda ufunc: ufunc.__name__)
def test_floats(ufunc):
    for keywords in ({}, {"axis": 1}, {"axis": None}, {"initial": 2.0}):
        check(lambda A: ufunc.reduce(A(X / 4), **keywords), f"reduce {keywords}", ulps=64)
    check(lambda A: ufunc.accumulate(A(X / 4)), "accumulate", ulps=64)
    check(lambda A: ufunc.reduce(A(np.zeros((0, 3)))), "reduce nothing")
    check(lambda A: ufunc.reduce(A(X), axis=0).dtype, "the dtype of integers")


def test_outputs_and_exceptions():
    check(lambda A: np.bitwise_or.reduce(A(X), out=A(np.zeros(3, int))), "reduce into out")
    check(lambda A: np.subtract.accumulate(A(X), out=A(np.zeros((5, 3), int))), "accumulate into out")
    check(lambda A: np.divmod.reduce(A(X)), "two results")
    check(lambda A: np.negative.reduce(A(X)), "one operand")


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.float32, np.complex128])
@pytest.mark.parametrize("ufunc", [np.negative, np.square, np.sqrt, np.invert, np.logical_not, np.absolute], ids=lambda ufunc: ufunc.__name__)
def test_at_with_one_operand(ufunc, dtype):
    """As often as an element occurs in the index; others keep their bits."""
    x = X.astype(dtype)

    def changed(A, index):
        array = A(x)
        ufunc.at(array, index)
        return array

    for index in (([0, 1, 1, 4], [1, 2, 2, 0]), 1, slice(0, 0), [3, 3, 3], (Ellipsis, [1, 1]), x[:, 0] > 2):
        check(lambda A, index=index: changed(A, index), f"{ufunc.__name__}.at {index}")
    large = np.array([2**63 - 1, 7, 9], np.int64)
    check(lambda A: (lambda array: (np.sqrt.at(array, [2, 1]), array)[1])(A(large)), "what is not selected keeps its bits")


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32])
@pytest.mark.parametrize(("ufunc", "value"), [(np.add, 1.5), (np.divide, 2), (np.divide, -2), (np.multiply, 0.5), (np.power, 1.5), (np.subtract, np.float32(0.5))],
                         ids=lambda value: getattr(value, "__name__", None))
def test_at_with_values_of_a_wider_kind(ufunc, value, dtype):
    """Computed in the common dtype, and converted after each step."""
    x = X.astype(dtype)
    if ufunc is np.subtract and dtype is np.bool_ or value == -2 and dtype is np.uint8:
        return  # NumPy refuses it; C leaves the conversion of negative numbers undefined

    def changed(A, given):
        array = A(x)
        ufunc.at(array, ([0, 1, 1, 4], [1, 2, 2, 0]), A(given) if isinstance(given, np.ndarray) else given)
        return array

    check(lambda A: changed(A, value), "a number")
    check(lambda A: changed(A, np.array([value] * 4)), "an array")


@pytest.mark.parametrize("ufunc", [np.add, np.minimum, np.subtract, np.logical_and], ids=lambda ufunc: ufunc.__name__)
def test_reduceat_without_indices(ufunc):
    for x, axis in ((np.ones((5, 2)), 0), (np.ones((5, 2), np.float32), 1), (np.ones(0), 0)):
        check(lambda A, x=x, axis=axis: ufunc.reduceat(A(x), [], axis=axis), f"{x.shape} along {axis}")
