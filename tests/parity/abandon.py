"""A program that exits without cleaning up; Abandon.java does the same. The argument is the state in which it exits."""

import sys
import threading

import numpy as np

import pycuda.driver as drv
from scenario import SCALE

N = 1 << 12

state = sys.argv[1]
drv.init()
if state == "autoinit":
    from pycuda.autoinit import context
else:
    context = drv.Device(0).make_context()
module = drv.module_from_buffer(SCALE.encode())
scale = module.get_function("scale")
allocations = [drv.mem_alloc(4 * N) for _ in range(16)]
streams = [drv.Stream() for _ in range(4)]
events = [drv.Event() for _ in range(4)]
host = np.ones(N, dtype=np.float32)
started = threading.Semaphore(0)


class Knot:
    """A reference cycle around driver objects: only the collector at exit finds it."""

    def __init__(self):
        self.me = self
        self.held = drv.mem_alloc(256), drv.Stream(), drv.Event(), module.get_function("scale")


knots = [Knot() for _ in range(4)]
Knot()


def work():
    context.push()
    mine = drv.mem_alloc(4 * N)
    stream = drv.Stream()
    started.release()
    while True:
        drv.memcpy_htod(mine, host)
        drv.memset_d32_async(mine, 0, N, stream)
        stream.synchronize()


def queue():
    for stream, event, allocation in zip(streams, events, allocations):
        for _ in range(8):
            scale(allocation, np.float32(1), np.int32(N), block=(128, 1, 1), grid=(N // 128, 1), stream=stream)
        event.record(stream)


queue()
if state == "popped":
    drv.Context.synchronize()
    drv.Context.pop()
elif state == "detached":
    drv.Context.synchronize()
    context.detach()
elif state == "queued":
    queue()
elif state == "captured":
    graph = drv.Graph()
    graph.memset(allocations[0], 0, N)
    run = graph.instantiate()
    run.launch(streams[1])
    streams[0].begin_capture()
    scale(allocations[1], np.float32(1), np.int32(N), block=(128, 1, 1), stream=streams[0])
elif state == "failed":
    try:
        scale(allocations[0], np.float32(1), np.int32(N), block=(4096, 1, 1))
    except drv.Error as error:
        failure = error
elif state == "faulted":
    # No kernel may read there: afterwards the context is unusable, but its objects must still be released normally.
    try:
        scale(np.uint64(16), np.float32(1), np.int32(N), block=(128, 1, 1))
        drv.Context.synchronize()
    except drv.LaunchError as error:
        failure = error
    else:
        sys.exit("the fault was not noticed")
elif state in ("threads", "exit"):
    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    for _ in range(4):
        started.acquire()
    if state == "exit":
        sys.exit(0)
