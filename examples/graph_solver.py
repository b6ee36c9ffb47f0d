"""Solve Poisson's equation on a square by conjugate gradients, in a loop that runs entirely on the device: a graph
whose condition is an integer in device memory. For comparison, the same steps are also launched one by one, and the
host reads that integer after each. Prints the number of steps of both; with the argument "time", also how much faster
the graph is."""

import math
import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

SIZE = 100
N = SIZE * SIZE
TOLERANCE = 1e-8

module = SourceModule("""
__global__ void laplace(const double *p, double *q, int size)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % size, y = i / size;
  if (y >= size) return;
  double sum = 4 * p[i];
  if (x > 0) sum -= p[i - 1];
  if (x < size - 1) sum -= p[i + 1];
  if (y > 0) sum -= p[i - size];
  if (y < size - 1) sum -= p[i + size];
  q[i] = sum;
}
__global__ void decide(const double *squared, double limit, int *go_on, int *steps)
{
  *go_on = *squared > limit;
  ++*steps;
}
""")
laplace, decide = module.get_function("laplace"), module.get_function("decide")

stream = drv.Stream()
b = gpuarray.to_gpu(np.ones(N))
limit = TOLERANCE**2 * float(gpuarray.dot(b, b).get())
x, residual, direction, image = (gpuarray.empty_like(b) for _ in range(4))
squared = gpuarray.empty((), np.float64)
go_on, steps = gpuarray.empty((), np.int32), gpuarray.empty((), np.int32)


def begin() -> None:
    x.fill(0)
    residual[...] = b
    direction[...] = b
    squared[...] = gpuarray.dot(b, b)
    go_on.fill(1)
    steps.fill(0)


def step() -> None:
    """Queue one step on the stream in use."""
    laplace(direction, image, np.int32(SIZE), block=(128, 1, 1), grid=((N + 127) // 128, 1), stream=stream)
    alpha = squared / gpuarray.dot(direction, image)
    x.__iadd__(alpha * direction)
    residual.__isub__(alpha * image)
    now = gpuarray.dot(residual, residual)
    direction[...] = residual + (now / squared) * direction
    squared[...] = now
    decide(now, np.float64(limit), go_on, steps, block=(1, 1, 1), stream=stream)


def launched() -> float:
    with stream:
        begin()
        start = time.perf_counter()
        while go_on.get():
            step()
        return time.perf_counter() - start


with stream:  # compile and load the kernels before the capture
    begin()
    step()
graph = drv.Graph()
with graph.while_loop(go_on) as body, stream.capture(to=body):
    step()
solver = graph.instantiate(upload=stream)


def on_the_device() -> float:
    with stream:
        begin()
        stream.synchronize()
        start = time.perf_counter()
        solver.launch(stream)
        stream.synchronize()
        return time.perf_counter() - start


def relative_residual() -> float:
    laplace(x, image, np.int32(SIZE), block=(128, 1, 1), grid=((N + 127) // 128, 1))
    wrong = b - image
    return math.sqrt((gpuarray.dot(wrong, wrong) / gpuarray.dot(b, b)).get())


if sys.argv[1:] == ["time"]:
    times = [min(solve() for _ in range(5)) for solve in (launched, on_the_device)]
    print(f"launched {times[0] * 1e3:.1f} ms, as a graph {times[1] * 1e3:.1f} ms: {times[0] / times[1]:.1f} times as fast")

for name, solve in (("launched", launched), ("as a graph", on_the_device)):
    solve()
    print(f"{name}: {int(steps.get())} steps, relative residual {relative_residual():.1e}")
