"""Fixtures for the tests of arrays: one context for each test file."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.tools import clear_context_caches


@pytest.fixture(scope="module", autouse=True)
def array_context(nothing_leaks):
    """A context that is current in all tests of a file, so that kernels are loaded only once."""
    context = drv.Device(0).make_context()
    yield  # does not yield the context: pytest would keep it alive until after leaks are counted
    gc.collect()
    clear_context_caches()
    context.pop()
    del context
    gc.collect()


@pytest.fixture
def rng():
    return np.random.default_rng(12345)


def sample(rng, shape, dtype):
    """Random elements of a dtype: floating-point numbers of moderate size, small integers."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -50, 50, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def close(ours, numpys, sums=False):
    """Equal up to a few rounding errors in the result's precision, relative to the largest element if each value is a sum of all."""
    ours = ours.get() if hasattr(ours, "gpudata") else np.asarray(ours)
    assert ours.shape == np.shape(numpys)
    if ours.dtype.kind in "fc":
        eps = float(np.finfo(ours.dtype).eps)
        greatest = np.max(np.abs(numpys), initial=0, where=np.isfinite(numpys)) if sums else 0
        np.testing.assert_allclose(ours, np.asarray(numpys).astype(ours.dtype), rtol=16 * eps, atol=16 * eps * (1 + greatest))
    else:
        np.testing.assert_array_equal(ours, np.asarray(numpys).astype(ours.dtype))
