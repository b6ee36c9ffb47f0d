"""Calls of fused functions: within others, with all kinds of arrays, on threads, in captures; and what is refused, and where."""

import gc
import threading
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray

from conftest import sample
from same import N, arrays, check, same


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


def test_views_that_are_not_aligned(rng):
    a, = arrays(rng, "B", shape=4 * N)
    fused = gpuarray.fuse(lambda a: a.view(np.float32) + 1)
    check(fused(a), a.view(np.float32) + 1)
    odd = gpuarray.to_gpu(sample(rng, 4 * N + 1, "B"))[1:]
    for function in (lambda a: a.view(np.float32) + 1, lambda a: (a.view(np.float32) + 1).sum()):
        with pytest.raises(ValueError, match="aligned"):
            gpuarray.fuse(function)(odd)
