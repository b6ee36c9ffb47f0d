"""Blur an image in tiles: one instruction copies a tile with its neighbours, and the tensor map makes the copy return
zeros outside the image. Needs compute capability 9.0, or the CPU device. Prints the largest difference from NumPy's
result."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

HEIGHT, WIDTH, TILE = 300, 400, 32

blur = SourceModule("""
struct alignas(64) TensorMap { unsigned long long words[16]; };

#define TILE 32
#define PAD 4  // a neighbour on each side, in whole 16 bytes
#define BOX (TILE + 2 * PAD)

__global__ void blur(const __grid_constant__ TensorMap image, float *out, int height, int width)
{
  __shared__ alignas(128) float tile[TILE + 2][BOX];
  __shared__ alignas(8) unsigned long long arrived;
  unsigned barrier = (unsigned) __cvta_generic_to_shared(&arrived), place = (unsigned) __cvta_generic_to_shared(tile);
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"((int) sizeof tile) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(place), "l"(&image), "r"(x - PAD), "r"(y - 1), "r"(barrier) : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(barrier) : "memory");
  for (int row = threadIdx.y; row < TILE && y + row < height; row += blockDim.y) {
    float sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) sum += tile[row + i][threadIdx.x + k + PAD - 1];
    if (x + threadIdx.x < width) out[(y + row) * width + x + threadIdx.x] = sum / 9;
  }
}
""").get_function("blur")

image = gpuarray.to_gpu(np.random.default_rng(1).random((HEIGHT, WIDTH), np.float32))
out = gpuarray.zeros_like(image)
tiles = drv.TensorMap.tiled(image, (TILE + 2, TILE + 8))
blur(tiles, out, np.int32(HEIGHT), np.int32(WIDTH), block=(TILE, 4, 1), grid=(-(-WIDTH // TILE), -(-HEIGHT // TILE)))

padded = np.pad(image.get(), 1)
expected = sum(padded[i : i + HEIGHT, k : k + WIDTH] for i in range(3) for k in range(3)) / np.float32(9)
print(f"tiles: {tiles}")
print(f"largest difference: {np.abs(out.get() - expected).max():.1e}")
