"""Launches and small calls from Python next to the same in plain C (plain_driver.hpp, whose library the argument names), in one
process: they take turns in bursts of 20 calls after a synchronise; medians of 300 bursts, microseconds a call."""

import ctypes
import statistics
import sys
import timeit

import numpy as np
import pycuda.driver as drv

BURST, BURSTS, WARM_UP = 20, 300, 150


def burst(timer):
    drv.Context.synchronize()
    return 1e6 * timer.timeit(BURST) / BURST


def compare(name, plain, statement, variables):
    timer = timeit.Timer(statement, globals=variables)
    times = [(plain(BURST), burst(timer)) for _ in range(WARM_UP + BURSTS)][WARM_UP:]
    in_c, in_python = (statistics.median(column) for column in zip(*times))
    print(f"{name:34} {in_c:9.3f} {in_python:9.3f} {in_python / in_c:8.3f}", flush=True)


def heading(column):
    print(f"{'us a call':34} {'plain C':>9} {column:>9} {'ratio':>8}")


def plain_driver(path):
    library = ctypes.PyDLL(path)
    library.plain_kernel.restype = ctypes.c_char_p
    for function in library.plain_launch, library.plain_allocate_free, library.plain_copy:
        function.restype = ctypes.c_double
    result = library.plain_open()
    if result:
        raise RuntimeError(f"plain C: error {result}")
    return library


def main():
    import pycuda.autoinit  # noqa: F401

    plain = plain_driver(sys.argv[1])
    add = drv.module_from_buffer(plain.plain_kernel()).get_function("add")
    add.prepare("PPPi")
    a, b, dest = (drv.mem_alloc(128) for _ in range(3))
    array = np.zeros(400, np.float32)
    known = {"drv": drv, "add": add, "a": a, "b": b, "dest": dest, "n": np.int32(32), "block": (32, 1, 1), "grid": (1, 1),
             "stream": drv.Stream(), "array": array, "memory": drv.mem_alloc(array.nbytes)}

    heading("Python")
    compare("__call__", plain.plain_launch, "add(dest, a, b, n, block=block, grid=grid)", known)
    compare("__call__ on a stream", plain.plain_launch, "add(dest, a, b, n, block=block, grid=grid, stream=stream)", known)
    compare("prepared_call", plain.plain_launch, "add.prepared_call(grid, block, dest, a, b, 32)", known)
    compare("prepared_async_call", plain.plain_launch, "add.prepared_async_call(grid, block, stream, dest, a, b, 32)", known)
    compare("mem_alloc and free, 1 MB", plain.plain_allocate_free, "drv.mem_alloc(1 << 20).free()", known)
    compare("memcpy_htod, 1,600 bytes", plain.plain_copy, "drv.memcpy_htod(memory, array)", known)


if __name__ == "__main__":
    main()
