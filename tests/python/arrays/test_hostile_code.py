"""Foreign code that runs in the middle of an operation may change the arrays, and raise, but must not crash the process."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray

#: Freed memory is overwritten immediately, so that later reads see wrong values.
SCRIBBLE = {"MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}

PREAMBLE = """
import numpy as np
import pycuda.autoprimaryctx
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray

def own_form(a, shape, strides):  # one that no other array shares
    a.shape, a.strides = shape, strides

def refuses(f):
    own_form(a, (50, 23), (92, 4))
    try:
        f()
    except (ValueError, TypeError, IndexError, AttributeError):
        pass
"""

#: Ways to change an array's form while an operation on it is running.
PROGRAMS = {
    "an index": """
        class Index:
            def __index__(self):
                a.shape = (1150,)
                return 3
        a = gpuarray.zeros((50, 23), np.float32)
        refuses(lambda: a[Index():, 2])
        refuses(lambda: a.__setitem__((slice(Index(), None), 2), 5.0))
        """,
    "a number": """
        class Number(int):
            def __int__(self):
                a.shape = (1150,)
                return 3
        a = gpuarray.zeros((50, 23), np.float32) + 1
        refuses(lambda: a + Number(3))
        refuses(lambda: a > Number(3))
        refuses(lambda: a.__setitem__(0, Number(3)))
        """,
    "gpudata": """
        class Memory:
            def __index__(self):
                a.shape = (1150,)
                return int(memory)
        memory = drv.mem_alloc(4600)
        drv.memset_d8(memory, 0, 4600)
        a = GPUArray((50, 23), np.float32, gpudata=Memory())
        for operation in (lambda: a + 1, lambda: -a, lambda: a > 2, lambda: a + a, lambda: a.sum(), lambda: a.sum(axis=0), lambda: a[3:].get(),
                          lambda: a.fill(3), lambda: a.astype(np.int32), lambda: gpuarray.cumsum(a, axis=0), lambda: a.__iadd__(2),
                          lambda: a.__setitem__(slice(1, None), a[:-1]), lambda: a.__setitem__((slice(None), 2), 3), lambda: np.maximum(a, a[::-1], out=a)):
            refuses(operation)
        """,
    "an allocator": """
        def allocate(nbytes):
            a.shape = (1150,)
            return drv.mem_alloc(nbytes)
        a = gpuarray.zeros((50, 23), np.float32)
        a.allocator = allocate
        for operation in (lambda: a + 1, lambda: a > 2, lambda: abs(a), lambda: a.copy(), lambda: a.sum(), lambda: gpuarray.maximum(a, a[::-1], out=a),
                          lambda: a.__setitem__(slice(1, None), a[:-1]), lambda: gpuarray.sort(a)):
            refuses(operation)
        """,
    "a subclass": """
        class Changing(GPUArray):
            def _new_like_me(self, dtype=None, order="C"):
                result = GPUArray(self.shape, self.dtype if dtype is None else dtype)
                self.shape = (1150,)
                return result
        a = Changing((50, 23), np.float32)
        a.fill(1)
        for operation in (lambda: a + 1, lambda: a > 2, lambda: a * a, lambda: abs(a), lambda: a.astype(np.int8)):
            refuses(operation)
        """,
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_forms_that_change_during_an_operation(run_python, what):
    result = run_python(PREAMBLE + "\n".join(line[8:] for line in PROGRAMS[what].splitlines()), **SCRIBBLE)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("operation", [
    lambda a: a + 1, lambda a: a + a.T[0], lambda a: -a, lambda a: a > 2, lambda a: np.hypot(a, a), lambda a: gpuarray.where(a, a, 1), lambda a: a.sum(axis=0),
    lambda a: a.copy(), lambda a: gpuarray.sort(a), lambda a: gpuarray.cumsum(a, axis=0), lambda a: a @ a, lambda a: gpuarray.concatenate([a, a]),
    lambda a: gpuarray.take(a, a.astype(np.int32)),
])
def test_an_allocator_that_frees_an_operand(operation):
    """Memory must not be read after it has been freed."""
    def allocate(nbytes):
        if hasattr(a, "gpudata"):
            a.gpudata.free()
            del a.gpudata
        return drv.mem_alloc(nbytes)

    a = gpuarray.zeros((4, 4), np.float32)
    a.allocator = allocate
    with pytest.raises((AttributeError, drv.LogicError)):
        operation(a)


def test_a_second_init_without_memory():
    def allocate(nbytes):
        raise RuntimeError("none left")

    a = gpuarray.zeros(2, np.float32)
    with pytest.raises(RuntimeError):
        a.__init__(1 << 20, np.float32, allocator=allocate)
    with pytest.raises(AttributeError):
        a.fill(1)
    del a.allocator
    gc.collect()


@pytest.mark.parametrize("dtype", [object, [("a", np.int32), ("b", object)]], ids=str)
def test_references_stay_on_the_host(dtype):
    for make in (lambda: GPUArray(3, dtype), lambda: gpuarray.to_gpu(np.zeros(3, dtype)), lambda: gpuarray.zeros(3, np.int64).view(dtype)):
        with pytest.raises(TypeError, match="hold Python objects"):
            make()
    a = gpuarray.zeros(3, np.int64)
    with pytest.raises(TypeError, match="hold Python objects"):
        a.dtype = np.dtype(dtype)
    assert a.dtype == np.int64


def test_long_chains_of_bases():
    """Any number of them: they are released one after the other, without recursion."""
    a = gpuarray.zeros(3, np.float32)
    for _ in range(400_000):
        view = GPUArray(3, np.float32, gpudata=a.ptr)
        view.base = a
        a = view
    del a, view
    gc.collect()


def test_alternating_dtypes(resident_bytes):
    """While the first array is alive, whose shape and order the others share."""
    first = a = gpuarray.zeros(3, np.float32)

    def rounds(count):
        nonlocal a
        for number in range(count):
            a = abs(a + 1j)
            if number % 100 == 0:
                drv.Context.synchronize()  # queued work uses memory too

    rounds(1000)
    before = resident_bytes()
    rounds(20_000)
    assert resident_bytes() - before < 4 << 20
    assert first.get().tolist() == [0, 0, 0]


def test_memory_whose_address_is_itself():
    """Computing its address would never end."""
    class Memory:
        @property
        def gpudata(self):
            return self

    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return self

    own = gpuarray.zeros(3, np.float32)
    own.gpudata = own
    one, other = gpuarray.zeros(3, np.float32), gpuarray.zeros(3, np.float32)
    one.gpudata, other.gpudata = other, one
    for array in (own, one, GPUArray(3, np.float32, gpudata=Memory()), GPUArray(3, np.float32, gpudata=Holder())):
        for operation in (lambda: array + 1, array.get, lambda: array.fill(0), lambda: drv.memset_d8(array, 0, 4)):
            with pytest.raises(RecursionError):
                operation()
    own.gpudata = one.gpudata = None
    a = gpuarray.zeros(3, np.float32)
    a.base = a
    assert (a + 1).get().tolist() == [1, 1, 1]
    a.base = None
