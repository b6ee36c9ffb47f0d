"""Choices between arrays, gathering, joining."""

import numpy as np
import pytest
from pycuda import gpuarray

from conftest import close, sample


def pair(rng, shape, dtype):
    host = sample(rng, shape, dtype)
    return host, gpuarray.to_gpu(host)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64], ids=lambda t: t.__name__)
def test_where_and_if_positive(dtype, rng):
    x, a = pair(rng, (4, 5), dtype)
    y, b = pair(rng, (4, 5), dtype)
    c, criterion = pair(rng, (4, 5), np.float32)
    close(gpuarray.where(criterion > 0, a, b), np.where(c > 0, x, y))
    close(gpuarray.if_positive(criterion, a, b), np.where(c > 0, x, y))
    close(gpuarray.where(gpuarray.to_gpu(c > 0), a, b[0]), np.where(c > 0, x, y[0]))
    out = gpuarray.empty_like(a)
    assert gpuarray.where(criterion, a.T.copy().T, b, out=out) is out
    close(out, x)


@pytest.mark.parametrize("dtype", [gpuarray.vec.float3, gpuarray.vec.double2, gpuarray.vec.uchar3, np.dtype([("a", np.int32), ("b", np.float64)], align=True)])
def test_choice_between_structures(dtype):
    criterion = np.array([[1, 0, -1], [0, 2, 0]], np.float32)
    x, y = np.zeros((2, 3), dtype), np.zeros((2, 3), dtype)
    for k, name in enumerate(dtype.names):
        x[name], y[name] = np.arange(6).reshape(2, 3) + k, 100 + k
    c, a, b = map(gpuarray.to_gpu, (criterion, x, y))
    for ours, expected in ((gpuarray.where(c, a, b), np.where(criterion != 0, x, y)), (gpuarray.if_positive(c, a, b), np.where(criterion > 0, x, y)),
                           (gpuarray.where(c[:, ::2], a[:, ::-2], b[::-1, 1:]), np.where(criterion[:, ::2] != 0, x[:, ::-2], y[::-1, 1:])),
                           (gpuarray.where(c, a[0], b[:, :1]), np.where(criterion != 0, x[0], y[:, :1]))):
        assert ours.dtype == dtype
        np.testing.assert_array_equal(ours.get(), expected)
    out = gpuarray.empty((2, 3), dtype)
    assert gpuarray.where(c, a, b, out=out) is out
    np.testing.assert_array_equal(out.get(), np.where(criterion != 0, x, y))
    for bad in (lambda: gpuarray.where(c, a, 1), lambda: gpuarray.where(c, a, c), lambda: gpuarray.where(c, a, b, out=c)):
        with pytest.raises(TypeError):
            bad()


def test_if_positive_rejects_mixed_dtypes():
    with pytest.raises(ValueError):
        gpuarray.if_positive(gpuarray.zeros(3, np.int32), gpuarray.zeros(3, np.int32), gpuarray.zeros(3, np.float32))


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.float64, np.int64], ids=lambda t: t.__name__)
def test_minimum_and_maximum(dtype, rng):
    (x, a), (y, b) = pair(rng, 30, dtype), pair(rng, 30, dtype)
    for name in ("minimum", "maximum"):
        ours, numpys = getattr(gpuarray, name), getattr(np, name)
        close(ours(a, b), numpys(x, y))
        close(ours(a, 3), numpys(x, 3))
        close(ours(3, a), numpys(3, x))
        assert ours(a, b).dtype == dtype
    out = gpuarray.empty_like(a)
    assert gpuarray.minimum(a[::-1], b, out=out) is out
    close(out, np.minimum(x[::-1], y))


def test_operands_that_are_nan():
    a = gpuarray.to_gpu(np.array([np.nan, 1, np.nan], np.float32))
    b = gpuarray.to_gpu(np.array([2, np.nan, np.nan], np.float32))
    np.testing.assert_array_equal(gpuarray.maximum(a, b).get(), [2, 1, np.nan])


