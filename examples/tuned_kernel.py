"""Generate CUDA code at run time: a template is filled in for an element type, a block size and a number of elements
per thread. Each variant is compiled, checked and timed, and the fastest wins."""

from string import Template

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import dtype_to_ctype

N, DTYPE = 1 << 18, np.float32

TEMPLATE = Template("""
__global__ void add($type *sum, const $type *a, const $type *b)
{
  int i = blockIdx.x * $threads * $elements + threadIdx.x;
$statements
}
""")


def add_kernel(threads: int, elements: int) -> drv.Function:
    lines = [f"  sum[i + {k * threads}] = a[i + {k * threads}] + b[i + {k * threads}];" for k in range(elements)]
    source = TEMPLATE.substitute(type=dtype_to_ctype(DTYPE), threads=threads, elements=elements, statements="\n".join(lines))
    return SourceModule(source).get_function("add")


a, b = (gpuarray.to_gpu(np.random.default_rng(seed).uniform(size=N).astype(DTYPE)) for seed in (1, 2))
total = gpuarray.empty_like(a)
expected = a.get() + b.get()


def milliseconds(kernel: drv.Function, threads: int, elements: int) -> float:
    grid = (N // (threads * elements), 1)
    start, end = drv.Event(), drv.Event()
    kernel(total, a, b, block=(threads, 1, 1), grid=grid)
    start.record()
    for _ in range(10):
        kernel(total, a, b, block=(threads, 1, 1), grid=grid)
    end.record()
    end.synchronize()
    assert (total.get() == expected).all()
    return end.time_since(start) / 10


times = dict[tuple[int, int], float]()
for threads in (64, 256):
    for elements in (1, 2, 4):
        times[threads, elements] = milliseconds(add_kernel(threads, elements), threads, elements)
        print(f"{threads:4} threads per block, {elements} elements per thread: {times[threads, elements]:.3f} ms")
threads, elements = min(times, key=times.__getitem__)
print(f"fastest: {threads} threads per block, {elements} elements per thread")
