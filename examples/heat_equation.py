"""Heat spreads from a hot spot over a plate with cold edges; writes heat.png, a picture, or the file named as the argument."""

import sys

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from matplotlib.image import imsave

SIZE, STEPS = 96, 200

plate = gpuarray.zeros((SIZE, SIZE), np.float32)
plate[SIZE // 4:SIZE // 2, SIZE // 4:SIZE // 2] = 1
start = float(plate.sum().get())

for _ in range(STEPS):
    inner, neighbours = plate[1:-1, 1:-1], (plate[:-2, 1:-1], plate[2:, 1:-1], plate[1:-1, :-2], plate[1:-1, 2:])
    up, down, left, right = neighbours
    plate[1:-1, 1:-1] = inner + 0.2 * (up + down + left + right - 4 * inner)

name = sys.argv[1] if len(sys.argv) > 1 else "heat.png"
imsave(name, plate.get(), cmap="inferno")
print(f"wrote {name}")
print(f"heat that is left: {float(plate.sum().get()) / start:.1%}")
