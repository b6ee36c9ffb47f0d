"""Moves of arrays so large that they have kernels, or blocks, of their own: 8 MB for copies, 2^22 elements for gathers."""

import numpy as np
import pytest
from pycuda.gpuarray import to_gpu


@pytest.mark.parametrize("dtype,n", [(np.float32, 1 << 21), (np.float32, (1 << 21) + 1), (np.int8, (1 << 23) + 3), (np.complex128, 1 << 19)], ids=str)
@pytest.mark.parametrize("shape,counts", [((-1,), (3,)), ((1, -1), (2, 1)), ((-1, 1), (2, 1, 1)), ((1, -1), (1, 2)), ((1, -1), (3, 2))], ids=str)
def test_copies_of_a_large_array(rng, dtype, n, shape, counts):
    x = rng.integers(-100, 100, n).astype(dtype).reshape(shape)
    result = np.tile(to_gpu(x), counts)
    expected = np.tile(x, counts)
    assert result.shape == expected.shape and result.dtype == expected.dtype
    assert (result.get() == expected).all()


def test_copies_of_a_large_view(rng):
    x = rng.integers(0, 100, (1 << 11, 1 << 12)).astype(np.uint8)
    a = to_gpu(x)
    for part in (lambda a: a.T, lambda a: a[:, 1:], lambda a: a.reshape(-1)[5:], lambda a: a[::-1]):
        assert (np.tile(part(a), 2).get() == np.tile(part(x), 2)).all()


@pytest.mark.parametrize("shape,axis", [((1 << 10, 1 << 12), 1), ((1 << 11, 1 << 11), 0), ((3, 1 << 21), 1)], ids=str)
def test_large_gathers_along_an_axis(rng, shape, axis):
    x = rng.integers(0, 1 << 30, shape).astype(np.int32)
    indices = rng.integers(-shape[axis], shape[axis], shape).astype(np.int32)
    assert (np.take_along_axis(to_gpu(x), to_gpu(indices), axis).get() == np.take_along_axis(x, indices, axis)).all()
    chosen = indices.reshape(-1)[:shape[axis]].copy()
    assert (np.take(to_gpu(x), to_gpu(chosen), axis).get() == np.take(x, chosen, axis)).all()
