"""Solve A x = b by conjugate gradients without storing A, the one-dimensional Laplace operator; prints the relative residual."""

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.elementwise import ElementwiseKernel

N = 200

laplace = ElementwiseKernel(
    "const double *x, double *y",
    "y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0)", "laplace")


def product(x):
    y = gpuarray.empty_like(x)
    laplace(x, y)
    return y


b = gpuarray.to_gpu(np.random.default_rng(2026).normal(size=N))
x = gpuarray.zeros_like(b)
residual = b - product(x)
direction = residual.copy()
squared = float(gpuarray.dot(residual, residual).get())

for steps in range(1, 2 * N + 1):
    image = product(direction)
    alpha = squared / float(gpuarray.dot(direction, image).get())
    x += alpha * direction
    residual -= alpha * image
    before, squared = squared, float(gpuarray.dot(residual, residual).get())
    if squared < 1e-24:
        break
    direction = residual + (squared / before) * direction

true_residual = np.linalg.norm((b - product(x)).get()) / np.linalg.norm(b.get())
print(f"relative residual after {steps} steps: {true_residual:.1e}")
