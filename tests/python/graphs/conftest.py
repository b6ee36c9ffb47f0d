"""Kernels for graphs, a stream that can be captured, and waiting until objects that graphs keep are released."""

import gc
import time

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void add(int* a, int k) { a[blockIdx.x * blockDim.x + threadIdx.x] += k; }
__global__ void twice(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void count_down(int* flag) { --*flag; }
__global__ void wait_for(volatile int* go, int* a) { while (*go == 0) ; *a += 1; }
"""


def gone(condition):
    """True once `condition` is true; objects that graphs keep are released on another thread."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.005)
    return condition()


@pytest.fixture
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def kernels(module):
    return {name: module.get_function(name) for name in ("add", "twice", "count_down", "wait_for")}


@pytest.fixture(params=["blocking", "non-blocking"])
def stream(context, request):
    return drv.Stream(drv.stream_flags.NON_BLOCKING if request.param == "non-blocking" else 0)


@pytest.fixture
def ints(context):
    """32 zeros."""
    return gpuarray.zeros(32, np.int32)
