"""A program with type annotations, for type checkers in strict mode. test_typing checks and runs it."""

from __future__ import annotations

from typing import assert_type

import numpy as np
import pycuda.autoinit
import pycuda.cumath as cumath
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from numpy.typing import NDArray
from pycuda.compiler import SourceModule
from pycuda.curandom import XORWOWRandomNumberGenerator, rand
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool, dtype_to_ctype


class Matrix(GPUArray):
    """Client packages derive from arrays; results have their class."""

    def sum_of_diagonal(self) -> float:
        return sum(float(self[i, i].get()) for i in range(self.shape[0]))


class Pointer(drv.PointerHolderBase):
    def __init__(self, memory: drv.DeviceAllocation) -> None:
        super().__init__()
        self.memory = memory

    def get_pointer(self) -> int:
        return int(self.memory)


def launch(module: SourceModule, host: NDArray[np.float32]) -> NDArray[np.float32]:
    function = module.get_function("scale")
    assert_type(function, drv.Function)
    memory = drv.to_device(host)
    n = np.int32(host.size)
    with drv.Stream() as stream:
        function(memory, np.float32(2), n, block=(32, 1, 1), grid=(1, 1), stream=stream)
        function.prepare("Pfi").prepared_async_call((1, 1), (32, 1, 1), stream, memory, 3.0, host.size)
    function(Pointer(memory), np.float32(1), n, block=(32, 1, 1))
    seconds = function(memory, np.float32(1), n, block=(32, 1, 1), time_kernel=True)
    assert seconds is None or seconds >= 0
    function(drv.InOut(host), np.float32(6), n, block=(32, 1, 1))
    assert (drv.from_device(memory, host.shape, np.float32) == host).all()
    return host


def memory() -> None:
    pool, pinned = DeviceMemoryPool(), PageLockedMemoryPool()
    block = pool.allocate(1000)
    assert_type(block, drv.PooledDeviceAllocation)
    drv.memset_d8(block, 7, 1000)
    host = pinned.allocate((10, 100), np.uint8)
    drv.memcpy_dtoh(host, block)
    assert int(host[3, 3]) == 7
    try:
        drv.mem_alloc(1 << 60)
    except drv.MemoryError as error:
        assert_type(error.code, int)
    free, total = drv.mem_get_info()
    assert 0 < free <= total
    managed = drv.managed_zeros(10, np.float32)
    kind, _ = managed.__dlpack_device__()
    assert kind == 1


def arrays() -> None:
    a, b = gpuarray.arange(10, dtype=np.float32), gpuarray.to_gpu(np.ones(10, np.float32))
    assert_type(a + b, GPUArray)
    assert_type(2 * a, GPUArray)
    assert_type(a[2:5], GPUArray)
    a[2:5] = 0
    total = cumath.sqrt(a * a).sum()
    assert_type(total, GPUArray)
    assert float(total.get()) > 0
    assert_type(a.sum(0, dtype=np.float64), GPUArray)
    assert_type(a.prod((0,), np.float64, keepdims=True), GPUArray)
    assert_type(a.mean(0), GPUArray)
    saxpy = ElementwiseKernel("float a, const float *x, float *y", "y[i] = a * x[i] + y[i]", "saxpy")
    saxpy(2.0, a, b)
    longest = ReductionKernel(np.float32, neutral="0", reduce_expr="fmaxf(a, b)", map_expr="x[i]", arguments="const float *x")
    assert_type(longest(b), GPUArray)
    InclusiveScanKernel(np.float32, "a + b")(b)
    assert rand((3, 4)).shape == XORWOWRandomNumberGenerator().gen_uniform((3, 4), np.float32).shape
    shared = gpuarray.from_dlpack(b, copy=False)
    assert shared.ptr == b.ptr
    matrix = Matrix((2, 2), np.float32)
    matrix.fill(3)
    assert_type(matrix * 2, Matrix)
    assert matrix.sum_of_diagonal() == 6.0


def main() -> None:
    source = "__global__ void scale(float *x, float a, int n) { if (threadIdx.x < n) x[threadIdx.x] *= a; }"
    assert launch(SourceModule(source), np.ones(8, np.float32)).sum() == 48
    memory()
    arrays()
    assert dtype_to_ctype(np.float32) == "float"
    device = drv.Context.get_device()
    assert_type(device.max_threads_per_block, int)
    print(device.name(), device.compute_capability(), pycuda.autoinit.device.get_attribute(drv.device_attribute.WARP_SIZE))


if __name__ == "__main__":
    main()
