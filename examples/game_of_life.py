"""Conway's game of life: Gosper's gun fires a glider every 30 generations. Writes life.png, or the file named as the argument, and prints
how many cells live: 36 of the gun and 5 of each glider."""

import sys

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from matplotlib.image import imsave
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
// The world has no edge: what leaves on one side comes in on the other. size is a power of two.
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

world = np.zeros((SIZE, SIZE), np.uint8)
world[2:2 + len(GUN), 2:2 + len(GUN[0])] = [[cell == "O" for cell in row] for row in GUN]
now, following = gpuarray.to_gpu(world), gpuarray.empty((SIZE, SIZE), np.uint8)
for _ in range(GENERATIONS):
    generation(now, following, np.int32(SIZE), block=(16, 16, 1), grid=(SIZE // 16, SIZE // 16))
    now, following = following, now

name = sys.argv[1] if len(sys.argv) > 1 else "life.png"
imsave(name, now.get(), cmap="gray")
print(f"wrote {name}")
print(f"cells that live: {now.sum(dtype=np.int32).get()}")
