"""Programmatic dependent launch: the second kernel of each pair starts before the first has ended, prepares its
table, and only then waits for the first one's results. Prints the time of a chain of pairs with and without the
launch attribute, and the largest error."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

N, STEPS = 1 << 14, 200

kernels = SourceModule("""
extern "C" {
__global__ void half(const float *x, float *y)
{
  // Lets the next kernel in the stream start. It waits before it reads results of this one.
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 0.5f * x[i];
}

__global__ void add_root(const float *y, float *x)
{
  __shared__ float table[256];
  float guess = 1;
  for (int step = 0; step < 30; ++step) guess = 0.5f * (guess + (threadIdx.x + 1) / guess);  // independent of the previous kernel
  table[threadIdx.x] = guess;
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = y[i] + table[i % 256];
}
}
""", no_extern_c=True, options=["-arch=sm_90"])
half, add_root = kernels.get_function("half"), kernels.get_function("add_root")
x, y, stream = drv.mem_alloc(4 * N), drv.mem_alloc(4 * N), drv.Stream()


def run(attributes: dict[str, bool]) -> float:
    """Run the chain of pairs; return the milliseconds."""
    drv.memset_d32_async(x, 0, N, stream)
    start, end = drv.Event().record(stream), drv.Event()
    for _ in range(STEPS):
        half(x, y, block=(256, 1, 1), grid=(N // 256, 1), stream=stream, attributes=attributes)
        add_root(y, x, block=(256, 1, 1), grid=(N // 256, 1), stream=stream, attributes=attributes)
    end.record(stream).synchronize()
    return end.time_since(start)


run({})  # the first launch loads the kernels
expected = 2 * np.sqrt(np.arange(N) % 256 + 1)
for attributes in ({}, {"programmatic_stream_serialization": True}):
    time = run(attributes)
    error = abs(drv.from_device(x, N, np.float32) - expected).max()
    print(f"{'dependent launches' if attributes else 'one after the other'}: {time:.2f} ms, largest error: {error:.1e}")
