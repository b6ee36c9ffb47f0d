"""Estimate pi from random points in a square: the share inside the quarter circle is pi / 4."""

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.curandom import XORWOWRandomNumberGenerator
from pycuda.reduction import ReductionKernel

N = 1 << 20

# The same seed for all threads: the generator gives each its own sequence.
generator = XORWOWRandomNumberGenerator(lambda count: gpuarray.zeros(count, np.int32) + np.int32(2026))
x = generator.gen_uniform(N, np.float32)
y = generator.gen_uniform(N, np.float32)

# Integers: float32 cannot count beyond 2**24 one by one.
count_inside = ReductionKernel(np.int32, neutral="0", reduce_expr="a + b", map_expr="x[i] * x[i] + y[i] * y[i] < 1",
                               arguments="const float *x, const float *y")
inside = int(count_inside(x, y).get())
print(f"pi is about {4 * inside / N:.4f}")
