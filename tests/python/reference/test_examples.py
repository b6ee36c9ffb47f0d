"""The examples in docstrings run."""

import doctest
import inspect
import sys

import numpy as np
import pycuda.compiler
import pycuda.driver as drv
import pytest
from public_names import public_names
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import clear_context_caches

EXAMPLES = {name: value for name, value in public_names() if ">>> " in (inspect.getdoc(value) or "")}
#: What they need: the driver's name on Linux, and memory that the CPU device lacks under wine.
OF_LINUX, OF_VIRTUAL_MEMORY = {"cpu.environment"}, {"driver.PhysicalMemory", "driver.VirtualMemory"}


def test_the_most_used_names_have_an_example():
    assert len(EXAMPLES) > 200
    for name in ("driver.mem_alloc", "driver.memcpy_htod", "driver.memcpy_dtoh", "driver.to_device", "driver.Function", "driver.Stream", "driver.Event",
                 "driver.In", "driver.Out", "driver.InOut", "compiler.SourceModule", "gpuarray.to_gpu", "gpuarray.zeros", "gpuarray.GPUArray",
                 "gpuarray.GPUArray.get", "gpuarray.sum", "cumath.sin", "elementwise.ElementwiseKernel", "reduction.ReductionKernel",
                 "scan.InclusiveScanKernel", "curandom.rand", "tools.DeviceData"):
        assert name in EXAMPLES, name


@pytest.fixture
def names_of_examples(context):
    """The names that examples assume: import numpy as np, pycuda.autoinit, pycuda.driver as drv, and those below."""

    class autoinit:
        pass

    autoinit.context, autoinit.device = context, context.get_device()
    pycuda.autoinit = autoinit
    yield {"np": np, "drv": drv, "gpuarray": gpuarray, "cumath": cumath, "SourceModule": SourceModule, "pycuda": pycuda}
    del pycuda.autoinit
    clear_context_caches()


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_runs(name, names_of_examples):
    if name in OF_LINUX and sys.platform == "win32":
        pytest.skip("it opens libcuda.so.1")
    if name in OF_VIRTUAL_MEMORY and not drv.Device(0).get_attribute(drv.device_attribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED):
        pytest.skip("the device has no virtual memory")
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(EXAMPLES[name]), names_of_examples, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(test, out=report.append)
    test.globs.clear()
    assert runner.failures == 0, "".join(report)
