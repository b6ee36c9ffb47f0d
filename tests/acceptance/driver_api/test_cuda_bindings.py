"""cuda.bindings: the driver API as it is, with PTX that NVRTC made."""

import ctypes

import numpy as np
import pytest
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def check(result):
    code, *values = result
    assert code == type(code)(0), code
    return values[0] if len(values) == 1 else values


def compiled(source, *options):
    program = check(nvrtc.nvrtcCreateProgram(source, b"axpy.cu", 0, [], []))
    check(nvrtc.nvrtcCompileProgram(program, len(options), list(options)))
    ptx = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


@pytest.fixture
def context():
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    made = check(driver.cuCtxCreate(None, 0, device))
    yield made
    check(driver.cuCtxDestroy(made))


@pytest.fixture
def module(context):
    return check(driver.cuModuleLoadData(np.char.array(compiled(SOURCE, b"--gpu-architecture=compute_80"))))


def launch(kernel, blocks, threads, values, types):
    check(driver.cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, 0, (values, types), 0))


def test_a_kernel_computes(module):
    axpy = check(driver.cuModuleGetFunction(module, b"axpy"))
    n = 1000
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    on_device = [check(driver.cuMemAlloc(array.nbytes)) for array in (x, y)]
    for pointer, array in zip(on_device, (x, y)):
        check(driver.cuMemcpyHtoD(pointer, array, array.nbytes))
    launch(axpy, 4, 256, (2.0, on_device[0], on_device[1], n), (ctypes.c_float, None, None, ctypes.c_int))
    check(driver.cuMemcpyDtoH(y, on_device[1], y.nbytes))
    np.testing.assert_array_equal(y, 2 * x + 1)
    for pointer in on_device:
        check(driver.cuMemFree(pointer))


def test_streams_and_events_order_work(module):
    axpy = check(driver.cuModuleGetFunction(module, b"axpy"))
    first, second = (check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)) for _ in range(2))
    event = check(driver.cuEventCreate(0))
    x, y = check(driver.cuMemAlloc(4)), check(driver.cuMemAlloc(4))
    host = np.zeros(1, np.float32)
    check(driver.cuMemcpyHtoDAsync(x, np.array([3], np.float32), 4, first))
    check(driver.cuMemsetD32Async(y, 0, 1, first))
    check(driver.cuEventRecord(event, first))
    check(driver.cuStreamWaitEvent(second, event, 0))
    check(driver.cuLaunchKernel(axpy, 1, 1, 1, 32, 1, 1, 0, second,
                                ((2.0, x, y, 1), (ctypes.c_float, None, None, ctypes.c_int)), 0))
    check(driver.cuMemcpyDtoHAsync(host, y, 4, second))
    check(driver.cuStreamSynchronize(second))
    assert host[0] == 6


def test_occupancy_of_a_kernel_of_a_library(context):
    ptx = np.char.array(compiled(SOURCE, b"--gpu-architecture=compute_80"))
    library = check(driver.cuLibraryLoadData(ptx, None, None, 0, None, None, 0))
    kernel = check(driver.cuLibraryGetKernel(library, b"axpy"))
    blocks = check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(driver.CUfunction(int(kernel)), 256, 0))
    assert blocks > 0
    check(driver.cuLibraryUnload(library))
