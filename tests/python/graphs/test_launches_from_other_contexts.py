"""Graphs launched on a stream of another context than their own: what they use is kept alive until these launches are done."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from conftest import gone

BLOCK = (32, 1, 1)
BYTES = 1 << 20


class Elsewhere:
    """A stream of another context, blocked by an event for at most 5 seconds: NVIDIA's driver waits for the launch in the second update of a node."""

    def __init__(self, device):
        self.context = device.make_context()
        self.stream, self.held = drv.Stream(), threading.Event()
        self.stream.add_callback(lambda: self.held.wait(5))
        drv.Context.pop()

    def taken(self):
        """Allocations that may reuse the memory that was just freed."""
        self.context.push()
        memory, stream = [drv.mem_alloc(BYTES) for _ in range(4)], drv.Stream(drv.stream_flags.NON_BLOCKING)
        for block in memory:
            drv.memset_d8_async(block, 3, BYTES, stream)
        stream.synchronize()
        drv.Context.pop()
        return memory

    def have_kept(self, taken):
        self.context.push()
        kept = [(drv.from_device(block, BYTES, np.uint8) == 3).all() for block in taken]
        for block in taken:
            block.free()
        drv.Context.pop()
        return all(kept)

    def finish(self):
        self.held.set()
        self.context.push()
        self.stream.synchronize()
        drv.Context.pop()
        drv.Context.synchronize()


@pytest.fixture
def elsewhere(device, context):
    made = Elsewhere(device)
    yield made
    made.held.set()
    made.context.detach()


def executable(kernels, memory):
    graph = drv.Graph()
    node = graph.kernel(kernels["add"], (memory, np.int32(1)), block=BLOCK)
    return graph.instantiate(), node


def dropped(kernels, run, node, memory):
    memory.free()


def updated(kernels, run, node, memory):
    memory.free()
    changed = drv.Graph()
    changed.kernel(kernels["add"], (drv.mem_alloc(BYTES), np.int32(1)), block=BLOCK)
    run.update(changed)


def node_updated(kernels, run, node, memory):
    memory.free()
    run[node].update(args=(drv.mem_alloc(BYTES), np.int32(1)))


def node_updated_twice(kernels, run, node, memory):
    node_updated(kernels, run, node, memory)
    node_updated(kernels, run, node, drv.mem_alloc(BYTES))


def node_updated_before(kernels, run, node, memory):
    """The launch used memory that an update had given to its node."""
    run[node].update(args=(drv.mem_alloc(BYTES), np.int32(1)))
    memory.free()


def on_a_stream(run, elsewhere):
    run.launch(elsewhere.stream)


def on_the_default_stream(run, elsewhere):
    elsewhere.context.push()
    run.launch()
    drv.Context.pop()


@pytest.mark.parametrize("launch", [on_a_stream, on_the_default_stream])
@pytest.mark.parametrize("end", [dropped, updated, node_updated, node_updated_twice, node_updated_before])
def test_memory_is_kept_until_the_launch_is_done(kernels, elsewhere, launch, end, is_cpu_device):
    free, _ = drv.mem_get_info()
    memory = drv.mem_alloc(BYTES)
    run, node = executable(kernels, drv.mem_alloc(BYTES) if end is node_updated_before else memory)
    if end is node_updated_before:
        run[node].update(args=(memory, np.int32(1)))
    launch(run, elsewhere)
    end(kernels, run, node, memory)
    del run, node, memory
    gc.collect()
    others = elsewhere.taken()
    elsewhere.finish()  # a fault if the kernel's memory has been freed
    assert elsewhere.have_kept(others)
    if is_cpu_device:  # other processes share a GPU's memory
        assert gone(lambda: drv.mem_get_info()[0] >= free)
