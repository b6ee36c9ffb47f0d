"""Arrays of more than 2^32 bytes, and of more than 2^31 elements, checked against closed forms: element i is i % 61. A smaller version runs on any device."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

PERIOD, ROW = 61, 1 << 14
CASES = [(dtype, size) for size in (100_003, (1 << 32) + 100_003) for dtype in (np.int8, np.int32)]


def element(i):
    return np.asarray(i) % PERIOD


def total(n):
    """The sum of the first n elements, where n is an int or an array of ints."""
    rounds, rest = n // PERIOD, n % PERIOD
    return rounds * (PERIOD * (PERIOD - 1) // 2) + rest * (rest - 1) // 2


def total_of(array):
    return int(array.sum(dtype=np.int64).get())


def check(array, expected):
    """Check the elements at both ends, and around the indices where 32 bits overflow: each must be `expected` of its index."""
    for place in (0, (1 << 29) - 50, (1 << 30) - 50, (1 << 31) - 50, (1 << 32) - 50, len(array) - 100):
        if place + 100 <= len(array):
            indices = np.arange(place, place + 100)
            np.testing.assert_array_equal(array[place : place + 100].get(), expected(indices).astype(array.dtype), err_msg=f"from {place}")


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{np.dtype(case[0])}-{case[1]}")
def large(array_context, request):
    """An array, and an output array of the same size."""
    dtype, nbytes = request.param
    if nbytes > 1 << 32 and (drv.driver_info().is_cpu_device or drv.mem_get_info()[0] < 16 << 30):
        pytest.skip("needs a GPU with 16 GiB of free memory")
    a = gpuarray.empty(nbytes // np.dtype(dtype).itemsize, dtype)
    fill = ElementwiseKernel(("signed char" if dtype is np.int8 else "int") + " *a", f"a[i] = i % {PERIOD}")
    fill(a)
    b = gpuarray.empty_like(a)
    yield a, b
    a.gpudata.free()
    b.gpudata.free()
    del a, b


def test_kernels_of_expressions(large):
    a, _ = large
    check(a, element)
    assert total_of(a) == total(a.size)


def test_dense(large):
    a, b = large
    np.add(a, a, out=b)
    check(b, lambda i: 2 * element(i))
    b -= a
    assert total_of(b) == total(a.size)
    assert int((b != a).any().get()) == 0


def test_backwards(large):
    a, b = large
    n = a.size
    np.add(a, a[::-1], out=b)
    check(b, lambda i: element(i) + element(n - 1 - i))
    assert total_of(b) == 2 * total(n)


def test_slices_with_steps(large):
    a, b = large
    n = a.size
    half = b[: n // 2]
    np.subtract(a[1::2][: half.size], a[::2][: half.size], out=half)
    check(half, lambda i: element(2 * i + 1) - element(2 * i))


def test_rows_and_columns(large):
    a, b = large
    rows = a.size // ROW
    matrix, out = a[: rows * ROW].reshape(rows, ROW), b[: rows * ROW].reshape(rows, ROW)
    starts = np.arange(rows + 1) * ROW
    np.testing.assert_array_equal(matrix.sum(axis=1, dtype=np.int64).get(), np.diff(total(starts)))
    counts = np.bincount(starts[:-1] % PERIOD, minlength=PERIOD)
    of_residue = np.array([np.dot(counts, element(np.arange(PERIOD) + k)) for k in range(PERIOD)])
    np.testing.assert_array_equal(matrix.sum(axis=0, dtype=np.int64).get(), of_residue[np.arange(ROW) % PERIOD])
    np.add(matrix, matrix[0], out=out)
    check(out.reshape(rows * ROW), lambda i: element(i) + element(i % ROW))
    turned = b[: rows * ROW].reshape(ROW, rows)
    turned[...] = matrix.T
    check(turned.reshape(rows * ROW), lambda i: element(i % rows * ROW + i // rows))


def test_reductions(large):
    a, b = large
    n = a.size
    assert (int(a.max().get()), int(a.min().get())) == (PERIOD - 1, 0)
    b.fill(1)
    assert total_of(b) == n
    b[n - 7] = 2
    b[n - 3] = 2
    b[n - 5] = -1
    assert (int(b.argmax().get()), int(b.argmin().get())) == (n - 7, n - 5)
    expected = total(n) + int(element(n - 7)) + int(element(n - 3)) - 2 * int(element(n - 5))
    assert int(gpuarray.dot(a, b, dtype=np.int64).get()) == expected
    b.fill(0)
    assert not b.any().get()
    b[n - 2] = 1
    assert b.any().get()


def test_running_sums(large):
    a, b = large
    gpuarray.cumsum(a, out=b)
    check(b, lambda i: total(i + 1))
    rows = a.size // ROW
    gpuarray.cumsum(a[: rows * ROW].reshape(rows, ROW), axis=0, out=b[: rows * ROW].reshape(rows, ROW))
    last = b[(rows - 1) * ROW : rows * ROW].get()
    indices = np.arange(rows)[:, None] * ROW + np.arange(16)
    np.testing.assert_array_equal(last[:16], element(indices).sum(axis=0).astype(a.dtype))


def test_fills(large):
    _, b = large
    n = b.size
    b.fill(3)
    assert total_of(b) == 3 * n
    b[n // 2 + 1 :] = 1
    assert total_of(b) == 3 * (n // 2 + 1) + (n - n // 2 - 1)
    b[::3] = 0
    check(b, lambda i: np.where(i % 3 == 0, 0, np.where(i > n // 2, 1, 3)))


def test_gathers(large, rng):
    a, b = large
    n = a.size
    wanted = np.concatenate([rng.integers(0, n, 1000), n - 1 - np.arange(100), -1 - np.arange(100)])
    np.testing.assert_array_equal(a[gpuarray.to_gpu(wanted)].get(), element(wanted % n))
    b.fill(0)
    distinct = np.unique(wanted % n)
    gpuarray.multi_put([gpuarray.ones(distinct.size, b.dtype)], gpuarray.to_gpu(distinct), out=[b])
    np.testing.assert_array_equal(gpuarray.nonzero(b)[0].get(), distinct)
    np.testing.assert_array_equal(a[b.astype(bool)].get(), element(distinct))


def test_copies(large):
    a, b = large
    b[1:] = a[:-1]
    check(b[1:], element)
    packed = a[::-1].copy()
    check(packed, lambda i: element(a.size - 1 - i))
    assert total_of(packed) == total(a.size)
