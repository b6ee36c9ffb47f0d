"""`a + b` and kernel calls on several threads at a time, each with a stream and arrays of its own, on a driver whose launches do nothing
(idle_driver.cpp): how the host's part scales. Medians of 5 runs; the rate of n threads over that of one. ./dev bench threads runs it in .venv;
with an interpreter that has no GIL, after building for it (docs/contributing.md):

    cmake --build build/nogil --target pycuda_packages idle_driver
    PYTHONPATH=build/nogil/python PYCUDA_DRIVER=cpu PYCUDA_CPU_LIBRARY=build/nogil/tests/bench/libidle_driver.so \\
        /path/to/python3.13t tests/bench/thread_bench.py [THREADS...]
"""

import os
import statistics
import sys
import threading
import time

import numpy as np
import pycuda.autoprimaryctx
import pycuda.driver as drv
from pycuda import gpuarray

CALLS = 50_000
NOTHING = """
.version 8.0
.target sm_50
.address_size 64
.visible .entry nothing(.param .u64 x, .param .u32 n) { ret; }
"""
module = drv.module_from_buffer(NOTHING.encode())
shared = gpuarray.zeros(1024, np.float32)
of_main = []
shared_function = module.get_function("nothing")


def add(stream):
    with stream:
        a, b = gpuarray.zeros(1024, np.float32), gpuarray.zeros(1024, np.float32)
        yield
        for _ in range(CALLS):
            a + b


def add_shared(stream):
    with stream:
        a = gpuarray.zeros(1024, np.float32)
        yield
        for _ in range(CALLS):
            a + shared


def add_of_main(stream):
    with stream:
        a, b = of_main.pop()
        yield
        for _ in range(CALLS):
            a + b


def call(stream, function=None):
    memory, n = drv.mem_alloc(64), np.int32(16)
    function = function or module.get_function("nothing")
    yield
    for _ in range(CALLS):
        function(memory, n, block=(32, 1, 1), stream=stream)


def call_shared(stream):
    return call(stream, shared_function)


def python(_):
    yield
    x = 1.5
    for _ in range(20 * CALLS):
        x * x


ROWS = {
    "a + b": add,
    "a + b of the main thread": add_of_main,
    "a + one of all threads": add_shared,
    "kernel call": call,
    "kernel of all threads": call_shared,
    "Python alone": python,
}


def seconds(work, count):
    of_main[:] = [(gpuarray.zeros(1024, np.float32), gpuarray.zeros(1024, np.float32)) for _ in range(count)]
    context, ready, go = pycuda.autoprimaryctx.context, threading.Barrier(count + 1), threading.Barrier(count + 1)

    def run():
        context.push()
        steps = work(drv.Stream())
        next(steps)
        ready.wait()
        go.wait()
        next(steps, None)
        drv.Context.pop()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    go.wait()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def main():
    counts = [int(text) for text in sys.argv[1:]] or [n for n in (1, 2, 4, 8, 16) if n <= os.cpu_count()]
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"CPython {sys.version.split()[0]}, {'with' if has_gil else 'without'} a GIL, {os.cpu_count()} processors")
    print(f"{'rate':26}" + "".join(f"{n:>4} threads" for n in counts) + "   ns a call on one")
    for name, work in ROWS.items():
        times = [statistics.median(seconds(work, n) for _ in range(5)) for n in counts]
        print(f"{name:26}" + "".join(f"{n * times[0] / t / counts[0]:11.2f}" for n, t in zip(counts, times)) + f"{1e9 * times[0] / CALLS / counts[0]:12.0f}")


main()
