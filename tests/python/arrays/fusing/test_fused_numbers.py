"""Numbers as arguments of fused functions: one kernel for all, unless the function looks at them."""

import numpy as np
import pytest
from pycuda import gpuarray

from same import arrays, check


def test_numbers_may_change(rng):
    a, = arrays(rng, "f")
    traced = []

    @gpuarray.fuse
    def scaled(a, factor, power):
        traced.append(1)
        return a * factor + 1 - power / (a * a + power)

    for factor, power in ((2, 3.5), (3, 1.25), (-7, 0.0), (1000, float("nan"))):
        check(scaled(a, factor, power), scaled.__wrapped__(a, factor, power))
    assert len(traced) == 5, "one trace, and four calls here"


def test_a_number_that_the_function_looks_at(rng):
    a, = arrays(rng, "f")

    @gpuarray.fuse
    def chosen(a, n, scale):
        if n > 2:
            a = a * n
        for _ in range(n):
            a = a + 1
        return a * (scale / 3)

    for n in (1, 2, 3, 4, 1):
        for scale in (2.0, 2, 7.5, np.float32(3)):
            check(chosen(a, n, scale), chosen.__wrapped__(a, n, scale))


def test_integers_that_do_not_fit(rng):
    a, = arrays(rng, "B")
    fused = gpuarray.fuse(lambda a, n: a + n)
    check(fused(a, 5), a + 5)
    with pytest.raises(OverflowError):
        fused(a, 300)
    check(fused(a, 7), a + 7)
    compare = gpuarray.fuse(lambda a, n: a < n)
    for n in (10, 300, -1, 10, 2**40):
        check(compare(a, n), a < n)
    power = gpuarray.fuse(lambda a, n: a**n)
    check(power(a, 3), a**3)
    with pytest.raises(ValueError, match="negative"):
        power(a, -1)


def test_types_of_numbers(rng):
    a, = arrays(rng, "f")
    fused = gpuarray.fuse(lambda a, x: a * x + x)
    for x in (2, 2.5, True, 1j, np.float32(2.5), np.float64(2.5), np.int8(3), np.array(2.5), np.complex64(1j)):
        check(fused(a, x), a * x + x)
