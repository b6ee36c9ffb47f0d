"""Compute y = a x + y in three ways: with arrays, with an elementwise kernel and with a CUDA kernel. Prints the
largest difference from NumPy's result."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

A, N = np.float32(2.5), 100_000
x, y = np.random.rand(2, N).astype(np.float32)
expected = A * x + y

x_gpu = gpuarray.to_gpu(x)
from_arrays = A * x_gpu + gpuarray.to_gpu(y)

saxpy = ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i] + y[i]", "saxpy")
from_elementwise = gpuarray.to_gpu(y)
saxpy(A, x_gpu, from_elementwise)

kernel = SourceModule("""
__global__ void saxpy(float a, const float *x, float *y, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
""").get_function("saxpy")
from_cuda = y.copy()
kernel(A, x_gpu, drv.InOut(from_cuda), np.int32(N), block=(256, 1, 1), grid=((N + 255) // 256, 1))

worst = max(abs(result - expected).max() for result in (from_arrays.get(), from_elementwise.get(), from_cuda))
print(f"largest difference: {worst:.1e}")
