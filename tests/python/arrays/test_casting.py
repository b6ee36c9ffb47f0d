"""NumPy's rules of casting in universal functions with `out=`, `dtype=` and `casting=`, and the dtypes of results that follow from an operand."""

import numpy as np
import pytest
from pycuda import gpuarray

INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32)
#: Operations whose results leave the range of narrow integers. Each takes two operands or, of the first, one.
BEYOND = {"add": 2, "subtract": 2, "multiply": 2, "power": 2, "floor_divide": 2, "negative": 1, "absolute": 1, "square": 1, "invert": 1}


def equal(ours, expected):
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.get(), expected)


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize("wide", [np.int32, np.int64, np.float64])
def test_narrow_integers_wrap_before_a_wider_array_takes_them(name, wide):
    function = getattr(np, name)
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        x = np.array([limits.min, limits.max, 3, 100], dtype)
        second = [-1, 2, 3, 3] if name == "floor_divide" and limits.min else [1, 2, 3, 3]
        operands = (x, np.array(second, dtype))[:BEYOND[name]]
        if not np.can_cast(dtype, wide, "same_kind"):
            continue
        out = gpuarray.zeros(4, wide)
        assert function(*map(gpuarray.to_gpu, operands), out=out) is out
        with np.errstate(over="ignore"):
            equal(out, function(*operands, out=np.zeros(4, wide)))


@pytest.mark.parametrize("keywords", [{}, {"where": np.array([True, False, True])}, {"dtype": np.float32}], ids=str)
def test_results_that_would_lose_their_kind_need_the_casting_unsafe(keywords):
    x = np.array([1.5, -2.5, 3.75])
    ours = {name: gpuarray.to_gpu(value) if isinstance(value, np.ndarray) else value for name, value in keywords.items()}
    for function in (np.add, np.sqrt, np.maximum, np.floor_divide):
        operands, numbers = [x, 2.0][:function.nin], [gpuarray.to_gpu(x), 2.0][:function.nin]
        out = gpuarray.ones(3, np.int32)
        with pytest.raises(TypeError, match="same_kind"):
            function(*numbers, out=out, **ours)
        equal(out, np.ones(3, np.int32))
        with np.errstate(invalid="ignore"):
            expected = function(*map(np.abs, operands), out=np.ones(3, np.int32), casting="unsafe", **keywords)
        assert function(*map(abs, numbers), out=out, casting="unsafe", **ours) is out
        equal(out, expected)


def test_casting_of_operands():
    x = np.array([100, 100, -3], np.int16)
    a = gpuarray.to_gpu(x)
    equal(np.add(a, 1, dtype=np.int8), np.add(x, 1, dtype=np.int8))
    equal(np.add(a, a, dtype=np.float64, casting="safe"), np.add(x, x, dtype=np.float64))
    for casting in ("no", "equiv", "safe"):
        with pytest.raises(TypeError, match=casting):
            np.add(a, a, dtype=np.int8, casting=casting)
    equal(np.add(gpuarray.to_gpu(x + 0.5), 1, dtype=np.int8, casting="unsafe"), np.add(x + 0.5, 1, dtype=np.int8, casting="unsafe"))


def test_division_keeps_the_operators_types():
    a = gpuarray.to_gpu(np.array([7, -7], np.int32))
    assert np.divide(a, 2, out=gpuarray.zeros(2, np.int32)).tolist() == [3, -3]


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16, np.float32, np.complex64])
@pytest.mark.parametrize("bins", [2, [0, 1, 3]], ids=str)
@pytest.mark.parametrize("density", [False, True])
def test_histograms_have_the_dtype_of_the_weights(dtype, bins, density):
    x, weights = np.arange(4.0), np.array([200, 100, 3, 4], dtype)
    for ours, expected in zip(np.histogram(gpuarray.to_gpu(x), bins, weights=gpuarray.to_gpu(weights), density=density),
                              np.histogram(x, bins, weights=weights, density=density)):
        assert ours.dtype == expected.dtype
        np.testing.assert_allclose(ours.get(), expected, rtol=1e-6)


def test_the_angle_of_bools():
    x = np.array([True, False])
    equal(np.angle(gpuarray.to_gpu(x)), np.angle(x))


def test_matrix_products_in_place():
    m = np.arange(9.0).reshape(3, 3)
    a = other = gpuarray.to_gpu(m)
    a @= gpuarray.to_gpu(m + 1)
    assert a is other
    equal(other, m @ (m + 1))
    a @= a
    equal(other, m @ (m + 1) @ m @ (m + 1))


def test_views_of_arrays_without_elements_divide_the_last_axis():
    x = np.zeros((2, 2, 0, 3), np.int32).T
    assert gpuarray.to_gpu(np.zeros((2, 2, 0, 3), np.int32)).T.view(np.int8).shape == x.view(np.int8).shape == (3, 0, 2, 8)


@pytest.mark.parametrize("keywords", [{}, {"nan": 1, "posinf": 2, "neginf": 3}], ids=str)
def test_numbers_in_place_of_what_is_not_finite_in_complex_arrays(keywords):
    parts = [1.5, np.nan, np.inf, -np.inf, -0.0]
    x = np.array([complex(re, im) for re in parts for im in parts], np.complex64)
    equal(np.nan_to_num(gpuarray.to_gpu(x), **keywords), np.nan_to_num(x, **keywords))
