"""A formula of arrays in one kernel: the price of options by Black and Scholes, as separate operations and fused."""

import math

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import cumath, gpuarray

N = 100_000


def normal(x):
    return 0.5 * (1 + cumath.erf(x * math.sqrt(0.5)))


def price(spot, strike, years, rate, volatility):
    spread = volatility * cumath.sqrt(years)
    d = (cumath.log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
    return spot * normal(d) - strike * cumath.exp(-rate * years) * normal(d - spread)


fused = gpuarray.fuse(price)


def milliseconds(function, *arguments):
    function(*arguments)
    start, end = drv.Event(), drv.Event()
    start.record()
    function(*arguments)
    end.record().synchronize()
    return end.time_since(start)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    spot, strike, years = (gpuarray.to_gpu(rng.uniform(low, high, N).astype(np.float32)) for low, high in ((10, 50), (10, 50), (0.2, 2)))
    separately, together = (function(spot, strike, years, 0.03, 0.25) for function in (price, fused))
    assert separately.get().tobytes() == together.get().tobytes()
    print(f"separate operations: {milliseconds(price, spot, strike, years, 0.03, 0.25):.3f} ms, "
          f"fused: {milliseconds(fused, spot, strike, years, 0.03, 0.25):.3f} ms")
    print(f"mean price: {together.mean().item():.2f}")
