"""The dtypes of universal functions' results, for every function and every pair of dtypes and numbers, compared with NumPy. Empty arrays have them without a
kernel."""

import numpy as np
import pytest
from pycuda._arrays import operations, universal_functions
from pycuda.gpuarray import to_gpu

DTYPES = [np.dtype(code) for code in "?bBhHiIlLqQefdFD"]
NUMBERS = [True, 2, 2.5, 2j, *(dtype.type(1) for dtype in DTYPES), np.longdouble(1.5), np.clongdouble(1.5j)]
UFUNCS = {name: getattr(np, name) for name in sorted({*operations.ufuncs, *universal_functions._PAIRS, "float_power"})}
COMPARISONS = universal_functions._COMPARISONS
LARGEST = {"g": np.dtype(np.float64), "G": np.dtype(np.complex128)}


def dtypes_of(compute):
    try:
        result = compute()
    except TypeError:
        return TypeError
    return [LARGEST.get(one.dtype.char, one.dtype) for one in (result if isinstance(result, tuple) else (result,))]


def expected_dtypes(name, x, y):
    """NumPy's, except for PyCUDA's division of integers, which remain integers, and its comparisons, which give the arrays' common dtype."""
    theirs = dtypes_of(lambda: UFUNCS[name](x, y))
    if theirs is TypeError:
        return theirs
    common = dtypes_of(lambda: np.multiply(x, y))
    if name == "divide" and common[0].kind in "biu":
        return [np.dtype(np.int8)] if common[0].kind == "b" else common
    if name in COMPARISONS:
        arrays = [value.dtype for value in (x, y) if isinstance(value, np.ndarray)]
        return [np.result_type(*arrays)]
    return theirs


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 1])
def test_one_operand(name):
    for dtype in DTYPES:
        x = np.empty(0, dtype)
        assert dtypes_of(lambda: UFUNCS[name](to_gpu(x))) == dtypes_of(lambda: UFUNCS[name](x)), dtype


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS.items() if ufunc.nin == 2])
def test_two_operands(name):
    faults = []
    for one in DTYPES:
        x = np.empty(0, one)
        others = [(np.empty(0, dtype), to_gpu(np.empty(0, dtype))) for dtype in DTYPES] + [(number, number) for number in NUMBERS]
        for y, b in others:
            for ours, theirs in (((to_gpu(x), b), (x, y)), ((b, to_gpu(x)), (y, x))):
                got, wanted = dtypes_of(lambda: UFUNCS[name](*ours)), expected_dtypes(name, *theirs)
                if got != wanted:
                    faults.append((*(value.dtype.char if isinstance(value, np.ndarray) else value for value in theirs), got, wanted))
    assert not faults


def test_long_doubles_are_rounded():
    """The device has no wider type than float64: numpy.longdouble counts as float64, clongdouble as complex128."""
    x = np.array([1, 2, 3], np.float32)
    a, third = to_gpu(x), np.longdouble(1) / 3
    assert ((a * third).get() == x * np.float64(third)).all() and (a * third).dtype == np.float64
    assert (np.add(np.array(third), a).get() == np.float64(third) + x).all()
    assert (a + np.clongdouble(third + 2j)).get().tolist() == (x + np.complex128(np.float64(third) + 2j)).tolist()
    a[0] = third
    assert a[0].get() == np.float32(third) and a.fill(third)[2].get() == np.float32(third)
    a *= np.longdouble(3)
    assert a.dtype == np.float32
