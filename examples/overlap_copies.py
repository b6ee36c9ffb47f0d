"""Overlap copies with computation: while one piece of the data is computed, another stream copies the next one to the
device and the previous one back. Prints the time with one stream and with several, and the largest error."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

PIECES, PIECE, STREAMS = 8, 1 << 16, 3

root = SourceModule("""
__global__ void root(float *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float guess = x[i];
  for (int step = 0; step < 20; ++step) guess = 0.5f * (guess + x[i] / guess);  // Newton's square root
  x[i] = guess;
}
""").get_function("root")

# Only page-locked memory is copied asynchronously.
source = drv.pagelocked_empty((PIECES, PIECE), np.float32)
result = drv.pagelocked_empty((PIECES, PIECE), np.float32)
source[:] = np.random.default_rng(2026).uniform(1, 100, source.shape)


def run(count: int) -> float:
    """Process all pieces, on `count` streams in turn; return the milliseconds."""
    streams = [drv.Stream() for _ in range(count)]
    memory = [drv.mem_alloc(source[0].nbytes) for _ in streams]
    start, end = drv.Event(), drv.Event()
    start.record()
    for i in range(PIECES):
        stream, piece = streams[i % count], memory[i % count]
        drv.memcpy_htod_async(piece, source[i], stream)
        root(piece, np.int32(PIECE), block=(256, 1, 1), grid=(PIECE // 256, 1), stream=stream)
        drv.memcpy_dtoh_async(result[i], piece, stream)
    end.record()  # on the default stream, which waits for the others
    end.synchronize()
    return end.time_since(start)


run(1)  # the first launch loads the kernel
for count in (1, STREAMS):
    result.fill(0)
    print(f"{count} stream{'s' * (count > 1)}: {run(count):.2f} ms")
if drv.driver_info().is_cpu_device:
    print("on the CPU device, copies and kernels share the processor's cores: several streams gain little")
print(f"largest error: {abs(result - np.sqrt(source)).max():.1e}")