def test_clip(rng):
    x, a = pair(rng, 50, np.float32)
    close(gpuarray.clip(a, -0.5, 0.5), np.clip(x, -0.5, 0.5))
    close(gpuarray.clip(a, None, 0.5), np.clip(x, None, 0.5))
    close(gpuarray.clip(a, 0, None), np.clip(x, 0, None))
    with pytest.raises(ValueError):
        gpuarray.clip(a, None, None)


@pytest.mark.parametrize("name", ["logical_and", "logical_or"])
def test_logic(name, rng):
    ours, numpys = getattr(gpuarray, name), getattr(np, name)
    x, a = pair(rng, (3, 4), np.int32)
    y, b = pair(rng, (3, 4), np.float32)
    x[0], a[0] = 0, 0
    for result, expected in ((ours(a, b), numpys(x, y)), (ours(a, 0), numpys(x, 0)), (ours(1, b), numpys(1, y)), (ours(a, b[0]), numpys(x, y[0]))):
        assert result.dtype == np.bool_
        close(result, expected)
    close(ours(1, 0), numpys(1, 0))
    out = gpuarray.GPUArray((3, 4), np.bool_)
    assert ours(a, b, out) is out
    close(out, numpys(x, y))
    with pytest.raises(ValueError):
        ours(a, "x")


def test_logical_not(rng):
    x = np.array([0, 1, 2], np.int32)
    close(gpuarray.logical_not(gpuarray.to_gpu(x)), np.logical_not(x))
    close(gpuarray.logical_not(0), np.logical_not(0))
    out = gpuarray.GPUArray((3,), np.bool_)
    assert gpuarray.logical_not(gpuarray.to_gpu(x), out=out) is out


# ---- gathering


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.int8, [("a", "i4"), ("b", "f8"), ("c", "i2")]], ids=str)
@pytest.mark.parametrize("index", [np.int32, np.uint32, np.int64], ids=lambda t: t.__name__)
def test_take(dtype, index, rng):
    dtype = np.dtype(dtype)
    host = rng.integers(0, 100, 100 * dtype.itemsize).astype(np.uint8).view(dtype)
    indices = rng.integers(0, 100, 37).astype(index)
    ours = gpuarray.take(gpuarray.to_gpu(host), gpuarray.to_gpu(indices))
    assert ours.get().tobytes() == host[indices].tobytes()


def test_indices_of_any_shape(rng):
    x, indices = sample(rng, 10, np.float32), np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3))
    a = gpuarray.to_gpu(x)
    close(gpuarray.take(a, gpuarray.to_gpu(indices)), x[indices])
    close(gpuarray.take(a, gpuarray.to_gpu(indices)[:, ::-1]), x[indices[:, ::-1]])
    out = gpuarray.empty((2, 3), np.float32, order="F")
    assert gpuarray.take(a, gpuarray.to_gpu(indices), out=out) is out
    close(out, x[indices])
    close(a[gpuarray.to_gpu(indices)], x[indices])


def test_take_from_views(rng):
    x, a = pair(rng, 50, np.float32)
    indices = np.array([3, 0, 7], np.int32)
    close(gpuarray.take(a[::-3], gpuarray.to_gpu(indices)), x[::-3][indices])
    close(gpuarray.take(a, gpuarray.to_gpu(np.arange(10, dtype=np.int32))[::2]), x[:10:2])
    with pytest.raises(TypeError):
        gpuarray.take(a, gpuarray.zeros(2, np.float32))


