"""A graph on the device launches itself until a value is small enough, and then launches another graph; the host
launches only once. Prints the number of turns; on the CPU device, that kernels cannot launch graphs there."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import DynamicSourceModule

SOURCE = """
extern "C" {
__global__ void halve(float *x) { x[threadIdx.x] *= 0.5f; }
__global__ void negate(float *x) { x[threadIdx.x] = -x[threadIdx.x]; }

// The graph that this kernel launches runs after the graph that contains the kernel has ended.
__global__ void decide(const float *x, float limit, int *turns, cudaGraphExec_t after)
{
  ++*turns;
  cudaGraphLaunch(x[0] > limit ? cudaGetCurrentGraphExec() : after, cudaStreamGraphTailLaunch);
}
}
"""
N = 32


def run() -> None:
    module = DynamicSourceModule(SOURCE, no_extern_c=True)
    halve, negate, decide = (module.get_function(name) for name in ("halve", "negate", "decide"))
    x, turns = drv.to_device(np.full(N, 1024, np.float32)), drv.to_device(np.zeros(1, np.int32))
    stream = drv.Stream()

    last = drv.Graph()
    last.kernel(negate, (x,), block=(N, 1, 1))
    after = last.instantiate(stream, device_launch=True)  # uploaded to the device, so that a kernel can launch it

    loop = drv.Graph()
    step = loop.kernel(halve, (x,), block=(N, 1, 1))
    step.kernel(decide, (x, np.float32(1), turns, np.uintp(after.handle)), block=(1, 1, 1))
    again = loop.instantiate(stream, device_launch=True)
    again.launch(stream)
    stream.synchronize()
    print(f"a graph launched itself: {drv.from_device(turns, 1, np.int32)[0]} turns, {drv.from_device(x, N, np.float32)[0]:g}")


try:
    run()
except drv.Error as error:
    if not drv.driver_info().is_cpu_device:
        raise
    print(f"no graph launched itself: {error}")
