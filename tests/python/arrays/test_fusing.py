"""Fused functions: results that equal those of the separate operations, bit for bit; what is refused, and where."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import cumath, gpuarray

from conftest import sample

N = 1000


def same(function, *arguments, fused=None):
    """The fused function returns what the function returns, bit for bit, in arrays of the same dtypes, shapes and strides."""
    expected = function(*arguments)
    for given in ([fused] if fused is not None else [gpuarray.fuse(function)]):
        for _ in range(2):  # traced, and found again
            check(given(*arguments), expected)


def check(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check(one, other)
        return
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if got.size:  # where steps are taken
        assert all(length == 1 or one == other for length, one, other in zip(got.shape, got.strides, expected.strides)), (got.strides, expected.strides)
    ours, theirs = got.get(), expected.get()
    assert ours.tobytes() == theirs.tobytes(), (ours[ours != theirs], theirs[ours != theirs])


def arrays(rng, *dtypes, shape=N):
    return [gpuarray.to_gpu(sample(rng, shape, dtype)) for dtype in dtypes]


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


# ---- numbers

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


# ---- what else

def test_a_fused_function_within_another(rng):
    a, b = arrays(rng, "f", "f")
    square = gpuarray.fuse(lambda x: x * x)

    @gpuarray.fuse
    def of_squares(a, b, n):
        return square(a) + square(b) * n

    check(of_squares(a, b, 3), a * a + b * b * 3)


def test_numpys_functions(rng):
    a, b = arrays(rng, "f", "f")
    same(lambda a, b: np.hypot(np.sin(a), np.cos(b)) + np.square(a), a, b)
    same(lambda a, b: np.add(a, b) * np.float32(2) + np.float64(0.5), a, b)
    same(lambda a, b: np.mean(np.abs(a - b)), a, b)
    same(lambda a, b: np.isnan(a / (b * 0)), a, b)


def test_empty_and_0d_arrays():
    empty, zero = gpuarray.zeros((0, 3), np.float32), gpuarray.to_gpu(np.float32(2))
    same(lambda a: a * 2 + 1, empty)
    same(lambda a: (a * 2).sum(), empty)
    same(lambda a: (a * 2).sum(axis=0), empty)
    same(lambda a: (a[:, :1] * 2).T, empty)
    same(lambda a: a * 2 + a, zero)
    same(lambda a: (a * 2).sum(), zero)
    with pytest.raises(ValueError):
        gpuarray.fuse(lambda a: (a * 2).max())(empty)


def test_overlapping_arguments(rng):
    a, = arrays(rng, "f")
    same(lambda x, y: x + y * 2, a[1:], a[:-1])
    same(lambda x, y: x + y * 2, a, a)


def test_keywords_methods_and_attributes(rng):
    a, b = arrays(rng, "f", "f")

    @gpuarray.fuse
    def difference(a, b=1):
        """The difference."""
        return a - b

    assert difference.__name__ == "difference" and difference.__doc__ == "The difference." and callable(difference.__wrapped__)
    check(difference(b=b, a=a), a - b)
    check(difference(a), a - 1)
    with pytest.raises(TypeError, match="missing"):
        difference()
    with pytest.raises(TypeError):
        difference(a, b, a)
    with pytest.raises(TypeError, match="expected a function"):
        gpuarray.fuse(3)


def test_fast(rng):
    a, b, c = arrays(rng, "f", "f", "f")
    fast = gpuarray.fuse(fast=True)(lambda a, b, c: a * b + c)
    np.testing.assert_allclose(fast(a, b, c).get(), (a * b + c).get(), rtol=1e-3, atol=1e-6)
    half = [x.astype(np.float16) for x in (a, b, c)]
    got = gpuarray.fuse(lambda a, b, c: a * b + c, fast=True)(*half)
    assert got.dtype == np.float16
    expected = (half[0].get().astype(np.float64) * half[1].get() + half[2].get())
    np.testing.assert_allclose(got.get(), expected, rtol=2e-3, atol=1e-4)


def test_array_classes(rng):
    class Ours(gpuarray.GPUArray):
        pass

    a, = arrays(rng, "f")
    ours = Ours(a.shape, a.dtype, gpudata=a.gpudata)
    assert type(gpuarray.fuse(lambda x: x + 1)(ours)) is Ours

    from pycuda import array_api as xp
    x = xp.asarray(a)
    fused = gpuarray.fuse(lambda x: x > 0)
    assert fused(a).dtype == np.float32 and fused(x).dtype == np.bool_ and type(fused(x)) is type(x > 0)
    mask = fused(a)
    assert a[mask].shape == a[a > 0].shape, "a mask, as the comparison's result is"


# ---- what cannot be fused

def refuse(message, function, *arguments):
    with pytest.raises(TypeError, match=message) as caught:
        gpuarray.fuse(function)(*arguments)
    return str(caught.value)


def test_refusals(rng):
    a, = arrays(rng, "f")
    other = a.copy()

    def branch(a):
        b = a * 2
        if b.sum() > 0:
            return a
        return b

    text = refuse("this cannot be fused", branch, a)
    assert "branch" in text and "if b.sum() > 0:" in text and f"line {branch.__code__.co_firstlineno + 2} of {__file__}" in text

    def number(a):
        return a * float(a.sum())

    assert "float(a.sum())" in refuse("this cannot be fused", number, a)

    def writes(a):
        a += 1
        return a

    assert "a += 1" in refuse("writes into an array", writes, a)

    def assigns(a):
        a[0] = 1
        return a

    assert "a[0] = 1" in refuse("this cannot be fused", assigns, a)
    refuse("not an argument", lambda a: a + other, a)
    refuse("this cannot be fused", lambda a: gpuarray.sort(a * 2), a)
    refuse("this cannot be fused", lambda a: a[a > 0], a)
    refuse("this cannot be fused", lambda a: a.get(), a)
    refuse("it returns nothing", lambda a: None, a)
    refuse("it returns a float", lambda a: 2.0, a)
    refuse("does not come from its arguments", lambda a: other, a)
    refuse("on the device with|to the device with", lambda a: a, a.get())
    refuse("argument 2 .* not str", lambda a, b: a, a, "x")
    np.testing.assert_array_equal(a.get(), other.get())


def test_an_exception_half_way(rng):
    a, = arrays(rng, "f")
    fail = True

    @gpuarray.fuse
    def function(a):
        b = a * 2
        if fail:
            raise KeyError("half way")
        return b + 1

    with pytest.raises(KeyError):
        function(a)
    check(a + 1, a + 1.0)
    fail = False
    check(function(a), a * 2 + 1)


def test_a_traced_array_that_is_kept(rng):
    a, = arrays(rng, "f")
    kept = []

    @gpuarray.fuse
    def function(a):
        kept.append(a * 2)
        return kept[0] + 1

    check(function(a), a * 2 + 1)
    for use in (lambda: kept[0] + 1, lambda: kept[0].get(), lambda: kept[0].sum(), lambda: kept[0][1:] + a):
        with pytest.raises(TypeError, match="this cannot be fused"):
            use()
    refuse("fused already|another function", lambda a: a + kept[0], a)


def test_threads_that_trace_at_once(rng):
    a, b = arrays(rng, "f", "f")
    expected, failures = (a * 2 + b).get(), []
    context = drv.Context.get_current() if hasattr(drv.Context, "get_current") else None
    barrier = threading.Barrier(4)
    fused = gpuarray.fuse(lambda a, b: a * 2 + b)

    def run():
        try:
            context.push()
            barrier.wait()
            for k in range(20):
                np.testing.assert_array_equal(fused(a, b).get(), expected)
                np.testing.assert_array_equal(gpuarray.fuse(lambda a, b: a * 2 + b)(a, b).get(), expected)
            context.pop()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def test_in_a_captured_stream(rng):
    a, b = arrays(rng, "f", "f")
    fused = gpuarray.fuse(lambda a, b: ((a * b + 1), ((a - b)**2).mean()))
    expected = [x.get() for x in fused(a, b)]
    stream = drv.Stream()
    drv.Context.synchronize()
    stream.begin_capture()
    with stream:
        results = fused(a, b)
    graph = stream.end_capture()
    executable = graph.instantiate()
    for _ in range(2):
        executable.launch(stream)
    stream.synchronize()
    for one, other in zip(results, expected):
        np.testing.assert_array_equal(one.get(), other)


def test_an_argument_that_its_allocator_drops(rng):
    class Allocator:
        def __init__(self):
            self.victims = []

        def __call__(self, size):
            for victim in self.victims:
                victim.gpudata.free()
            return drv.mem_alloc(size)

    allocator = Allocator()
    a = gpuarray.to_gpu(sample(rng, N, "f"), allocator=allocator)
    fused = gpuarray.fuse(lambda a, b: a + b)
    b = a.copy()
    check(fused(a, b), a + b)
    allocator.victims = [b]
    with pytest.raises(drv.LogicError):
        fused(a, b)
    allocator.victims = []


def test_results_have_the_arguments_allocator(rng):
    calls = []

    def allocate(size):
        calls.append(size)
        return drv.mem_alloc(size)

    a = gpuarray.to_gpu(sample(rng, N, "f"), allocator=allocate)
    calls.clear()
    result = gpuarray.fuse(lambda a: a * 2 + 1)(a)
    assert calls == [4 * N] and result.allocator is allocate


def test_a_function_in_a_cycle_is_collected():
    function = gpuarray.fuse(lambda a: a + 1)
    function.itself = function
    import weakref
    seen = weakref.ref(function)
    del function
    gc.collect()
    assert seen() is None


def test_many_shapes(rng):
    """More than the function remembers."""
    fused = gpuarray.fuse(lambda a: a * 2 + 1)
    for n in [*range(1, 80), 1, 2, 3]:
        a, = arrays(rng, "f", shape=n)
        check(fused(a), a * 2 + 1)


def test_unaligned_arrays(rng):
    a, b = arrays(rng, "f", "f", shape=5003)
    for start in range(5):
        x, y = a[start:], b[:5003 - start]
        same(lambda x, y: x * y + 1, x, y)
        same(lambda x, y: (x * y).sum(), x, y)
