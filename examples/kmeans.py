"""Group points around k centres by k-means. Prints how far the found centres are from the true ones."""

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

N, STEPS = 20_000, 20
TRUE_CENTRES = np.array([[0, 0], [8, 1], [1, 9], [9, 9]], np.float32)
K = len(TRUE_CENTRES)

rng = np.random.default_rng(2026)
members = rng.integers(K, size=N)
points = gpuarray.to_gpu((TRUE_CENTRES[members] + rng.normal(size=(N, 2))).astype(np.float32))

assign = SourceModule("""
// The nearest centre of each point, and the sums and counts of each centre's points.
__global__ void assign(const float2 *points, int n, const float2 *centres, int k, float *sums, int *counts)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = points[i];
  int nearest = 0;
  float least = INFINITY;
  for (int c = 0; c < k; ++c) {
    float dx = p.x - centres[c].x, dy = p.y - centres[c].y, distance = dx * dx + dy * dy;
    if (distance < least) { least = distance; nearest = c; }
  }
  atomicAdd(&sums[2 * nearest], p.x);
  atomicAdd(&sums[2 * nearest + 1], p.y);
  atomicAdd(&counts[nearest], 1);
}
""").get_function("assign")

# Start with one point, then repeatedly add the point farthest from the centres so far.
host = points.get()
chosen = host[:1]
while len(chosen) < K:
    distance = np.linalg.norm(host[:, None] - chosen, axis=2).min(axis=1)
    chosen = np.vstack([chosen, host[distance.argmax()]])
centres = gpuarray.to_gpu(chosen)

for _ in range(STEPS):
    sums, counts = gpuarray.zeros((K, 2), np.float32), gpuarray.zeros((K, 1), np.int32)
    assign(points, np.int32(N), centres, np.int32(K), sums, counts, block=(256, 1, 1), grid=((N + 255) // 256, 1))
    centres = sums / gpuarray.maximum(counts, np.int32(1)).astype(np.float32)

found = centres.get()
error = max(np.linalg.norm(found - true, axis=1).min() for true in TRUE_CENTRES)
print(f"largest distance of a true centre from the nearest found one: {error:.3f}")
