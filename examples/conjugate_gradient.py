"""A membrane in a square frame, pressed at two places: Poisson's equation as a sparse system, solved by conjugate
gradients. Writes membrane.png, or the file named by the argument. Prints the relative residual, and the time of a
matrix-vector product on the device and with NumPy."""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from matplotlib.image import imsave
from pycuda.compiler import SourceModule
from pycuda.gpuarray import GPUArray

SIZE = 48
N = SIZE * SIZE

# Compressed sparse rows: row r has values[starts[r]:starts[r + 1]], in the columns at the same indices.
multiply = SourceModule("""
__global__ void multiply(const int *starts, const int *columns, const double *values, const double *x, double *y, int rows)
{
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
""").get_function("multiply")


def laplace() -> tuple[GPUArray, GPUArray, GPUArray]:
    """The matrix: 4 for each point, -1 for each of its neighbours inside the frame."""
    starts, columns, values = [0], list[int](), list[int]()
    for row in range(N):
        y, x = divmod(row, SIZE)
        neighbours = [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]
        inside = [ny * SIZE + nx for ny, nx in neighbours if 0 <= ny < SIZE and 0 <= nx < SIZE]
        columns += [row, *inside]
        values += [4, *[-1] * len(inside)]
        starts.append(len(columns))
    return gpuarray.to_gpu(np.array(starts, np.int32)), gpuarray.to_gpu(np.array(columns, np.int32)), gpuarray.to_gpu(np.array(values, float))


starts, columns, values = laplace()


def product(x: GPUArray) -> GPUArray:
    y = gpuarray.empty_like(x)
    multiply(starts, columns, values, x, y, np.int32(N), block=(128, 1, 1), grid=((N + 127) // 128, 1))
    return y


def dot(a: GPUArray, b: GPUArray) -> float:
    return float(gpuarray.dot(a, b).get())


force = np.zeros((SIZE, SIZE))
force[SIZE // 3, SIZE // 3] = force[2 * SIZE // 3, 2 * SIZE // 3] = 1
b = gpuarray.to_gpu(force.ravel())
x = gpuarray.zeros_like(b)
residual, direction = b.copy(), b.copy()
squared = dot(residual, residual)

steps = 0
while squared > 1e-20 * dot(b, b) and steps < N:
    image = product(direction)
    alpha = squared / dot(direction, image)
    x += alpha * direction
    residual -= alpha * image
    before, squared = squared, dot(residual, residual)
    direction = residual + (squared / before) * direction
    steps += 1

name = sys.argv[1] if len(sys.argv) > 1 else "membrane.png"
imsave(name, x.get().reshape(SIZE, SIZE), cmap="viridis")
print(f"wrote {name}")
wrong = b - product(x)
print(f"relative residual after {steps} steps: {(dot(wrong, wrong) / dot(b, b)) ** 0.5:.1e}")

begin = time.perf_counter()
for _ in range(100):
    product(x)
pycuda.autoinit.context.synchronize()
on_device = (time.perf_counter() - begin) / 100
host_starts, host_columns, host_values, host_x = starts.get(), columns.get(), values.get(), x.get()
begin = time.perf_counter()
for _ in range(100):
    np.add.reduceat(host_values * host_x[host_columns], host_starts[:-1])
on_host = (time.perf_counter() - begin) / 100
print(f"time of a product: {on_device * 1e3:.2f} ms on {pycuda.autoinit.device.name()}, {on_host * 1e3:.2f} ms with NumPy")
