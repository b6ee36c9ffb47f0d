"""Operations of arrays next to a bare launch in plain C (plain_driver.hpp, whose library the argument names), in one process: they
take turns in bursts of 20 calls after a synchronise; medians of 300 bursts, microseconds a call. Then the bandwidth of large arrays
next to that of a copy on the device. CuPy and PyTorch, where they are installed, by the same method."""

import importlib
import statistics
import sys
import time

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401  the context that the others use
import pycuda.driver as drv
from launch_bench import BURST, BURSTS, WARM_UP, burst, compare, plain_driver  # noqa: F401
from pycuda import cumath, gpuarray
from pycuda.curandom import XORWOWRandomNumberGenerator


def small(plain):
    a, b = (gpuarray.to_gpu(np.random.randn(1024).astype(np.float32)) for _ in range(2))
    variables = {"a": a, "b": b, "cumath": cumath, "gpuarray": gpuarray, "pool": drv.DeviceMemoryPool()}
    print(f"{'us a call, 1,024 floats':34} {'launch':>9} {'here':>9} {'ratio':>8}")
    for statement in ("a + b", "a.__iadd__(b)", "a * 2.0", "cumath.sin(a)", "a[10:20] = 0", "gpuarray.sum(a)", "a > 0", "pool.allocate(4096)"):
        compare(statement, plain.plain_launch, statement, variables)
    for name in ("cupy", "torch"):
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        if name == "cupy":
            known = {"a": package.asarray(a.get()), "b": package.asarray(b.get()), "p": package}
        else:
            known = {"a": package.as_tensor(a.get(), device="cuda"), "b": package.as_tensor(b.get(), device="cuda"), "p": package}
        for statement in ("a + b", "a.__iadd__(b)", "a * 2.0", "p.sin(a)", "a.sum()"):
            compare(f"{name}: {statement}", plain.plain_launch, statement, known)


def seconds(call, ahead, rounds=20):
    """The median time of a call on the device. `ahead` keeps the device busy until the host has queued the call."""
    times = []
    for _ in range(rounds + 3):
        drv.Context.synchronize()
        start, end = drv.Event(), drv.Event()
        ahead()
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(1e-3 * end.time_since(start))
    return statistics.median(times[3:])


def large(n):
    a, b, c = (gpuarray.zeros(n, np.float32) for _ in range(3))
    d = gpuarray.zeros(n, np.float32)

    def ahead():
        drv.memcpy_dtod_async(int(d.gpudata), int(a.gpudata), a.nbytes)

    copy = 8 * n / seconds(lambda: drv.memcpy_dtod_async(int(c.gpudata), int(a.gpudata), a.nbytes), ahead)
    print(f"\n{n} floats{'':20} {'GB/s':>9} {'to a copy':>10}")
    print(f"{'copy on the device':34} {copy / 1e9:9.0f} {1:10.2f}")
    generator = XORWOWRandomNumberGenerator()
    rows = a.reshape(-1, 1 << 14)
    operations = [
        ("c = a + b", 12, lambda: np.add(a, b, out=c)), ("a += b", 12, lambda: a.__iadd__(b)), ("c = sin(a)", 8, lambda: cumath.sin(a, out=c)),
        ("rows + row (broadcast)", 8, lambda: np.add(rows, rows[0], out=c.reshape(rows.shape))),
        ("c = a[:, ::-1]", 8, lambda: c.reshape(rows.shape).__setitem__(slice(None), rows[:, ::-1])),
        ("sum(a)", 4, lambda: gpuarray.sum(a)), ("dot(a, b)", 8, lambda: gpuarray.dot(a, b)), ("max(a)", 4, lambda: gpuarray.max(a)), ("std(a)", 4, lambda: a.std()),
        ("sum(rows, axis=0)", 4, lambda: rows.sum(axis=0)), ("sum(rows, axis=1)", 4, lambda: rows.sum(axis=1)),
        ("argmax(a)", 4, lambda: a.argmax()), ("argmax of int8", 4, lambda: a.view(np.int8).argmax()), ("argmax of float16", 4, lambda: a.view(np.float16).argmax()),
        ("cumsum(a)", 8, lambda: gpuarray.cumsum(a, out=c)), ("XORWOW uniform", 4, lambda: generator.fill_uniform(c)),
    ]
    for name, bytes_an_entry, call in operations:
        rate = bytes_an_entry * n / seconds(call, ahead)
        print(f"{name:34} {rate / 1e9:9.0f} {rate / copy:10.2f}", flush=True)


def first_use():
    """Small arrays of types that nothing was compiled for; what they need is compiled while one waits, unless the cache has it, or NVRTC's own
    (CUDA_CACHE_DISABLE=1 turns that off)."""
    print()
    for dtype, shape, call in (
        (np.int16, 100, "a ^ a"), (np.uint32, 100, "a + a"), (np.float64, 100, "a * a"), (np.float64, 100, "cumath.sin(a)"), (np.float64, 100, "a.sum()"),
        (np.float64, (100, 60), "a.sum(axis=0)"), (np.int16, 100, "a.argmax()"), (np.float64, 100, "gpuarray.cumsum(a)"), (np.float64, 1000, "gpuarray.sort(a)"),
        (np.uint16, 1000, "gpuarray.unique(a)"), (np.float64, (16, 16), "a @ a"), (np.float64, 1 << 20, "a.sum()"), (np.float64, 1 << 20, "gpuarray.cumsum(a)"),
        (np.float64, 1 << 20, "gpuarray.sort(a)"),
    ):
        a = gpuarray.zeros(shape, dtype)
        code = compile(call, "bench", "eval")
        drv.Context.synchronize()
        start = time.perf_counter()
        eval(code, {"a": a, "cumath": cumath, "gpuarray": gpuarray})
        print(f"first use of {call} of {a.size} {a.dtype}: {1e3 * (time.perf_counter() - start):.1f} ms")


def main():
    plain = plain_driver(sys.argv[1])
    small(plain)
    large(1 << (28 if drv.mem_get_info()[0] > 8 << 30 and not drv.driver_info().is_cpu_device else 20))
    first_use()


if __name__ == "__main__":
    main()
