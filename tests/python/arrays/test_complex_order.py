"""Complex numbers in NumPy's order: by real parts, then by imaginary parts, those with NaN last."""

import itertools

import numpy as np
import pytest
from pycuda import gpuarray

PARTS = (1.0, -np.inf, 2.0, 0.0, np.nan, -1.5, -0.0, np.inf)
DTYPES = (np.complex64, np.complex128)


def samples(dtype):
    """Every pair of these parts, twice, and no elements at all."""
    pairs = np.array([complex(*pair) for pair in itertools.product(PARTS, PARTS)], dtype)
    return [np.concatenate((pairs[::-1], pairs)), pairs.reshape(8, 8).T, pairs[:0]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorting(dtype):
    for x in samples(dtype):
        a = gpuarray.to_gpu(x)
        for axis in range(x.ndim):
            np.testing.assert_array_equal(np.argsort(a, axis).get(), np.argsort(x, axis, kind="stable"))
            np.testing.assert_array_equal(np.sort(a, axis).get(), np.sort(x, axis, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_elements(dtype):
    for x in samples(dtype):
        np.testing.assert_array_equal(gpuarray.unique(gpuarray.to_gpu(x)).get(), np.unique(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_membership(dtype):
    for x in samples(dtype):
        for others in (x[:3], x[:0], np.array([1 + 2j, 5]), np.array([2.0, np.nan]), np.array([1, 0])):
            for invert in (False, True):
                ours = np.isin(gpuarray.to_gpu(x), gpuarray.to_gpu(others), invert=invert).get()
                np.testing.assert_array_equal(ours, np.isin(x, others, invert=invert))
