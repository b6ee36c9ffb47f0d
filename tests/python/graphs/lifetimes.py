"""What the tables of lifetimes share: the kinds of memory, how an object ends, and captures that must survive it."""

import contextlib
import gc
import threading

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from conftest import SOURCE
from external import memory as external_memory
from pycuda.compiler import SourceModule

N, NBYTES, MAPPED = 32, 128, 1 << 21
PAGE = 4096
BLOCK = (N, 1, 1)
MODES = ("global", "thread_local", "relaxed")


class World:
    """What the cells of one test share."""

    def __init__(self):
        self.add = SourceModule(SOURCE).get_function("add")
        self.stream, self.other = drv.Stream(drv.stream_flags.NON_BLOCKING), drv.Stream(drv.stream_flags.NON_BLOCKING)
        self.spare, self.flag = gpuarray.zeros(N, np.int32), gpuarray.zeros(1, np.int32) + 1
        self.decoys, self.results = [], []

    def result(self):
        """Freeing page-locked memory waits for all streams: results live as long as the world."""
        self.results.append(drv.pagelocked_zeros(N, np.int32))
        return self.results[-1]

    def fill_decoys(self):
        """Other memory, which may get the addresses of what has ended."""
        self.decoys = [drv.mem_alloc(NBYTES) for _ in range(3)] + [gpuarray.zeros(N, np.int32)]
        if drv.Device(0).get_attribute(drv.device_attribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED):
            self.decoys.append(drv.VirtualMemory(NBYTES, MAPPED))
        self.decoys.append(drv.mem_alloc_async(NBYTES, self.other))
        self.other.synchronize()
        for decoy in self.decoys:
            drv.memset_d32(getattr(decoy, "gpudata", decoy), 77, N)

    def check_decoys(self):
        for decoy in self.decoys:
            found = np.zeros(N, np.int32)
            drv.memcpy_dtoh(found, getattr(decoy, "gpudata", decoy))
            assert (found == 77).all(), "the graph wrote into other memory"
        self.decoys = []


def mapped(_):
    memory = drv.VirtualMemory(0, MAPPED)
    memory.map(drv.PhysicalMemory(NBYTES))
    return memory


def shrunk(_):
    return drv.VirtualMemory(NBYTES, MAPPED)


def ordered(world):
    memory = drv.mem_alloc_async(NBYTES, world.other)
    world.other.synchronize()
    return memory


def of_pool(world):
    memory = drv.StreamOrderedPool().allocate(NBYTES, world.other)
    world.other.synchronize()
    return memory


def external(_):
    return external_memory(PAGE)[0].map_buffer(64, NBYTES)


#: Device memory: N ints, which a graph fills with 5 or reads. Free, if it is not `free`.
DEVICE = {
    "DeviceAllocation": lambda _: drv.mem_alloc(NBYTES),
    "PooledDeviceAllocation": lambda _: drv.DeviceMemoryPool().allocate(NBYTES),
    "StreamOrderedAllocation": ordered,
    "StreamOrderedAllocation of a pool": of_pool,
    "VirtualMemory": lambda _: drv.VirtualMemory(NBYTES, MAPPED),
    "VirtualMemory of PhysicalMemory": mapped,
    "VirtualMemory, shrunk": shrunk,
    "ExternalBuffer": external,
    "ManagedAllocation": lambda _: drv.managed_zeros(N, np.int32).base,
    "GPUArray": lambda _: gpuarray.zeros(N, np.int32).gpudata,
}
#: Host memory: an array of N ints, whose base ends.
HOST = {
    "PagelockedHostAllocation": lambda _: drv.pagelocked_zeros(N, np.int32),
    "PooledHostAllocation": lambda _: drv.PageLockedMemoryPool().allocate(N, np.int32),
    "RegisteredHostMemory": lambda _: drv.register_host_memory(drv.aligned_zeros(PAGE, np.int32)[:N]),
}


def free(obj):
    obj = getattr(obj, "base", obj) if isinstance(obj, np.ndarray) else obj
    if isinstance(obj, drv.RegisteredHostMemory):
        obj.unregister()
    else:
        obj.free()


def shrink(obj):
    obj.resize(0)


#: How the object ends. Each gets a list with the only reference.
def dropped(kind, held):
    held.clear()


def freed(kind, held):
    (shrink if kind.endswith("shrunk") else free)(held[0])


def collected(kind, held):
    held.append(held)  # garbage that only the collector finds
    held.append([held.pop(0), held])
    held.clear()


def on_another_thread(kind, held):
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()


ENDS = (dropped, freed, collected, on_another_thread)


KINDS = {**DEVICE, **HOST}


@contextlib.contextmanager
def in_capture(world, mode):
    """While another stream is captured, whose graph must come out whole."""
    result = world.result()
    with world.other.capture(mode=mode) as graph:
        drv.memset_d32_async(world.spare.gpudata, 8, N, world.other)
        yield
        drv.memcpy_dtoh_async(result, world.spare.gpudata, world.other)
    graph.instantiate().launch(world.other)
    world.other.synchronize()
    assert (result == 8).all()


@pytest.fixture(scope="module")
def world():
    context = drv.Device(0).make_context()
    gc.collect()
    gc.freeze()  # collecting the garbage of a cell then takes microseconds
    world = World()
    yield world
    gc.unfreeze()
    world.__dict__.clear()
    gc.collect()
    context.pop()
