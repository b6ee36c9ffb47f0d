"""Linear algebra and Fourier transforms by kernels of this package and by cuSOLVER and cuFFT, over sizes: microseconds a call, and from which
size on the library is faster. These are the thresholds of cusolver.cpp and cufft.cpp. Each way runs in a process of its own, which decides once."""

import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

#: A row ends after a call that takes longer than this, in seconds.
LONGEST = 0.1
SIZES = (16, 32, 64, 96, 128, 192, 256, 384, 512, 1024)
COUNTS = (1, 4, 16, 64, 256)
MATRICES = ("det", "solve", "inv", "cholesky", "qr", "svd", "eigh")


def call_of(xp, name, x):
    if name == "solve":
        return lambda: xp.linalg.solve(x, x)
    if name in ("fft", "rfft"):
        return lambda: getattr(xp.fft, name)(x)
    return lambda: getattr(xp.linalg, name)(x)


def rows():
    """Rows of cases: a title, and for each size the function, and the shape and dtype of its operand."""
    for name in MATRICES:
        for dtype in ("float32", "float64"):
            yield f"{name} of a {dtype} matrix", [(n, name, (n, n), dtype) for n in SIZES]
    for n in (64, 128, 256):
        for name in ("cholesky", "solve", "eigh"):
            yield f"{name} of stacks of {n} x {n}", [(count, name, (count, n, n), "float32") for count in COUNTS]
    sizes = [1 << k for k in range(8, 23, 2)]
    yield "fft of one row", [(n, "fft", (n,), "complex64") for n in sizes]
    yield "fft of rows of 256", [(n, "fft", (n // 256, 256), "complex64") for n in sizes]
    yield "fft of rows of 243", [(n // 256 * 243, "fft", (n // 256, 243), "complex64") for n in sizes]
    yield "rfft of one row", [(n, "rfft", (n,), "float32") for n in sizes]


def operand(shape, dtype):
    """A well-conditioned operand: positive definite matrices."""
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        x = x @ x.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1], dtype=dtype)
    return x


def seconds(call, synchronize):
    call()
    synchronize()
    times = []
    for _ in range(5):
        count = max(1, min(20, int(0.005 / times[0]))) if times else 1
        start = time.perf_counter()
        for _ in range(count):
            call()
        synchronize()
        times.append((time.perf_counter() - start) / count)
        if times[0] > LONGEST:
            break
    return statistics.median(times)


def measure():
    import pycuda.autoprimaryctx  # noqa: F401
    import pycuda.array_api as xp
    import pycuda.driver as drv

    for title, cases in rows():
        found = {}
        for size, name, shape, dtype in cases:
            found[size] = seconds(call_of(xp, name, xp.asarray(operand(shape, dtype))), drv.Context.synchronize)
            if found[size] > LONGEST:
                break
        print(json.dumps([title, found]), flush=True)


def times_with(choice):
    """The times by row, with the libraries disabled ("0") or required ("1")."""
    environment = {**os.environ, "PYCUDA_CUSOLVER": choice, "PYCUDA_CUFFT": choice}
    done = subprocess.run([sys.executable, __file__, "measure"], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"PYCUDA_CUSOLVER={choice} PYCUDA_CUFFT={choice}: the measurement ended with status {done.returncode}")
    return dict(map(json.loads, done.stdout.splitlines()))


def main():
    if sys.argv[1:] == ["measure"]:
        return measure()
    own, library = times_with("0"), times_with("1")
    for title in own:
        print(f"\n{title:34} {'own us':>10} {'library us':>10} {'ratio':>8}")
        both = [size for size in own[title] if size in library[title]]
        for size in both:
            print(f"{size:34} {1e6 * own[title][size]:10.1f} {1e6 * library[title][size]:10.1f} {own[title][size] / library[title][size]:8.2f}")
        slower = [size for size in both if library[title][size] >= own[title][size]]
        print(f"the library is faster after {slower[-1] if slower else 'the first'}: of {both[0]} to {both[-1]}")


if __name__ == "__main__":
    main()
