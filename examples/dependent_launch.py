"""Programmatic dependent launch: the second kernel of each pair starts before the first has ended, computes its
table, and only then waits for the first one's results. Prints the time of a chain of pairs without and with the
launch attribute, and the largest error. On a GPU the chain takes about half as long with the attribute."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

N, PAIRS = 1 << 13, 20

kernels = SourceModule("""
extern "C" {
__device__ float root_of(float x)  // by Newton's method, with far more steps than it needs: a kernel that takes 15 us
{
  float guess = 1;
  for (int step = 0; step < 500; ++step) guess = 0.5f * (guess + x / guess);
  return guess;
}

__global__ void root(const float *x, float *y)
{
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");  // the next kernel in the stream may start
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = root_of(x[i] + 1);
}

__global__ void add_root(const float *y, float *x)
{
  float table = root_of(threadIdx.x + 1);  // needs nothing of the previous kernel, and runs beside it
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = y[i] + table;
}
}
""", no_extern_c=True, options=["-arch=sm_90"])
root, add_root = kernels.get_function("root"), kernels.get_function("add_root")
x, y, stream = drv.mem_alloc(4 * N), drv.mem_alloc(4 * N), drv.Stream()


def run(attributes: dict[str, bool]) -> float:
    """Run the chain of pairs; return the milliseconds."""
    drv.memset_d32_async(x, 0, N, stream)
    start, end = drv.Event().record(stream), drv.Event()
    for _ in range(PAIRS):
        root(x, y, block=(256, 1, 1), grid=(N // 256, 1), stream=stream, attributes=attributes)
        add_root(y, x, block=(256, 1, 1), grid=(N // 256, 1), stream=stream, attributes=attributes)
    end.record(stream).synchronize()
    return end.time_since(start)


run({})  # the first launch loads the kernels
expected = (0.5 + np.sqrt(1.25 + np.sqrt(np.arange(N) % 256 + 1)))**2 - 1  # x = sqrt(x + 1) + sqrt(i % 256 + 1)
for attributes in ({}, {"programmatic_stream_serialization": True}):
    time = run(attributes)
    error = abs(drv.from_device(x, N, np.float32) - expected).max()
    print(f"{'dependent launches' if attributes else 'one after the other'}: {time:.2f} ms, largest error: {error:.1e}")
