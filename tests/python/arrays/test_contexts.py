"""Arrays in contexts that are created, end, and belong to other libraries."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray


def test_a_context_that_another_library_made_current(run_python):
    """Nothing here holds a reference to it, but it must not end between two calls."""
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


def test_first_uses_of_operations_on_several_threads(rng):
    """Each needs several kernels, which are compiled in parallel; the table of a new context has none of them."""
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
        except Exception as failure:  # noqa: BLE001  the test reports it
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


#: Operations on arrays of another context: `a`, `b` and a view of them, `custom` from an allocator, `given` whose gpudata was read.
OF_ANOTHER_CONTEXT = {
    "a + 1": lambda x: x.a + 1, "a + b": lambda x: x.a + x.b, "here + a": lambda x: x.here + x.a, "a += 1": lambda x: x.a.__iadd__(1), "-a": lambda x: -x.a,
    "here += a": lambda x: x.here.__iadd__(x.a), "view + 1": lambda x: x.a[2:] + 1, "transposed": lambda x: x.a.reshape(4, 4).T + 1, "custom": lambda x: x.custom + 1,
    "given": lambda x: x.given * 2, "view of given": lambda x: x.given[1:] * 2, "a > 1": lambda x: x.a > 1, "where": lambda x: gpuarray.where(x.here > 1, x.a, x.here),
    "sin": lambda x: np.sin(x.a), "sum": lambda x: gpuarray.sum(x.a), "sum of a view": lambda x: x.a[::2].sum(), "product": lambda x: x.a.reshape(4, 4) @ x.a.reshape(4, 4),
    "sort": lambda x: gpuarray.sort(x.a), "cumsum": lambda x: gpuarray.cumsum(x.a), "take": lambda x: gpuarray.take(x.a, x.here.astype(np.int32)), "roll": lambda x: np.roll(x.a, 1),
    "astype": lambda x: x.a.astype(np.int32), "fill": lambda x: x.a.fill(2), "a[3] = 2": lambda x: x.a.__setitem__(3, 2), "out": lambda x: np.add(x.here, 1, out=x.a),
}


class Operands:
    pass


@pytest.mark.parametrize("name", OF_ANOTHER_CONTEXT)
def test_arrays_of_another_context_are_rejected(name):
    """Their kernels would make illegal accesses, which make both contexts unusable."""
    x, host = Operands(), np.arange(16, dtype=np.float32)
    owner = drv.Device(0).make_context()
    x.a, x.b, x.given = (gpuarray.to_gpu(host) for _ in range(3))
    x.custom = gpuarray.to_gpu(host, allocator=drv.mem_alloc)
    assert x.given.gpudata
    other = drv.Device(0).make_context()
    x.here = gpuarray.to_gpu(host)
    with pytest.raises(drv.LogicError, match="context"):
        OF_ANOTHER_CONTEXT[name](x)
    assert (x.here + 1).get().tolist() == (host + 1).tolist()
    del x.here
    other.detach()
    for array in (x.a, x.b, x.given, x.custom):
        assert (array + 1).get().tolist() == (host + 1).tolist()
    x.__dict__.clear()
    owner.detach()


def test_memory_shared_by_all_contexts():
    host = np.arange(16, dtype=np.float32)
    owner = drv.Device(0).make_context()
    managed = gpuarray.to_gpu(drv.managed_empty(16, np.float32))
    shared = drv.managed_empty(16, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL)
    shared[:] = host
    array = gpuarray.GPUArray(16, np.float32, gpudata=shared.base)
    other = drv.Device(0).make_context()
    assert (array + 1).get().tolist() == (host + 1).tolist()
    assert float(gpuarray.sum(array).get()) == host.sum()
    with pytest.raises(drv.LogicError):
        managed + 1
    other.detach()
    del array, shared, managed
    gc.collect()
    owner.detach()


def test_peer_access(run_python):
    done = run_python("""
import numpy as np, pycuda.driver as drv
from pycuda import gpuarray
drv.init()
second = drv.Device(1).make_context()
far = gpuarray.arange(16, dtype=np.float32)
drv.Context.synchronize()  # contexts are not ordered
first = drv.Device(0).make_context()
near = gpuarray.arange(16, dtype=np.float32)
for operation in (lambda: near + far, lambda: gpuarray.sum(far)):
    try:
        operation()
    except drv.LogicError as error:
        print("context" in str(error))
first.enable_peer_access(second)
print((near + far).get().sum(), gpuarray.sum(far).get())
""", PYCUDA_DRIVER="cpu", PYCUDA_CPU_DEVICES="2")
    assert done.stdout.split() == ["True", "True", "240.0", "120.0"], done.stderr
