"""Find the edges of a disc with Sobel's filter, which reads the image through a texture. Writes edges.png, or the
file named by the argument. Prints the length of the edges, and the time of the filter on the device and with
NumPy."""

import math
import sys
import time
from typing import Any

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from matplotlib.image import imsave
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

SIZE, RADIUS = 256, 90

module = SourceModule("""
// For pixels outside the image, the texture unit returns the nearest pixel inside.
texture<float, 2> image;

__device__ float pixel(int x, int y) { return tex2D(image, x + 0.5f, y + 0.5f); }

__global__ void sobel(float *edges, int width, int height)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float across = pixel(x + 1, y - 1) + 2 * pixel(x + 1, y) + pixel(x + 1, y + 1)
               - pixel(x - 1, y - 1) - 2 * pixel(x - 1, y) - pixel(x - 1, y + 1);
  float down = pixel(x - 1, y + 1) + 2 * pixel(x, y + 1) + pixel(x + 1, y + 1)
             - pixel(x - 1, y - 1) - 2 * pixel(x, y - 1) - pixel(x + 1, y - 1);
  edges[y * width + x] = hypotf(across, down) / 8;
}
""")
sobel, image = module.get_function("sobel"), module.get_texref("image")


def sobel_with_numpy(image: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
    padded = np.pad(image, 1, mode="edge")
    smooth = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    across = smooth[:, 2:] - smooth[:, :-2]
    smooth = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    down = smooth[2:] - smooth[:-2]
    return np.hypot(across, down) / 8


# A white disc on black, its edge some pixels wide.
y, x = np.mgrid[:SIZE, :SIZE] - SIZE / 2
disc = np.clip((RADIUS - np.hypot(x, y)) / 4 + 0.5, 0, 1).astype(np.float32)
drv.matrix_to_texref(disc, image, order="C")

edges = np.empty((SIZE, SIZE), np.float32)
on_device = 0.0
for _ in range(2):  # the first launch includes costs that occur only once
    begin = time.perf_counter()
    sobel(drv.Out(edges), np.int32(SIZE), np.int32(SIZE), block=(16, 16, 1), grid=(SIZE // 16, SIZE // 16), texrefs=[image])
    on_device = time.perf_counter() - begin

begin = time.perf_counter()
expected = sobel_with_numpy(disc)
on_host = time.perf_counter() - begin
assert np.allclose(edges, expected, atol=1e-5)

name = sys.argv[1] if len(sys.argv) > 1 else "edges.png"
imsave(name, edges, cmap="gray")
print(f"wrote {name}")
# The steepness of an image, summed over all pixels, is the length of its edges.
circle = 2 * math.pi * RADIUS
print(f"the disc's edge is {edges.sum():.1f} pixels long; 2 pi r is {circle:.1f}; ratio {edges.sum() / circle:.3f}")
print(f"time of the filter: {on_device * 1e3:.2f} ms on {pycuda.autoinit.device.name()}, {on_host * 1e3:.2f} ms with NumPy")