def test_out_of_range_indices_are_clamped(rng):
    x = sample(rng, 10, np.float32)
    a = gpuarray.to_gpu(x)
    indices = gpuarray.to_gpu(np.array([-1, -10, -11, -10**6, 9, 10, 10**6], np.int64))
    close(gpuarray.take(a, indices), x[[9, 0, 0, 0, 9, 9, 9]])
    close(gpuarray.subset_sum(indices[5:], a), 2 * x[9])
    out = gpuarray.zeros(3, np.float32)
    gpuarray.multi_put([a[:2].copy()], gpuarray.to_gpu(np.array([-7, 7], np.int32)), out=[out])
    close(out, [x[0], 0, x[1]])
    gpuarray.multi_take_put([a], indices[:1], indices[:1], out=[out], src_offsets=[-2])
    close(out, [x[0], 0, x[7]])


def test_structures_are_gathered():
    dtype = np.dtype([("a", np.int8), ("b", np.float64)])
    x = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], dtype)
    assert gpuarray.take(gpuarray.to_gpu(x), gpuarray.to_gpu(np.array([2, 0], np.int32))).get().tolist() == [(5, 6.5), (1, 2.5)]
    assert gpuarray.take(gpuarray.to_gpu(np.asfortranarray(np.arange(6).reshape(2, 3))), gpuarray.to_gpu(np.array([1], np.int32))).get() == 1


def test_multi_take_and_put(rng):
    hosts = [sample(rng, 60, np.float32) for _ in range(25)]
    arrays = [gpuarray.to_gpu(host) for host in hosts]
    src, dest = rng.permutation(60)[:20].astype(np.int32), rng.permutation(40)[:20].astype(np.int32)
    for ours, host in zip(gpuarray.multi_take(arrays, gpuarray.to_gpu(src)), hosts):
        close(ours, host[src])
    assert gpuarray.multi_take([], gpuarray.to_gpu(src)) == []

    out = [gpuarray.zeros(40, np.float32) for _ in hosts]
    gpuarray.multi_take_put(arrays, gpuarray.to_gpu(dest), gpuarray.to_gpu(src - src.min()), out=out, src_offsets=[int(src.min())] * 25)
    for ours, host in zip(out, hosts):
        expected = np.zeros(40, np.float32)
        expected[dest] = host[src]
        close(ours, expected)

    results = gpuarray.multi_put([a[:20].copy() for a in arrays], gpuarray.to_gpu(dest), dest_shape=(40,))
    for ours, host in zip(results, hosts):
        close(ours.get()[dest], host[:20])
    with pytest.raises(TypeError):
        gpuarray.multi_take_put(arrays, gpuarray.to_gpu(dest), gpuarray.to_gpu(src.astype(np.int64)), out=out)
    with pytest.raises(ValueError):
        gpuarray.multi_take_put(arrays, gpuarray.to_gpu(dest), gpuarray.to_gpu(src[:3]), out=out)


# ---- joining


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_concatenate(axis, rng):
    shapes = [(2, 3), (2, 3), (2, 3)]
    hosts = [sample(rng, shape, dtype) for shape, dtype in zip(shapes, (np.float32, np.int16, np.float32))]
    hosts[2] = np.asfortranarray(hosts[2])
    ours = gpuarray.concatenate([gpuarray.to_gpu(host) for host in hosts], axis)
    expected = np.concatenate(hosts, axis)
    assert ours.dtype == expected.dtype
    close(ours, expected)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack(axis, rng):
    hosts = [sample(rng, (2, 3), np.float32) for _ in range(3)]
    ours = gpuarray.stack([gpuarray.to_gpu(host) for host in hosts], axis)
    close(ours, np.stack(hosts, axis))
    assert ours.flags.c_contiguous if axis == 0 else ours.flags.f_contiguous


def test_joining_mismatched_arrays():
    a = gpuarray.zeros((2, 3), np.float32)
    for arrays, axis in (([], 0), ([a, gpuarray.zeros((3, 3), np.float32)], 1), ([a, a[0]], 0), ([a], 2)):
        with pytest.raises(ValueError):
            gpuarray.concatenate(arrays, axis)
    with pytest.raises(ValueError):
        gpuarray.stack([a, a[0]])
