"""Arrays on unordered streams: a freed array's memory is reused only after the work on it is done."""

import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

N = 1 << 18


def set_to_three():
    return ElementwiseKernel("float *a", "a[i] = 3", "set_to_three")


def counting():
    return ReductionKernel(np.float32, "0", "a+b", "(a[i] = 3, 1.0f)", "float *a", name="counting")


def pinned_threes():
    host = drv.pagelocked_empty(N, np.float32)
    host[:] = 3
    return host


#: Operations that write to an array's memory on a stream.
WRITERS = {
    "fill": lambda a, stream: a.fill(3, stream=stream),
    "fill a view": lambda a, stream: a[1::2].fill(3, stream=stream),
    "fill a view of a view": lambda a, stream: a[1:][5:].fill(3, stream=stream),
    "copy from the host": lambda a, stream: a.set_async(pinned_threes(), stream),
    "an operation": lambda a, stream: gpuarray.minimum(a, 3, out=a, stream=stream),
    "running sums": lambda a, stream: gpuarray.cumsum(a, out=a, stream=stream),
    "take": lambda a, stream: gpuarray.take(a, gpuarray.arange(N, dtype=np.int32, stream=stream), out=a, stream=stream),
    "a kernel": lambda a, stream: set_to_three()(a, stream=stream),
    "a kernel on a view": lambda a, stream: set_to_three()(a[5:], stream=stream),
    "a reduction": lambda a, stream: counting()(a, stream=stream),
    "a scan": lambda a, stream: InclusiveScanKernel(np.float32, "a+b")(a[7:], stream=stream),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_memory_of_a_collected_array(writer):
    write, stream = WRITERS[writer], drv.Stream(drv.stream_flags.NON_BLOCKING)
    gpuarray.to_gpu(np.zeros(N, np.float32)).fill(1)
    a = gpuarray.zeros(N, np.float32)
    write(a, stream)  # compiles it
    stream.synchronize()
    drv.Context.synchronize()
    opened = threading.Event()
    threading.Timer(0.2, opened.set).start()  # started first: objects that are collected now may wait for the stream
    stream.add_callback(opened.wait)
    write(a, stream)
    del a
    others = [gpuarray.to_gpu(np.full(N, 7, np.float32)) for _ in range(3)]
    stream.synchronize()
    for other in others:
        assert (other.get() == 7).all()


@pytest.mark.parametrize("writer", ["fill", "fill a view", "copy from the host", "a kernel", "a kernel on a view"])
def test_memory_that_others_use_until_now(writer):
    """The default stream is still using the memory; a later write on another stream must win."""
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    slow = ElementwiseKernel("float *a", "for (int k = 0; k < 4000; ++k) a[i] = a[i] * 0.5f + 1", "slow")
    WRITERS[writer](gpuarray.empty(N, np.float32), stream)
    slow(gpuarray.zeros(N, np.float32))
    drv.Context.synchronize()
    a = gpuarray.zeros(N, np.float32)
    slow(a)
    del a
    others = [gpuarray.empty(N, np.float32) for _ in range(4)]
    for other in others:
        WRITERS[writer](other, stream)
    drv.Context.synchronize()
    for other in others:  # views have every second element, or those from the fifth on
        assert (other.get()[5::2] == 3).all()
