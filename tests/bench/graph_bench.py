"""Graphs from Python next to the same in plain C (plain_graphs.hpp, whose library the argument names), measured as launch_bench.py does."""

import ctypes
import statistics
import sys

import numpy as np
import pycuda.driver as drv
from launch_bench import BURST, BURSTS, WARM_UP, compare, heading, plain_driver

CAPTURED = 100
LONG = {"calls": 4, "bursts": 100}


def plain_graphs(path):
    library = ctypes.PyDLL(path)
    for name in ("graph_launch", "graph_100", "node_update", "updated_launch", "capture", "100_launches"):
        getattr(library, f"plain_{name}").restype = ctypes.c_double
    if result := library.plain_graphs_open():
        raise RuntimeError(f"plain C: error {result}")
    return library


def compare_with_updated_graph(plain, library):
    """The time of a launch through an updated graph in C: no repeated launch can be faster."""
    times = [(plain.plain_launch(BURST), library.plain_updated_launch(BURST)) for _ in range(WARM_UP + BURSTS)][WARM_UP:]
    launch, updated = (statistics.median(column) for column in zip(*times))
    print(f"{'us a call':34} {'launch':>9} {'by graph':>9} {'ratio':>8}\n{'plain C':34} {launch:9.3f} {updated:9.3f} {updated / launch:8.3f}", flush=True)


def main():
    import pycuda.autoinit  # noqa: F401

    library, plain = plain_graphs(sys.argv[1]), plain_driver(sys.argv[1])
    compare_with_updated_graph(plain, library)
    add = drv.module_from_buffer(plain.fast_kernel()).get_function("add")
    a, b, dest = (drv.mem_alloc(128) for _ in range(3))
    n, block, grid, stream = np.int32(32), (32, 1, 1), (1, 1), drv.Stream()

    def launches():
        for _ in range(CAPTURED):
            add(dest, a, b, n, block=block, grid=grid, stream=stream)

    def capture():
        with stream.capture() as graph:
            launches()
        return graph

    single = drv.Graph()
    node = single.kernel(add, args=(dest, a, b, n), block=block, grid=grid)
    one, hundred = single.instantiate(), capture().instantiate()
    known = {"one": one, "hundred": hundred, "node": one[node], "stream": stream, "capture": capture, "launches": launches,
             "arguments": (dest, a, b, n)}
    heading("Python")
    compare("launch a graph of one kernel", library.plain_graph_launch, "one.launch(stream)", known)
    compare("launch a graph of 100 kernels", library.plain_graph_100, "hundred.launch(stream)", known, **LONG)
    compare("launch 100 kernels", library.plain_100_launches, "launches()", known, **LONG)
    compare("update a node's arguments", library.plain_node_update, "node.update(args=arguments)", known)
    compare("capture 100 launches", library.plain_capture, "capture()", known, **LONG)


if __name__ == "__main__":
    main()
