"""Reductions of what a fused function computes: the sums of the separate operations, in their order."""

import numpy as np
import pytest
from pycuda import gpuarray

from conftest import sample
from same import arrays, same


REDUCTIONS = ("sum", "prod", "mean", "min", "max", "any", "all", "argmin", "argmax", "std", "var")


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("shape", [(7,), (5000,), (40, 300), (300, 40), (3, 4, 50), (1,), ()])
def test_reductions_at_the_end(rng, name, shape):
    for dtype in "fhd":
        a, b = arrays(rng, dtype, dtype, shape=shape)
        same(lambda a, b: getattr(a - b, name)(), a, b)
        for axis in range(len(shape)):
            same(lambda a, b, axis=axis: getattr(a - b, name)(axis=axis), a, b)


def test_large_reductions(rng):
    for shape in ((300_001,), (3, 70_000), (70_000, 3), (700, 500)):
        a, b = arrays(rng, "f", "f", shape=shape)
        same(lambda a, b: ((a - b)**2).mean(), a, b)
        same(lambda a, b: (a * b).var(), a, b)
        same(lambda a, b: gpuarray.dot((a * b).ravel(), (a + b).ravel()), a, b)
        same(lambda a, b: (a[..., 1:] * b[..., 1:]).sum(axis=-1), a, b)
        same(lambda a, b: (a * b > 0).any(axis=0), a, b)


def test_reductions_in_the_middle(rng):
    a, = arrays(rng, "f", shape=(50, 60))
    same(lambda a: a - a.mean(), a)
    same(lambda a: np.exp(a - a.max(axis=1, keepdims=True)) / np.exp(a - a.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True), a)
    same(lambda a: (a - a.mean(axis=0)) / (a.std(axis=0) + 1e-3), a)
    same(lambda a: (a + a.T[:50, :50].sum()) * a.sum(axis=0), a)


def test_reductions_of_fortran_arrays_and_of_broadcast_ones(rng):
    a = gpuarray.to_gpu(np.asfortranarray(sample(rng, (30, 40), "f")))
    row, = arrays(rng, "f", shape=(40,))
    for axis in (None, 0, 1):
        same(lambda a: (a * a).sum(axis=axis), a)
        same(lambda a, row: (a * row).sum(axis=axis), a, row)
        same(lambda a, row: (a.get and a * row.sum()).max(axis=axis), a, row)
