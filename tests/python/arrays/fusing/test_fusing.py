"""Fused functions: elementwise operations, layouts, broadcasting, several results."""

import numpy as np
import pytest
from pycuda import cumath, gpuarray

from conftest import sample
from same import arrays, check, same


def test_a_sum_of_products(rng):
    same(lambda a, b: cumath.tanh(a * b + a), *arrays(rng, "f", "f"))


def test_products_are_not_contracted(rng):
    """A multiply-add that rounds once would differ in many of these elements."""
    for dtype in "fdFD":
        same(lambda a, b, c: a * b + c, *arrays(rng, dtype, dtype, dtype))
        same(lambda a, b, c: a * b - c * a, *arrays(rng, dtype, dtype, dtype))
        same(lambda a, b, c: (a * b + c) * c + a * a, *arrays(rng, dtype, dtype, dtype))
        same(lambda a, b, c: a**3 - b + c**2 * a, *arrays(rng, dtype, dtype, dtype))
    same(lambda a, b, c: np.logaddexp(a * b, np.exp(c)) - np.deg2rad(c), *arrays(rng, "f", "f", "f"))


@pytest.mark.parametrize("dtype", ["e", "b", "B", "h", "H", "?"])
def test_small_types_are_rounded_between_operations(rng, dtype):
    if dtype == "?":
        return same(lambda a, b: (a & b) | ~a ^ b, *arrays(rng, dtype, dtype))
    same(lambda a, b: a * b + a - b * b, *arrays(rng, dtype, dtype))
    same(lambda a, b: (a * b * a) // (b + 1), *arrays(rng, dtype, dtype))


def test_mixed_types(rng):
    same(lambda a, b, c: a * b + c, *arrays(rng, "i", "f", "D"))
    same(lambda a, b, c: np.sqrt(abs(a)) + b * c, *arrays(rng, "h", "e", "B"))
    same(lambda a, b: (a > b) * a, *arrays(rng, "f", "d"))


def layouts(x):
    yield x
    yield x[::2]
    yield x[::-1]
    yield x[3:]
    yield x[1:-2].reshape(-1)
    for shape in ((10, 100), (100, 10), (2, 500), (4, 25, 10)):
        y = x.reshape(shape)
        yield y
        yield y.T
        yield y[1:, ::3]
        yield y[:, None]
        yield y[..., 1:-1]


def test_layouts(rng):
    a, b = arrays(rng, "f", "h")
    for x, y in zip(layouts(a), layouts(b)):
        same(lambda x, y: x * y + y - 1, x, y)
        same(lambda x, y: (x + 1) * y, x.copy(), y)


def test_broadcasting(rng):
    a, row, column, one = (gpuarray.to_gpu(sample(rng, shape, "f")) for shape in ((30, 300), (300,), (30, 1), (1, 1)))
    scalar = gpuarray.to_gpu(np.float32(3))
    same(lambda a, row, column: (a - row) * column, a, row, column)
    same(lambda a, one, scalar: a * one + scalar, a, one, scalar)
    same(lambda row, column: row * column, row, column)
    same(lambda a, row: np.maximum(a.T, 0) + row[:30], a, row)
    same(lambda row, column: np.broadcast_to(row + 1, (30, 300)) - (column - 1), row, column)
    same(lambda a, row, column: (a[:, 5:] - row[5:]) / column, a, row, column)


def test_views_of_what_is_computed(rng):
    a, b = arrays(rng, "f", "f", shape=(20, 50))
    same(lambda a, b: (a + b).T * 2, a, b)
    same(lambda a, b: (a * b)[1:] - (a * b)[:-1], a, b)
    same(lambda a, b: (a * b).reshape(50, 20) + 1, a, b)
    same(lambda a, b: (a * b)[:, None] + b, a, b)
    same(lambda a, b: (a * b).view(np.int32) & 0xff, a, b)
    same(lambda a, b: (a * b).T, a, b)
    same(lambda a: a.real - a.imag, *arrays(rng, "F"))


def test_where_and_clip(rng):
    a, b = arrays(rng, "f", "d")
    same(lambda a, b: gpuarray.where(a > b, a * 2, b), a, b)
    same(lambda a, b: np.where(a > b, a, 0), a, b)
    same(lambda a, b: np.clip(a * b, -1, 1), a, b)
    same(lambda a, b: gpuarray.minimum(a, b) + gpuarray.maximum(a, 0.5), a, b)
    same(lambda a, b: (a + b).astype(np.float16) + a.astype(np.int32), a, b)


def test_several_results(rng):
    a, b = arrays(rng, "f", "f")
    same(lambda a, b: (a + b, a - b, (a > b)), a, b)
    same(lambda a, b: [a * b, (a * b).sum(), a[::2] + b[1::2]], a, b)
    same(lambda a, b: (a + b,) * 2, a, b)

    def and_an_argument(a, b):
        return a, a.reshape(10, 100), a + b

    got = gpuarray.fuse(and_an_argument)(a, b)
    check(got, and_an_argument(a, b))
    assert got[0].ptr == got[1].ptr == a.ptr
