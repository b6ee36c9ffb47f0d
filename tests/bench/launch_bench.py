"""Launches and small calls from Python next to the same in plain C (plain_driver.hpp, whose library the argument names), in one
process: they take turns in bursts of 20 calls after a synchronise; medians of 300 bursts, microseconds a call."""

import ctypes
import statistics
import sys
import timeit

import numpy as np
import pycuda.driver as drv

BURST, BURSTS, WARM_UP = 20, 300, 150
LARGE = {"calls": 2, "bursts": 40}  # calls that take long


def burst(timer, calls=BURST):
    drv.Context.synchronize()
    return 1e6 * timer.timeit(calls) / calls


def compare(name, plain, statement, variables, calls=BURST, bursts=BURSTS):
    timer = timeit.Timer(statement, globals=variables)
    times = [(plain(calls), burst(timer, calls)) for _ in range(bursts // 2 + bursts)][bursts // 2:]
    in_c, in_python = (statistics.median(column) for column in zip(*times))
    print(f"{name:34} {in_c:9.3f} {in_python:9.3f} {in_python / in_c:8.3f}", flush=True)


def heading(column):
    print(f"{'us a call':34} {'plain C':>9} {column:>9} {'ratio':>8}")


def plain_driver(path):
    library = ctypes.PyDLL(path)
    library.fast_kernel.restype = ctypes.c_char_p
    for name in ("launch", "allocate_free", "copy", "copy_pinned", "copy_large", "copy_large_pinned", "in_out", "in_out_pinned"):
        getattr(library, f"plain_{name}").restype = ctypes.c_double
    result = library.plain_open()
    if result:
        raise RuntimeError(f"plain C: error {result}")
    return library


def main():
    import pycuda.autoinit  # noqa: F401

    plain = plain_driver(sys.argv[1])
    add = drv.module_from_buffer(plain.fast_kernel()).get_function("add")
    add.prepare("PPPi")
    a, b, dest = (drv.mem_alloc(128) for _ in range(3))
    array = np.zeros(400, np.float32)
    pinned = drv.pagelocked_zeros(array.shape, array.dtype)
    large, large_pinned = np.ones(4 << 20, np.float32), drv.pagelocked_zeros(4 << 20, np.float32)
    known = {"drv": drv, "x": np.ones(32, np.float32), "y": np.ones(32, np.float32), "z": np.zeros(32, np.float32), "pinned": pinned,
             "x_pinned": pinned[:32], "y_pinned": pinned[32:64], "z_pinned": pinned[64:96], "large": large, "large_pinned": large_pinned,
             "large_memory": drv.mem_alloc(large.nbytes), "pool": drv.DeviceMemoryPool(), "add": add, "a": a, "b": b, "dest": dest, "n": np.int32(32), "block": (32, 1, 1), "grid": (1, 1),
             "stream": drv.Stream(), "array": array, "memory": drv.mem_alloc(array.nbytes)}

    heading("Python")
    compare("__call__", plain.plain_launch, "add(dest, a, b, n, block=block, grid=grid)", known)
    compare("__call__ on a stream", plain.plain_launch, "add(dest, a, b, n, block=block, grid=grid, stream=stream)", known)
    compare("prepared_call", plain.plain_launch, "add.prepared_call(grid, block, dest, a, b, 32)", known)
    compare("prepared_async_call", plain.plain_launch, "add.prepared_async_call(grid, block, stream, dest, a, b, 32)", known)
    compare("mem_alloc and free, 1 MB", plain.plain_allocate_free, "drv.mem_alloc(1 << 20).free()", known)
    compare("pool's allocate and free, 1 MB", plain.plain_allocate_free, "pool.allocate(1 << 20).free()", known)
    compare("memcpy_htod, 1,600 bytes", plain.plain_copy, "drv.memcpy_htod(memory, array)", known)
    compare("memcpy_htod_async, pinned", plain.plain_copy_pinned, "drv.memcpy_htod_async(memory, pinned, stream)", known)
    compare("memcpy_htod, 16 MB", plain.plain_copy_large, "drv.memcpy_htod(large_memory, large)", known, **LARGE)
    compare("memcpy_htod, 16 MB, pinned", plain.plain_copy_large_pinned, "drv.memcpy_htod(large_memory, large_pinned)", known, **LARGE)
    handled = "add(drv.Out({0}), drv.In({1}), drv.In({2}), n, block=block, grid=grid{3})"
    compare("Out, In, In", plain.plain_in_out, handled.format("z", "x", "y", ""), known)
    compare("Out, In, In on a stream", plain.plain_in_out, handled.format("z", "x", "y", ", stream=stream"), known)
    compare("the same, pinned", plain.plain_in_out_pinned, handled.format("z_pinned", "x_pinned", "y_pinned", ", stream=stream"), known)


if __name__ == "__main__":
    main()
