"""Every object that owns something of the driver ends while a stream is captured, and the capture survives. A class without its row fails."""

import gc
import itertools

import external
import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from lifetimes import DEVICE, HOST, KINDS, MODES, N, NBYTES, PAGE, collected, dropped, freed, in_capture, on_another_thread, world  # noqa: F401
from pycuda.compiler import SourceModule

def array(_):
    descriptor = drv.ArrayDescriptor()
    descriptor.width = descriptor.height = 8
    descriptor.num_channels, descriptor.format = 1, drv.array_format.FLOAT
    return drv.Array(descriptor)


def mipmapped(_):
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width = descriptor.height = 8
    descriptor.num_channels, descriptor.format = 1, drv.array_format.FLOAT
    return drv.MipmappedArray(descriptor, 2)


def surface(_):
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width = descriptor.height = 8
    descriptor.num_channels, descriptor.format = 1, drv.array_format.FLOAT
    descriptor.flags = drv.array3d_flags.SURFACE_LDST
    return drv.SurfaceObject(drv.Array(descriptor))


def with_a_block(pool):
    return [pool, pool.allocate(10)]


def event(world):
    made = drv.Event()
    made.record(world.spare_stream)
    return made


def green(_):
    """It is a part of the primary context, which must be current."""
    context = drv.Device(0).retain_primary_context()
    context.push()
    try:
        return [drv.GreenContext(drv.SMResource(drv.Device(0)).split(1, 1)[0]), context]
    finally:
        drv.Context.pop()


def executable(world):
    graph = drv.Graph()
    graph.memset(world.spare, 8, N, width=4)
    run = graph.instantiate()
    run.launch(world.spare_stream)
    return run


def graph_with_memory(world):
    graph = drv.Graph()
    graph.mem_alloc(NBYTES)
    run = graph.instantiate()
    run.launch(world.spare_stream)
    return [run, graph]


def signalled(world):
    """A semaphore whose signal is queued."""
    made, _ = external.semaphore()
    world.spare_stream.signal_semaphore(made, 1)
    return made


HANDLES = {
    "Stream": lambda _: drv.Stream(), "Event": event, "Array": array, "MipmappedArray": mipmapped, "SurfaceObject": surface,
    "TextureObject": lambda world: drv.TextureObject(array(world)), "Module": lambda _: SourceModule("__global__ void empty() {}").module,
    "PhysicalMemory": lambda _: drv.PhysicalMemory(1), "StreamOrderedPool": lambda _: drv.StreamOrderedPool(),
    "StreamOrderedPool in use": lambda world: (lambda pool: [pool.allocate(64, world.spare_stream), pool])(drv.StreamOrderedPool()),
    "DeviceMemoryPool": lambda _: with_a_block(drv.DeviceMemoryPool()), "PageLockedMemoryPool": lambda _: drv.PageLockedMemoryPool().allocate(10, np.int32),
    "Library": lambda _: (lambda library: (library.get_kernel("scale").function(), library)[1])(drv.Library.from_buffer(SCALE.encode())),
    "ExternalMemory": lambda _: external.memory(PAGE)[0], "ExternalSemaphore": signalled,
    "Graph": lambda _: drv.Graph(), "Graph with memory": graph_with_memory, "ExecutableGraph": executable, "GreenContext": green,
    "AlignedHostAllocation": lambda _: drv.aligned_zeros(N, np.int32),
    "Context": lambda _: (lambda context: (drv.Context.pop(), context)[1])(drv.Device(0).make_context()),
}
#: They have a handle that belongs to another object.
VALUES = {"Device", "Function", "GraphNode", "Kernel"}
#: Two processes, or OpenGL: their own tests have rows.
ELSEWHERE = {"IPCMemoryHandle", "RegisteredBuffer", "RegisteredImage", "RegisteredMapping"}


@pytest.mark.parametrize("kind", {**DEVICE, **HOST, **HANDLES})
def test_a_capture_survives_the_end_of_any_other_object(world, kind):
    world.spare_stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    for mode, end in itertools.product(MODES, (dropped, collected, on_another_thread) + ((freed,) if kind in KINDS else ())):
        held = [{**DEVICE, **HOST, **HANDLES}[kind](world)]
        world.spare_stream.synchronize()
        try:
            with in_capture(world, mode):
                end(kind, held)
                if end is collected:
                    gc.collect()
        except Exception as error:
            raise AssertionError(f"{kind}, {end.__name__}, {mode}") from error
    del world.spare_stream
    drv.Context.synchronize()


def owners():
    """The classes that own something of the driver: those that can be freed or have a handle, and are not derived from another one."""
    classes = {value for value in vars(drv).values() if isinstance(value, type) and value.__module__.startswith("pycuda")}
    return {cls.__name__ for cls in classes if any(hasattr(cls, name) for name in ("free", "handle", "gl_handle", "free_held"))}


def test_each_class_that_owns_something_has_its_row():
    rows = {name.split(",")[0].split(" ")[0] for name in {**DEVICE, **HOST, **HANDLES}} | ELSEWHERE
    assert owners() <= rows | VALUES, "add a row to DEVICE, HOST or HANDLES"
