"""Draw the Mandelbrot set in characters; the same program as Mandelbrot.java. Its threads diverge, because each stops
on its own. Prints the time on the device and with NumPy."""

import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

WIDTH, HEIGHT, LIMIT = 78, 32, 256

mandelbrot = SourceModule("""
__global__ void mandelbrot(int *steps, int width, int height, int limit)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = -2.2f + 3.2f * x / width, ci = -1.2f + 2.4f * y / height, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    ++n;
  }
  steps[y * width + x] = n;
}
""").get_function("mandelbrot")


def mandelbrot_with_numpy() -> NDArray[np.int32]:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    c = -2.2 + 3.2 * x / WIDTH + 1j * (-1.2 + 2.4 * y / HEIGHT)
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(LIMIT):
        inside = np.abs(z) < 2
        counts += inside
        z[inside] = z[inside] ** 2 + c[inside]
    return counts


steps = np.empty((HEIGHT, WIDTH), np.int32)
on_device = 0.0
for _ in range(2):  # the first launch includes costs that occur only once
    begin = time.perf_counter()
    mandelbrot(
        drv.Out(steps), np.int32(WIDTH), np.int32(HEIGHT), np.int32(LIMIT),
        block=(16, 16, 1), grid=((WIDTH + 15) // 16, (HEIGHT + 15) // 16))
    on_device = time.perf_counter() - begin

begin = time.perf_counter()
mandelbrot_with_numpy()
on_host = time.perf_counter() - begin

shades = " .:-=+*%@#"
for row in steps:
    print("".join(shades[min(n.bit_length(), 9)] for n in row.tolist()))
print(f"time of a run: {on_device * 1e3:.2f} ms on {pycuda.autoinit.device.name()}, {on_host * 1e3:.2f} ms with NumPy")
