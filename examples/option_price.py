"""Price a call option by the Monte Carlo method, as the mean payoff over many random futures, and by the Black-
Scholes formula."""

import math

import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.curandom import MRG32k3aRandomNumberGenerator
from pycuda.elementwise import ElementwiseKernel

N = 1 << 20
PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100, 105, 0.03, 0.2, 1.0


def normal_distribution(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


def black_scholes() -> float:
    spread = VOLATILITY * math.sqrt(YEARS)
    d = (math.log(PRICE / STRIKE) + (RATE + VOLATILITY ** 2 / 2) * YEARS) / spread
    return PRICE * normal_distribution(d) - STRIKE * math.exp(-RATE * YEARS) * normal_distribution(d - spread)


np.random.seed(2026)  # seeds are drawn from NumPy's generator
chance = MRG32k3aRandomNumberGenerator().gen_normal(N, np.float32)

pay = ElementwiseKernel("const float *chance, float *payment, float price, float strike, float drift, float spread",
                        "payment[i] = fmaxf(price * expf(drift + spread * chance[i]) - strike, 0)", "pay")
payment = gpuarray.empty_like(chance)
pay(chance, payment, PRICE, STRIKE, (RATE - VOLATILITY ** 2 / 2) * YEARS, VOLATILITY * math.sqrt(YEARS))
payment *= math.exp(-RATE * YEARS)  # discounted to today

mean = float(payment.mean().get())
error = math.sqrt(float(((payment - mean) ** 2).mean().get()) / N)
print(f"Black and Scholes: {black_scholes():.3f}")
print(f"Monte Carlo, standard error {error:.3f}: {mean:.3f}")
