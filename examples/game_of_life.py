"""Conway's game of life: Gosper's gun fires a glider every 30 generations. Writes life.png, or the file named by the
argument. Prints the number of living cells (36 in the gun and 5 in each glider), and the time of a generation on the
device and with NumPy."""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from matplotlib.image import imsave
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

SIZE, GENERATIONS = 128, 300
GUN = """
........................O...........
......................O.O...........
............OO......OO............OO
...........O...O....OO............OO
OO........O.....O...OO..............
OO........O...O.OO....O.O...........
..........O.....O.......O...........
...........O...O....................
............OO......................
""".split()

generation = SourceModule("""
// The world wraps around at its edges. size is a power of two.
__global__ void generation(const unsigned char *now, unsigned char *next, int size)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, last = size - 1;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) neighbours += now[((y + dy) & last) * size + ((x + dx) & last)];
  next[y * size + x] = neighbours == 3 || (neighbours == 2 && now[y * size + x]);
}
""").get_function("generation")


def generation_with_numpy(world: NDArray[np.uint8]) -> NDArray[np.bool_]:
    neighbours = np.zeros_like(world)
    for dy in -1, 0, 1:
        for dx in -1, 0, 1:
            if dx or dy:
                neighbours += np.roll(world, (dy, dx), axis=(0, 1))
    lives: NDArray[np.bool_] = (neighbours == 3) | ((neighbours == 2) & (world == 1))
    return lives


world = np.zeros((SIZE, SIZE), np.uint8)
world[2:2 + len(GUN), 2:2 + len(GUN[0])] = [[cell == "O" for cell in row] for row in GUN]
now, following = gpuarray.to_gpu(world), gpuarray.empty((SIZE, SIZE), np.uint8)
begin = time.perf_counter()
for _ in range(GENERATIONS):
    generation(now, following, np.int32(SIZE), block=(16, 16, 1), grid=(SIZE // 16, SIZE // 16))
    now, following = following, now
pycuda.autoinit.context.synchronize()
on_device = (time.perf_counter() - begin) / GENERATIONS

begin = time.perf_counter()
generation_with_numpy(world)
on_host = time.perf_counter() - begin

name = sys.argv[1] if len(sys.argv) > 1 else "life.png"
imsave(name, now.get(), cmap="gray")
print(f"wrote {name}")
print(f"living cells: {now.sum(dtype=np.int32).get()}")
print(f"time of a generation: {on_device * 1e3:.2f} ms on {pycuda.autoinit.device.name()}, {on_host * 1e3:.2f} ms with NumPy")
