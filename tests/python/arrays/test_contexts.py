"""Arrays in contexts that come, go, and belong to others."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray


def test_a_context_that_another_library_made_current(run_python):
    """It has no reference here: it must not end between two calls."""
    result = run_python("""
import warnings; warnings.simplefilter("ignore")
import gc
import numpy as np, pycuda.driver as drv
from pycuda import gpuarray
drv.init()
context = drv.Device(0).retain_primary_context()
context.push()
del context
gc.collect()
a = gpuarray.zeros(100, np.float32)
for _ in range(3):
    a = a + 1
    gc.collect()
print(a.get().sum(), gpuarray.sum(a).get())
""")
    assert result.stdout.split() == ["300.0", "300.0"], result.stderr


def test_threads_that_use_operations_first_at_once(rng):
    """Each needs several kernels, which are compiled side by side; the table of a new context has none of them."""
    context = drv.Device(0).make_context()
    x = rng.integers(0, 50, 20000).astype(np.int16)
    failures = []

    def work():
        context.push()
        try:
            a = gpuarray.to_gpu(x)
            np.testing.assert_array_equal(gpuarray.unique(a).get(), np.unique(x))
            np.testing.assert_array_equal(gpuarray.nonzero(a)[0].get(), np.nonzero(x)[0])
            np.testing.assert_array_equal(gpuarray.argsort(a).get(), np.argsort(x, kind="stable"))
            assert int(a.argmax().get()) == x.argmax() and int(a.sum(dtype=np.int64).get()) == x.sum(dtype=np.int64)
            del a
        except Exception as failure:  # noqa: BLE001  the test tells it
            failures.append(failure)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context.detach()
    assert failures == []


def test_arrays_of_a_context_that_ended():
    context = drv.Device(0).make_context()
    a = gpuarray.zeros(10, np.float32)
    context.detach()
    for use in (lambda: a.get(), lambda: a + a, lambda: a.fill(1)):
        with pytest.raises(drv.LogicError):
            use()
    del a
    gc.collect()
    other = drv.Device(0).make_context()
    b = gpuarray.zeros(10, np.float32)
    assert (b + 1).get().tolist() == [1] * 10
    del b
    other.pop()
