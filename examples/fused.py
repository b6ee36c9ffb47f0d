"""A formula of arrays in one kernel: the price of options by Black and Scholes, as separate operations and fused."""

import math
from collections.abc import Callable

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.gpuarray import GPUArray

N = 100_000
RATE, VOLATILITY = 0.03, 0.25


def normal_distribution(x: GPUArray) -> GPUArray:
    return 0.5 * (1 + cumath.erf(x * math.sqrt(0.5)))


def price(spot: GPUArray, strike: GPUArray, years: GPUArray) -> GPUArray:
    spread = VOLATILITY * cumath.sqrt(years)
    d = (cumath.log(spot / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    return spot * normal_distribution(d) - strike * cumath.exp(-RATE * years) * normal_distribution(d - spread)


fused: Callable[[GPUArray, GPUArray, GPUArray], GPUArray] = gpuarray.fuse(price)


def uniform(seed: int, low: float, high: float) -> GPUArray:
    return gpuarray.to_gpu(np.random.default_rng(seed).uniform(low, high, N).astype(np.float32))


def milliseconds(run: Callable[[], GPUArray]) -> float:
    run()
    start, end = drv.Event(), drv.Event()
    start.record()
    run()
    end.record()
    end.synchronize()
    return end.time_since(start)


spot, strike, years = uniform(1, 10, 50), uniform(2, 10, 50), uniform(3, 0.2, 2)
together = fused(spot, strike, years)
assert price(spot, strike, years).get().tobytes() == together.get().tobytes()
print(f"separate operations: {milliseconds(lambda: price(spot, strike, years)):.3f} ms, "
      f"fused: {milliseconds(lambda: fused(spot, strike, years)):.3f} ms")
print(f"mean price: {float(together.mean().get()):.2f}")
