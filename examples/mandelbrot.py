"""Draw the Mandelbrot set in characters; the same program as Mandelbrot.java. Threads diverge: each stops on its own."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
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

steps = np.empty((HEIGHT, WIDTH), np.int32)
mandelbrot(
    drv.Out(steps), np.int32(WIDTH), np.int32(HEIGHT), np.int32(LIMIT),
    block=(16, 16, 1), grid=((WIDTH + 15) // 16, (HEIGHT + 15) // 16))

shades = " .:-=+*%@#"
for row in steps:
    print("".join(shades[min(n.bit_length(), 9)] for n in row.tolist()))
