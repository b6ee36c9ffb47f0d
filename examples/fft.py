"""Find three tones in noise with a fast Fourier transform, and compare it with NumPy's."""

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

N, TONES = 4096, (50, 440, 1200)

# Stockham's method: each pass combines transforms of `width` elements into transforms of twice as many, in order.
join = SourceModule("""
__global__ void join(const float2 *from, float2 *to, int n, int width)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % width;
  if (i >= n / 2) return;
  float2 a = from[i], b = from[i + n / 2];
  float c, s;
  sincospif(-(float)k / width, &s, &c);
  float2 turned = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
  float2 *out = to + 2 * i - k;
  out[0] = make_float2(a.x + turned.x, a.y + turned.y);
  out[width] = make_float2(a.x - turned.x, a.y - turned.y);
}
""").get_function("join")


def fft(x: gpuarray.GPUArray) -> gpuarray.GPUArray:
    """The transform of a vector whose length is a power of two, on the device."""
    to, spare = gpuarray.empty_like(x), gpuarray.empty_like(x)
    width = 1
    while width < x.size:
        join(x, to, np.int32(x.size), np.int32(width), block=(256, 1, 1), grid=(max(1, x.size // 512), 1))
        x, to, spare = to, spare, to
        width *= 2
    return x


time = np.arange(N) / N
signal = sum(np.sin(2 * np.pi * tone * time) for tone in TONES) + np.random.default_rng(2026).normal(size=N)
spectrum = fft(gpuarray.to_gpu(signal.astype(np.complex64))).get()

strongest = np.sort(np.argsort(abs(spectrum[:N // 2]))[-3:])
print("strongest tones:", *strongest)
expected = np.fft.fft(signal)
print(f"largest difference, relative: {abs(spectrum - expected).max() / abs(expected).max():.1e}")
