"""NumPy's protocols: a call that was answered before is answered without Python code, and as before."""

import itertools
import threading

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import array_api as xp
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("module_context")

HOST = {dtype: np.array([1, 2, 3], dtype) for dtype in ("b", "?", "u2", "i4", "i8", "f2", "f4", "f8", "c8")}
UFUNCS = [getattr(np, name) for name in sorted(dir(np)) if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).signature is None]


def outcome(call):
    try:
        results = call()
    except (TypeError, ValueError, OverflowError) as error:
        return type(error), str(error)
    return [(result.dtype, result._answers, repr(result.get().tolist())) for result in (results if isinstance(results, tuple) else (results,))]


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_the_second_call_is_the_first(ufunc):
    arrays = [gpuarray.to_gpu(values) for values in HOST.values()]
    operands = [*itertools.product(arrays[:2] + arrays[3:4] + arrays[6:8], repeat=2)] if ufunc.nin == 2 else [(array,) for array in arrays]
    operands += [(arrays[3], 2), (2, arrays[6]), (arrays[6], np.float64(2))] if ufunc.nin == 2 else []
    first = [outcome(lambda: ufunc(*each)) for each in operands]
    assert [outcome(lambda: ufunc(*each)) for each in operands] == first


def test_keywords_are_heeded_after_a_call_without():
    x = gpuarray.to_gpu(HOST["f4"])
    for _ in range(2):
        out = gpuarray.zeros(3, np.float64)
        assert np.sin(x).dtype == np.float32
        assert np.sin(x, out=out) is out and np.allclose(out.get(), np.sin(HOST["f4"]))
        assert np.sin(x, dtype=np.float64).dtype == np.float64
        assert np.add(x, x, where=np.equal(x, x)).get().tolist() == [2, 4, 6]
        assert np.add.reduce(x).get() == 6
    with pytest.raises(ValueError, match="casting"):
        np.sin(x, casting="nonsense")


def test_classes_of_programs_are_asked_each_time():
    class Counting(gpuarray.GPUArray):
        calls = 0

        def __add__(self, other):
            Counting.calls += 1
            return 7

        def __radd__(self, other):
            Counting.calls += 1
            return 8

    counting, x = Counting(3, np.float32), gpuarray.to_gpu(HOST["f4"])
    for _ in range(3):
        assert np.add(x, x).get().tolist() == [2, 4, 6]
        assert np.add(counting, x) == 7 and np.add(1, counting) == 8
    assert Counting.calls == 6


def test_functions_of_programs_with_a_name_of_numpys():
    sin = np.frompyfunc(lambda value: "mine", 1, 1)
    x = gpuarray.to_gpu(HOST["f4"])
    before = outcome(lambda: sin(x))
    np.sin(x)
    assert outcome(lambda: sin(x)) == before


def test_operands_of_other_kinds_are_refused_after_a_call():
    x, host, other = gpuarray.to_gpu(HOST["f4"]), HOST["f4"], xp.asarray([1.0, 2, 3])
    np.add(x, x), np.arctan2(x, x), np.take(x, gpuarray.to_gpu(HOST["i4"] - 1))
    for ufunc in np.add, np.arctan2:
        for operands, keywords in ((x, host), {}), ((x, x), {"out": host.copy()}), ((x, x), {"where": host > 1}):
            with pytest.raises(TypeError, match="NumPy array, which is on the host"):
                ufunc(*operands, **keywords)
        with pytest.raises(TypeError):
            ufunc(x, other)
        with pytest.raises(TypeError):
            ufunc(x, "text")
    with pytest.raises(TypeError):
        np.take(x, xp.asarray([0, 1]))
    with pytest.raises(TypeError):
        np.sum(x, other)


def test_an_array_without_its_constructor_is_an_error():
    class Broken(gpuarray.GPUArray):
        def __init__(self):
            pass

    x = gpuarray.to_gpu(HOST["f4"])
    for ufunc, operands in ((np.sin, (Broken(),)), (np.add, (Broken(), x)), (np.add, (x, Broken())), (np.arctan2, (x, Broken()))):
        for _ in range(2):
            with pytest.raises(TypeError):
                ufunc(*operands)


def test_threads_learn_calls_at_once():
    """All dtypes on each of several threads, in another order."""
    context, failed = drv.Device(0).make_context(), []

    def run(number):
        context.push()
        try:
            for dtype in [*HOST][number:] + [*HOST][:number]:
                x = gpuarray.to_gpu(HOST[dtype])
                if outcome(lambda: np.square(x)) != outcome(lambda: np.square(x)):
                    failed.append(dtype)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context.pop()
    assert not failed
