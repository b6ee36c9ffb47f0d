"""Map-reduce over more data than the devices keep, on a Dask cluster with one worker per device; one worker is killed on the way.

    python dask_map_reduce.py [--devices 1 2 4] [--points 8000000] [--keep 8]

Points that fill a square are created on the devices and stay there, up to --keep MB per device; the others move to host memory. The share of
points in the quarter circle gives pi. Then a worker is killed: Dask recomputes its points elsewhere, and the count is the same. Prints a table
of times.
"""

import argparse
import logging
import os
import signal
import time

import numpy as np
import dask.array as da
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.dask import LocalDeviceCluster, to_host
from pycuda.elementwise import ElementwiseKernel

CHUNKS = 16
META = np.empty((0, 0), np.float32)  # Dask infers the chunks' type from this


def make_points(block_info=None):
    """A chunk of points, always the same for the same place in the array: multiples of two irrational numbers fill a square evenly."""
    kernel = ElementwiseKernel("float *p, double first",
                               "p[i] = fmod((first + i / 2) * (i % 2 ? 0.5698402909980532 : 0.7548776662466927), 1)")
    info = block_info[None]
    points = gpuarray.empty(info["chunk-shape"], np.float32)
    kernel(points, float(info["array-location"][0][0]))
    return points


def count(points):
    """The number of points in the quarter circle."""
    inside = (points ** 2).sum(axis=1) < 1
    return int(to_host(inside.astype(np.int64).sum()).compute())


def run(devices, total, keep):
    with LocalDeviceCluster(devices=range(devices), device_memory_limit=keep, silence_logs=logging.ERROR) as cluster, cluster.get_client() as client:
        chunks = (total // CHUNKS,) * CHUNKS
        few = da.map_blocks(make_points, chunks=((10,) * devices, (2,)), dtype=np.float32, meta=META)
        count(few)  # compiles, which is not to be measured
        start = time.perf_counter()
        points = da.map_blocks(make_points, chunks=(chunks, (2,)), dtype=np.float32, meta=META).persist()
        first = count(points)
        seconds = time.perf_counter() - start
        spilled = sum(client.run(lambda dask_worker: dask_worker.data.spilled).values())
        if devices > 1:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        second = count(points)
        assert second == first, "the count after a worker was lost differs"
    return seconds, spilled, 4 * first / sum(chunks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, nargs="+", help="how many, in turn; by default 1, 2, 4, ... to all")
    parser.add_argument("--points", type=int, default=8_000_000)
    parser.add_argument("--keep", type=int, default=8, help="MB of points that stay on a device")
    options = parser.parse_args()
    drv.init()
    most = drv.Device.count()
    rounds = options.devices or sorted({2 ** k for k in range(most.bit_length())} | {most})
    print(f"{drv.Device(0).name()}, {8 * options.points / 1e6:.0f} MB of points, {options.keep} MB of them on each device")
    print("devices  seconds  million points a second  chunks in the host's memory  pi", flush=True)
    for number in rounds:
        seconds, spilled, pi = run(number, options.points, options.keep * 1_000_000)
        print(f"{number:7}{seconds:9.2f}{options.points / seconds / 1e6:25.1f}{spilled:20} of {CHUNKS:<5}{pi:.4f}", flush=True)


if __name__ == "__main__":
    main()
