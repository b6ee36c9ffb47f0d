"""The launch of launch_bench.py by other Python packages, where they are installed.
The argument is the library of plain C, next to which they are timed in the same way."""

import sys

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401  the context that the others use
import pycuda.driver as drv
from launch_bench import compare, heading, plain_driver

ADD = r"""extern "C" __global__ void add(float *dest, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dest[i] = a[i] + b[i];
}"""


def cupy_launch(image, memory):
    import cupy

    kernel = cupy.RawKernel(ADD, "add")
    arrays = [cupy.zeros(32, cupy.float32) for _ in memory]
    return "kernel(grid, block, (dest, a, b, n))", dict(zip(("dest", "a", "b"), arrays), kernel=kernel, n=np.int32(32), grid=(1,), block=(32,))


def cuda_bindings_launch(image, memory):
    import ctypes

    from cuda.bindings import driver

    result, module = driver.cuModuleLoadData(image)
    assert result == 0, result
    result, kernel = driver.cuModuleGetFunction(module, b"add")
    assert result == 0, result
    arguments = ((*memory, 32), (ctypes.c_void_p,) * 3 + (ctypes.c_int,))
    return "launch(kernel, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0)", {"launch": driver.cuLaunchKernel, "kernel": kernel, "arguments": arguments}


def cuda_core_launch(image, memory):
    from cuda.core import Device, LaunchConfig, ObjectCode, launch

    device = Device()
    device.set_current()
    known = {"launch": launch, "stream": device.default_stream, "config": LaunchConfig(grid=1, block=32), "n": np.int32(32),
             "kernel": ObjectCode.from_ptx(image).get_kernel("add"), **dict(zip(("dest", "a", "b"), memory))}
    return "launch(stream, config, kernel, dest, a, b, n)", known


def main():
    plain = plain_driver(sys.argv[1])
    image = plain.fast_kernel()
    allocations = [drv.mem_alloc(128) for _ in range(3)]
    heading("others")
    for name, prepare in {"CuPy RawKernel": cupy_launch, "cuda.bindings cuLaunchKernel": cuda_bindings_launch,
                          "cuda.core launch": cuda_core_launch}.items():
        try:
            statement, known = prepare(image, [int(allocation) for allocation in allocations])
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        compare(name, plain.plain_launch, statement, known)


if __name__ == "__main__":
    main()
