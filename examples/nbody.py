"""Stars on a straight line around a heavy one, whose orbits wind the line up into a spiral. Writes nbody.png, or the
file named by the argument. Prints by how much the total energy, a conserved quantity, changed, and the time of a step
on the device and with NumPy."""

import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from matplotlib.image import imsave
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

N, TILE, STEPS, TIME_STEP, SOFTENING = 512, 64, 300, 0.01, 0.1

step = SourceModule(f"#define TILE {TILE}" + """
// A body is (x, y, z, mass). Each block copies the bodies to shared memory, one tile at a time, where every thread
// reads all of them.
__global__ void step(const float4 *bodies, float4 *moved, float4 *velocities, int n, float dt, float softening)
{
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float4 body = bodies[i], v = velocities[i];
  for (int start = 0; start < n; start += TILE) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < TILE; ++j) {
      float dx = tile[j].x - body.x, dy = tile[j].y - body.y, dz = tile[j].z - body.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening * softening);
      float pull = dt * tile[j].w * inverse * inverse * inverse;
      v.x += pull * dx;
      v.y += pull * dy;
      v.z += pull * dz;
    }
    __syncthreads();
  }
  velocities[i] = v;
  moved[i] = make_float4(body.x + dt * v.x, body.y + dt * v.y, body.z + dt * v.z, body.w);
}
""").get_function("step")


def energy(bodies: NDArray[np.float32], velocities: NDArray[np.float32]) -> float:
    places, masses = bodies[:, :3].astype(float), bodies[:, 3].astype(float)
    distances = np.sqrt(((places[:, None] - places) ** 2).sum(axis=2) + SOFTENING ** 2)
    pairs = np.triu(np.outer(masses, masses) / distances, k=1)
    return float((masses * (velocities.astype(float) ** 2).sum(axis=1)).sum() / 2 - pairs.sum())


def step_with_numpy(bodies: NDArray[np.float32], velocities: NDArray[np.float32]) -> None:
    apart = bodies[:, :3] - bodies[:, None, :3]
    pull = bodies[:, 3] / ((apart ** 2).sum(axis=2) + SOFTENING ** 2) ** 1.5
    velocities[:, :3] += TIME_STEP * (pull[:, :, None] * apart).sum(axis=1)
    bodies += TIME_STEP * velocities


places = np.linspace(-1, 1, N)
places[N // 2] = 0
bodies, velocities = np.zeros((2, N, 4), np.float32)
bodies[:, 0] = places
bodies[:, 3] = np.where(places == 0, 1, 1e-5)
# The speed of a circular orbit around the heavy star.
velocities[:, 1] = places / (places ** 2 + SOFTENING ** 2) ** 0.75
start = energy(bodies, velocities)

now, then, speed = gpuarray.to_gpu(bodies), gpuarray.empty((N, 4), np.float32), gpuarray.to_gpu(velocities)
begin = time.perf_counter()
for _ in range(STEPS):
    step(now, then, speed, np.int32(N), np.float32(TIME_STEP), np.float32(SOFTENING), block=(TILE, 1, 1), grid=(N // TILE, 1))
    now, then = then, now
pycuda.autoinit.context.synchronize()
on_device = (time.perf_counter() - begin) / STEPS

begin = time.perf_counter()
step_with_numpy(bodies, velocities)
on_host = time.perf_counter() - begin

stars = now.get()
picture, _, _ = np.histogram2d(stars[:, 1], stars[:, 0], bins=200, range=[[-1.1, 1.1], [-1.1, 1.1]])
name = sys.argv[1] if len(sys.argv) > 1 else "nbody.png"
imsave(name, np.minimum(picture, 2), cmap="magma")
print(f"wrote {name}")
print(f"the energy changed by {abs(energy(stars, speed.get()) / start - 1):.3%}")
print(f"time of a step: {on_device * 1e3:.2f} ms on {pycuda.autoinit.device.name()}, {on_host * 1e3:.2f} ms with NumPy")
