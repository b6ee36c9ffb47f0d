"""Keep a large job from delaying a small one: each gets its own streaming multiprocessors (SMs), in a green context.
Prints how the SMs are divided, and the time of the small job beside the large one, on shared SMs and on its own."""

import numpy as np
import pycuda.autoprimaryctx
import pycuda.driver as drv
from pycuda.compiler import SourceModule

spin = SourceModule("""
__global__ void spin(unsigned *x, int turns)
{
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u;
  x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
""").get_function("spin")

BLOCKS, TURNS, SMALL = 2000, 2000, 4
all_sms = drv.SMResource(pycuda.autoprimaryctx.device)
groups = all_sms.split(max(1, all_sms.sm_count // 4), groups=1)
print(f"{all_sms.sm_count} SMs: {' and '.join(str(group.sm_count) for group in groups)}")
large, small = drv.mem_alloc(4 * 128 * BLOCKS), drv.mem_alloc(4 * 128 * SMALL)


def latency(for_large: drv.Stream, for_small: drv.Stream) -> float:
    """Milliseconds of the small job, which arrives while the large one runs."""
    start, end = drv.Event(), drv.Event()
    spin(large, np.int32(TURNS), block=(128, 1, 1), grid=(BLOCKS, 1), stream=for_large)
    start.record(for_small)
    spin(small, np.int32(TURNS), block=(128, 1, 1), grid=(SMALL, 1), stream=for_small)
    end.record(for_small)
    drv.Context.synchronize()
    return end.time_since(start)


shared = latency(drv.Stream(), drv.Stream())
green = [drv.GreenContext(group) for group in groups]
own = latency(green[-1].create_stream(), green[0].create_stream())
print(f"the small job takes {shared:.2f} ms on shared SMs, {own:.2f} ms on its own")
first = drv.from_device(small, 128 * SMALL, np.uint32)
print(f"same results: {bool((first == drv.from_device(large, 128 * SMALL, np.uint32)).all())}")
