"""Variances: as accurate far from zero as near it, and special values."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("offset", [0, 1e3, -1e6, 1e7])
@pytest.mark.parametrize("shape,axis", [((100000,), None), ((300, 2000), 1), ((2000, 300), 0), ((20, 7), 1), ((3, 5), None)], ids=str)
def test_the_mean_does_not_matter(rng, shape, axis, offset):
    """A mean of a few digits would leave nothing of the distances, and a sum of squares even less."""
    x = (rng.normal(size=shape) * 3 + offset).astype(np.float32)
    expected = x.astype(np.float64).var(axis)
    for array in (to_gpu(x), to_gpu(x.T.copy()).T):
        np.testing.assert_allclose(array.var(axis).get(), expected, rtol=4e-6)
        np.testing.assert_allclose(array.std(axis, ddof=1).get(), x.astype(np.float64).std(axis, ddof=1), rtol=4e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 100, 70000])
def test_equal_values_have_no_variance(dtype, count):
    for value in (0.1, 1e30, -1e-30):
        assert to_gpu(np.full(count, value, dtype)).var().get() == 0


@pytest.mark.parametrize("values", [[INF], [1, INF], [INF, INF], [INF, -INF], [NAN], [1, NAN]], ids=str)
def test_values_that_are_not_finite(values):
    assert np.isnan(to_gpu(np.array(values, np.float32)).var().get())
    long = np.zeros(70000, np.float32)
    long[60000:60000 + len(values)] = values
    assert np.isnan(to_gpu(long).std().get())


def test_distances_that_are_too_large():
    assert to_gpu(np.array([1e30, -1e30], np.float32)).var().get() == INF


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.bool_, np.float16])
def test_other_types_are_converted_once_they_are_read(rng, dtype):
    x = rng.integers(0, 2, 50000).astype(dtype)
    result = gpuarray.GPUArray.var(to_gpu(x))
    assert result.dtype == (np.float16 if dtype == np.float16 else np.float64)
    np.testing.assert_allclose(result.get(), x.astype(np.float64).var(), rtol=1e-3 if dtype == np.float16 else 1e-14)


def test_nothing_has_no_variance():
    assert np.isnan(to_gpu(np.zeros(0, np.float32)).var().get())
    assert np.isnan(to_gpu(np.zeros((3, 0), np.float32)).var(1).get()).all()
    assert to_gpu(np.zeros((0, 3), np.float32)).var(1).get().shape == (0,)
