"""Arrays in contexts that come, go, and belong to others."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray


def test_a_context_that_another_library_made_current(run_python):
    """Nobody here holds its object: it must not end between one call and the next."""
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


def test_arrays_of_a_context_that_is_gone():
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
