"""Heat spreads from a hot spot over a plate with cold edges. Writes heat.png, or the file named by the argument.
Prints how much heat remains, and the time of a step on the device and with NumPy."""

import sys
import time
from typing import Any

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from matplotlib.image import imsave

SIZE, STEPS = 96, 200


def spread(plate: Any) -> None:
    """Compute one step. The same code works on device arrays and on NumPy's."""
    inner, neighbours = plate[1:-1, 1:-1], (plate[:-2, 1:-1], plate[2:, 1:-1], plate[1:-1, :-2], plate[1:-1, 2:])
    up, down, left, right = neighbours
    plate[1:-1, 1:-1] = inner + 0.2 * (up + down + left + right - 4 * inner)


plate = gpuarray.zeros((SIZE, SIZE), np.float32)
plate[SIZE // 4:SIZE // 2, SIZE // 4:SIZE // 2] = 1
start = float(plate.sum().get())

host = plate.get()
spread(plate)  # compiles the kernels
begin = time.perf_counter()
for _ in range(STEPS - 1):
    spread(plate)
pycuda.autoinit.context.synchronize()
on_device = (time.perf_counter() - begin) / (STEPS - 1)

begin = time.perf_counter()
for _ in range(STEPS):
    spread(host)
on_host = (time.perf_counter() - begin) / STEPS

name = sys.argv[1] if len(sys.argv) > 1 else "heat.png"
imsave(name, plate.get(), cmap="inferno")
print(f"wrote {name}")
print(f"remaining heat: {float(plate.sum().get()) / start:.1%}")
print(f"time of a step: {on_device * 1e3:.2f} ms on {pycuda.autoinit.device.name()}, {on_host * 1e3:.2f} ms with NumPy")
