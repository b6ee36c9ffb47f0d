"""Conjugate gradients for 10^4 unknowns (examples/graph_solver.py): milliseconds of a solve whose steps are launched, with a read of the flag after
each, beside those of the same steps as a loop of a graph. Both alternate; medians. PYCUDA_LAUNCH=plain launches the steps by cuLaunchKernel."""

import contextlib
import io
import os
import runpy
import statistics
import time
from pathlib import Path

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

ROUNDS, WARM_UP = 15, 3

# The same steps in three kernels. Sums to which a kernel adds are cleared by an earlier one that does not read them.
FUSED = """
__device__ void add_up(double value, double *sum)
{
  __shared__ double warps[32];
  for (int d = 16; d; d /= 2) value += __shfl_down_sync(~0u, value, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
  for (int d = 16; d; d /= 2) value += __shfl_down_sync(~0u, value, d);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}
struct Sums { double before, now, curvature; };
__global__ void multiply(const double *p, double *q, Sums *s, int size)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % size, y = i / size;
  double sum = 0, own = 0;
  if (y < size) {
    own = p[i];
    sum = 4 * own;
    if (x > 0) sum -= p[i - 1];
    if (x < size - 1) sum -= p[i + 1];
    if (y > 0) sum -= p[i - size];
    if (y < size - 1) sum -= p[i + size];
    q[i] = sum;
  }
  if (i == 0) { s->before = s->now; s->now = 0; }
  add_up(sum * own, &s->curvature);
}
__global__ void advance(const double *p, const double *q, double *x, double *r, Sums *s, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double alpha = s->before / s->curvature, left = 0;
  if (i < n) {
    x[i] += alpha * p[i];
    left = r[i] -= alpha * q[i];
  }
  add_up(left * left, &s->now);
}
__global__ void turn(double *p, const double *r, Sums *s, double limit, int *go_on, int *steps, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = r[i] + s->now / s->before * p[i];
  if (i == 0) { s->curvature = 0; *go_on = s->now > limit; ++*steps; }
}
"""


class Solver:
    """The steps that `step` queues on `stream`, launched and as a graph. `example` holds the names of graph_solver.py."""

    def __init__(self, example, step, begin):
        self.stream, self.go_on, self.steps, self.step, self.begin = example["stream"], example["go_on"], example["steps"], step, begin
        with self.stream:
            begin()
            step()
            graph = drv.Graph()
            with graph.while_loop(self.go_on) as body, self.stream.capture(to=body):
                step()
            self.graph = graph.instantiate(upload=self.stream)

    def seconds(self, solve):
        with self.stream:
            self.begin()
            self.stream.synchronize()
            start = time.perf_counter()
            solve()
            self.stream.synchronize()
            return time.perf_counter() - start

    def launched(self):
        while self.go_on.get():
            self.step()

    def compare(self, name):
        times = []
        for _ in range(WARM_UP + ROUNDS):
            launched = self.seconds(self.launched), int(self.steps.get())
            in_graph = self.seconds(lambda: self.graph.launch(self.stream)), int(self.steps.get())
            assert launched[1] == in_graph[1] and 150 < launched[1] < 250, (launched, in_graph)
            times.append((launched[0], in_graph[0]))
        launched, in_graph = (1e3 * statistics.median(column) for column in zip(*times[WARM_UP:]))
        print(f"{name:42} {launched:9.3f} {in_graph:9.3f} {launched / in_graph:8.3f}", flush=True)


def two_branches(example):
    """The example's step with `x` updated beside the rest, on its own stream."""
    from pycuda.elementwise import ElementwiseKernel

    along = ElementwiseKernel("double *x, const double *alpha, const double *p", "x[i] += *alpha * p[i]", "along")
    stream, beside, fork, join = example["stream"], drv.Stream(), drv.Event(), drv.Event()
    x, residual, direction, image, squared = (example[name] for name in ("x", "residual", "direction", "image", "squared"))
    grid = ((example["N"] + 127) // 128, 1)

    def step():
        example["laplace"](direction, image, np.int32(example["SIZE"]), block=(128, 1, 1), grid=grid, stream=stream)
        alpha = squared / gpuarray.dot(direction, image)
        fork.record(stream)
        beside.wait_for_event(fork)
        along(x, alpha, direction, stream=beside)
        join.record(beside)
        residual.__isub__(alpha * image)
        now = gpuarray.dot(residual, residual)
        following = residual + (now / squared) * direction
        squared[...] = now
        example["decide"](now, np.float64(example["limit"]), example["go_on"], example["steps"], block=(1, 1, 1), stream=stream)
        stream.wait_for_event(join)  # it reads `direction`
        direction[...] = following

    return step


def three_kernels(example):
    """A step in three kernels, and the preparation of a solve."""
    module = SourceModule(FUSED)
    multiply, advance, turn = (module.get_function(name) for name in ("multiply", "advance", "turn"))
    sums, n, size, limit = gpuarray.zeros(3, np.float64), np.int32(example["N"]), np.int32(example["SIZE"]), np.float64(example["limit"])
    shape = {"block": (128, 1, 1), "grid": ((example["N"] + 127) // 128, 1), "stream": example["stream"]}
    p, q, x, r = (example[name] for name in ("direction", "image", "x", "residual"))

    def step():
        multiply(p, q, sums, size, **shape)
        advance(p, q, x, r, sums, n, **shape)
        turn(p, r, sums, limit, example["go_on"], example["steps"], n, **shape)

    def begin():
        example["begin"]()
        sums.fill(0)
        sums[1:2] = gpuarray.dot(example["b"], example["b"])

    return step, begin


def main():
    with contextlib.redirect_stdout(io.StringIO()):
        example = runpy.run_path(str(Path(__file__).parents[2] / "examples/graph_solver.py"))
    how = "plain launches" if os.environ.get("PYCUDA_LAUNCH") == "plain" else "repeated launches"
    print(f"{f'conjugate gradients, {how}, ms':42} {'launched':>9} {'graph':>9} {'ratio':>8}")
    Solver(example, example["step"], example["begin"]).compare("arrays (graph_solver.py)")
    Solver(example, two_branches(example), example["begin"]).compare("arrays, two branches")
    Solver(example, *three_kernels(example)).compare("three kernels")


if __name__ == "__main__":
    main()
