"""Python's integers that a dtype cannot hold, with every dtype and every function that takes a number: NumPy's value or NumPy's exception."""

import operator

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations, universal_functions
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DTYPES = [np.dtype(code) for code in "?bBhHiIlLefdFD"]
NUMBERS = [2**63, 2**64, -1, 300, -2**63 - 1]
RAISED = (OverflowError, TypeError, ValueError)
UFUNCS = {name: getattr(np, name) for name in sorted({*operations.ufuncs, *universal_functions._PAIRS})}
#: Those that return a truth, which these numbers have even where NumPy cannot convert them.
TRUTHS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor"}
#: PyCUDA's division of integers, and 0 for powers that NumPy rejects: test_special_values.py.
OURS = {"divide", "power", "float_power"}


def result_of(function, *operands):
    try:
        return function(*operands)
    except RAISED as error:
        return error


def compare(ours, expected, message, types=True):
    if isinstance(ours, Exception) or isinstance(expected, Exception):
        kinds = [next((kind for kind in RAISED if isinstance(result, kind)), None) for result in (ours, expected)]
        assert kinds[0] is kinds[1], f"{message}: {ours!r}, not {expected!r}"
        return
    for one, other in zip(ours, expected) if isinstance(expected, tuple) else ((ours, expected),):
        assert not types or one.dtype == other.dtype, message
        np.testing.assert_allclose(one.get(), other, rtol=1e-3 if other.dtype == np.float16 else 1e-6, err_msg=message)


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 2 and name not in OURS])
def test_universal_functions(name):
    function = UFUNCS[name]
    for dtype in DTYPES:
        x = np.array([0, 1, 1, 0, 1], dtype)
        for number in NUMBERS:
            for way in ((x, number), (number, x)):
                expected = result_of(function, *way)
                if name in TRUTHS and isinstance(expected, OverflowError):  # of the 64-bit type
                    numbers = [value.astype(object) if isinstance(value, np.ndarray) else value for value in way]
                    if name.startswith("logical"):
                        numbers = [np.asarray(value, object).astype(bool) for value in numbers]
                    expected = function(*numbers).astype(bool)
                given = [to_gpu(value) if isinstance(value, np.ndarray) else value for value in way]
                compare(result_of(function, *given), expected, f"{name} {dtype} {number}", types=name not in TRUTHS)


def test_comparisons_at_the_ends_of_int64():
    """Numbers beyond all integers are never rounded into their range."""
    for x in (np.array([-2**63, 2**63 - 1]), np.array([0, 2**64 - 1], np.uint64)):
        for number in (-2**63 - 1, 2**64):
            for compare_them in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
                assert compare_them(to_gpu(x), number).get().astype(bool).tolist() == compare_them(x, number).tolist()


IN_PLACE = [getattr(operator, name) for name in ("iadd", "isub", "imul", "ifloordiv", "imod", "iand", "ior", "ixor")]


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda function: function.__name__)
def test_in_place(function):
    """Only integers: with bool, PyCUDA converts the result."""
    for dtype in DTYPES[1:]:
        for number in NUMBERS:
            x = np.array([0, 1, 1, 0, 1], dtype)
            a = to_gpu(x)
            compare(result_of(function, a, number), result_of(function, x, number), f"{dtype} {number}")
    with pytest.raises(OverflowError):
        function(gpuarray.zeros(3, bool), 2**63)


def filled(x, number):
    x.fill(number)
    return x


def assigned(x, number):
    x[1:] = number
    return x


def assigned_at(x, number):
    x[[0, 3]] = number
    return x


FILLS = {"fill": filled, "assignment": assigned, "assignment at indices": assigned_at, "full_like": np.full_like}


@pytest.mark.parametrize("name", FILLS)
def test_fills(name):
    for dtype in DTYPES:
        for number in NUMBERS:
            x = np.array([0, 1, 1, 0, 1], dtype)
            a = to_gpu(x)
            expected = result_of(FILLS[name], x, number)
            if dtype == bool:  # a truth again
                expected = FILLS[name](x, True)
            compare(result_of(FILLS[name], a, number), expected, f"{dtype} {number}")
            if isinstance(expected, Exception):
                assert a.get().tolist() == [0, 1, 1, 0, 1]


CLIPS = {
    "above": lambda x, number: np.clip(x, number, None), "below": lambda x, number: np.clip(x, None, number),
    "from 0": lambda x, number: np.clip(x, 0, number), "to 1": lambda x, number: np.clip(x, number, 1), "method": lambda x, number: x.clip(number, 1),
}


@pytest.mark.parametrize("name", CLIPS)
def test_clip(name):
    for dtype in DTYPES:
        if dtype.kind == "c":
            continue
        x = np.array([0, 1, 1, 0, 1], dtype)
        for number in NUMBERS:
            compare(result_of(CLIPS[name], to_gpu(x), number), result_of(CLIPS[name], x, number), f"{dtype} {number}")


def test_where():
    """As with operators; NumPy's wraps around. As a condition every number has a truth."""
    for dtype in DTYPES:
        x = np.array([0, 1, 1, 0, 1], dtype)
        a, condition = to_gpu(x), to_gpu(x.astype(bool))
        for number in NUMBERS:
            expected = result_of(lambda: x + number)
            for ours in (result_of(np.where, condition, a, number), result_of(np.where, condition, number, a)):
                assert isinstance(ours, OverflowError) == isinstance(expected, OverflowError), f"{dtype} {number}"
                if not isinstance(ours, OverflowError):
                    assert ours.dtype == expected.dtype
            assert np.where(number, a, a[::-1]).get().tolist() == x.tolist()
            assert gpuarray.if_positive(number, a, a[::-1]).get().tolist() == (x if number > 0 else x[::-1]).tolist()
