"""pycuda.cumath, and NumPy's functions on our arrays."""

import numpy as np
import pytest
from pycuda import cumath, gpuarray

from conftest import sample

NAMES = {"fabs": None, "ceil": None, "floor": None, "exp": None, "log": (0.1, 5), "log10": (0.1, 5), "sqrt": (0, 5), "sin": None, "cos": None,
         "tan": (-1, 1), "asin": (-1, 1), "acos": (-1, 1), "atan": None, "sinh": None, "cosh": None, "tanh": None}
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
COMPLEX = ["exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"]


def tolerance(dtype):
    return {np.float16: 2e-3, np.float32: 3e-6, np.float64: 1e-14, np.complex64: 2e-5, np.complex128: 1e-13}[np.dtype(dtype).type]


def argument(rng, name, dtype, shape=200):
    low, high = NAMES[name] or (-3, 3)
    x = rng.uniform(low, high, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(0.1, 1, shape)
    return x.astype(dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda t: t.__name__)
def test_real(name, dtype, rng):
    x = argument(rng, name, dtype)
    a = gpuarray.to_gpu(x)
    result = getattr(cumath, name)(a)
    expected = getattr(np, NUMPY.get(name, name))(x.astype(np.float64))
    assert result.dtype == dtype
    np.testing.assert_allclose(result.get().astype(np.float64), expected, rtol=tolerance(dtype), atol=tolerance(dtype))


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda t: t.__name__)
def test_complex(name, dtype, rng):
    x = argument(rng, name, dtype)
    result = getattr(cumath, name)(gpuarray.to_gpu(x))
    assert result.dtype == dtype
    np.testing.assert_allclose(result.get(), getattr(np, NUMPY.get(name, name))(x.astype(np.complex128)), rtol=tolerance(dtype), atol=tolerance(dtype))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=lambda t: t.__name__)
def test_exp_of_infinite_real_numbers(dtype):
    x = np.array([np.inf, -np.inf, 1000, 0], dtype)
    result = cumath.exp(gpuarray.to_gpu(x)).get()
    np.testing.assert_array_equal(result, np.array([np.inf, 0, np.inf, 1], dtype))


def test_out_and_stream(rng):
    x = argument(rng, "sin", np.float32, (4, 5))
    a, out = gpuarray.to_gpu(x), gpuarray.zeros((4, 5), np.float32)
    assert cumath.sin(a, out=out) is out
    np.testing.assert_allclose(out.get(), np.sin(x), rtol=1e-5, atol=1e-6)
    with pytest.warns(DeprecationWarning):
        assert cumath.cos(a, out) is out
    np.testing.assert_allclose(out.get(), np.cos(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(cumath.exp(a[:, ::2]).get(), np.exp(x[:, ::2]), rtol=1e-5)
    with pytest.raises((TypeError, ValueError)):
        cumath.sin(a, out=gpuarray.zeros((4, 5), np.float64))
    with pytest.raises(ValueError):
        cumath.sin(a, out=gpuarray.zeros((5, 4), np.float32))
    with pytest.raises(TypeError):
        cumath.sin(x)
    import pycuda.driver as drv
    stream = drv.Stream()
    result = cumath.sin(a, stream=stream)
    stream.synchronize()
    np.testing.assert_allclose(result.get(), np.sin(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
def test_functions_of_two(dtype, rng):
    x, y = sample(rng, 100, dtype), sample(rng, 100, dtype)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    np.testing.assert_allclose(cumath.fmod(a, b).get(), np.fmod(x, y), rtol=tolerance(dtype), atol=tolerance(dtype))
    np.testing.assert_allclose(cumath.atan2(a, b).get(), np.arctan2(x, y), rtol=tolerance(dtype))
    np.testing.assert_allclose(cumath.hypot(a, b).get(), np.hypot(x, y), rtol=tolerance(dtype))
    significand, exponent = cumath.frexp(a)
    expected = np.frexp(x)
    assert exponent.dtype == dtype
    np.testing.assert_array_equal(significand.get(), expected[0])
    np.testing.assert_array_equal(exponent.get(), expected[1])
    np.testing.assert_array_equal(cumath.ldexp(significand, exponent).get(), x)
    fraction, whole = cumath.modf(a * 5)
    expected = np.modf(x * dtype(5))
    np.testing.assert_array_equal(fraction.get(), expected[0])
    np.testing.assert_array_equal(whole.get(), expected[1])


# ---- NumPy's functions


@pytest.mark.parametrize("ufunc", [np.sin, np.exp, np.sqrt, np.negative, np.absolute, np.floor, np.arctan, np.square, np.isnan, np.log1p, np.sign])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32], ids=lambda t: t.__name__)
def test_unary_ufuncs(ufunc, dtype, rng):
    x = abs(sample(rng, (5, 6), dtype))
    ours, expected = ufunc(gpuarray.to_gpu(x)), ufunc(x)
    assert ours.dtype == expected.dtype
    np.testing.assert_allclose(ours.get(), expected, rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum, np.hypot, np.power, np.less, np.floor_divide])
def test_binary_ufuncs(ufunc, rng):
    x, y = abs(sample(rng, (5, 6), np.float32)) + 1, abs(sample(rng, 6, np.float32)) + 1
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    np.testing.assert_allclose(ufunc(a, b).get(), ufunc(x, y), rtol=1e-5)
    np.testing.assert_allclose(ufunc(a, 2).get(), ufunc(x, 2), rtol=1e-5)
    np.testing.assert_allclose(ufunc(np.float32(2), a).get(), ufunc(np.float32(2), x), rtol=1e-5)
    out = gpuarray.zeros((5, 6), np.float32)
    assert ufunc(a, b, out=out) is out
    np.testing.assert_allclose(out.get(), ufunc(x, y).astype(np.float32), rtol=1e-5)


def test_ufuncs_in_a_dtype(rng):
    x, y = sample(rng, (3, 4), np.float32), sample(rng, (4, 3), np.float32)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    ours, expected = np.add(a, 2, dtype=np.float64), np.add(x, 2, dtype=np.float64)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.get(), expected)
    np.testing.assert_allclose(np.matmul(a, b).get(), np.matmul(x, y), rtol=1e-5)
    with pytest.raises(TypeError):
        np.matmul(a, y)


def test_functions(rng):
    x = sample(rng, (4, 6), np.float32)
    a = gpuarray.to_gpu(x)
    np.testing.assert_array_equal(np.concatenate([a, a], axis=1).get(), np.concatenate([x, x], axis=1))
    np.testing.assert_array_equal(np.transpose(a).get(), x.T)
    np.testing.assert_array_equal(np.where(a > 0, a, a * 2).get(), np.where(x > 0, x, x * 2))
    assert np.zeros_like(a).get().tolist() == np.zeros_like(x).tolist()
    with pytest.raises(TypeError):
        np.datetime_as_string(a)
    np.testing.assert_allclose(np.add.reduce(a).get(), np.add.reduce(x), rtol=1e-5)
    np.testing.assert_array_equal(np.maximum.reduce(a, axis=1, keepdims=True).get(), np.maximum.reduce(x, axis=1, keepdims=True))
