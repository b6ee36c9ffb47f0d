"""Operations of the sweep on memory and events shared between devices or processes."""

import functools
import os
import subprocess
import sys

import numpy as np
import pycuda.driver as drv
from operations import bytes_of, row

# ---- a second device


class Peers:
    """Memory on this device and on another one, whose context is not current."""

    def __init__(self):
        self.stream = drv.Stream()
        self.near, self.host = drv.mem_alloc(64), np.arange(64, dtype=np.uint8)
        self.reached = False
        self.here = drv.Context.get_current()
        self.there = drv.Device(1).make_context()
        self.far = drv.to_device(self.host)
        drv.Context.pop()

    def reach(self):
        """Continue where an earlier attempt stopped, in which one call failed."""
        if not self.reached:
            drv.Context.enable_peer_access(self.there)
            self.reached = True
        drv.memcpy_dtod(self.near, self.far, 64)
        drv.Context.disable_peer_access(self.there)
        self.reached = False
        return bytes_of(self.near)

    def copy(self, action):
        action(self)
        self.stream.synchronize()
        return bytes_of(self.near)

    def copy_3d(self):
        box = drv.Memcpy3DPeer()
        box.set_src_device(self.far)
        box.set_dst_device(self.near)
        box.set_src_context(self.there)
        box.set_dst_context(self.here)
        box.width_in_bytes = box.src_pitch = box.dst_pitch = 64
        box.height = box.src_height = box.dst_height = box.depth = 1
        return box


def peers(name, action):
    row(name, lambda p: p.copy(action), Peers)


row("Context.enable_peer_access", Peers.reach, Peers)
row("Device.can_access_peer.other", lambda device: device.can_access_peer(drv.Device(1)), lambda: drv.Device(0))
peers("memcpy_peer.contexts", lambda p: drv.memcpy_peer(p.near, p.far, 64, p.here, p.there))
peers("memcpy_peer_async.contexts", lambda p: drv.memcpy_peer_async(p.near, p.far, 64, p.here, p.there, p.stream))
peers("Memcpy3DPeer.contexts", lambda p: p.copy_3d()())
peers("Memcpy3DPeer.contexts_async", lambda p: p.copy_3d()(p.stream))


# ---- file descriptors, which this process opens again itself

DESCRIPTOR = drv.mem_allocation_handle_type.POSIX_FILE_DESCRIPTOR


def through_descriptor(exporter, opened):
    descriptor = exporter.export_descriptor()
    try:
        return opened(descriptor)
    finally:
        os.close(descriptor)


def shared_piece(_):
    step = drv.PhysicalMemory.granularity(drv.mem_allocation_granularity.RECOMMENDED)
    near, far = drv.VirtualMemory(), drv.VirtualMemory()
    piece = drv.PhysicalMemory(step, handle_type=DESCRIPTOR)
    near.map(piece)
    far.map(through_descriptor(piece, lambda descriptor: drv.PhysicalMemory.import_descriptor(descriptor, step)))
    drv.memset_d8(near, 7, 64)
    return bytes_of(far)


def shared_pool(_):
    pool = drv.StreamOrderedPool(handle_type=DESCRIPTOR)
    memory = pool.allocate(64)
    drv.memset_d8(memory, 7, 64)
    drv.Context.synchronize()
    opened = through_descriptor(pool, drv.StreamOrderedPool.import_descriptor)
    return bytes_of(opened.import_pointer(drv.StreamOrderedPool.export_pointer(memory)))


row("PhysicalMemory.import_descriptor", shared_piece)
row("StreamOrderedPool.import_pointer", shared_pool)


# ---- another process

OWNER = """
import sys
import warnings
import numpy as np
import pycuda.driver as drv
warnings.simplefilter("ignore")
drv.init()
context = drv.Device(0).make_context()
memory = drv.to_device(np.arange(64, dtype=np.uint8))
event = drv.Event(drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING).record().synchronize()
print(drv.mem_get_ipc_handle(memory).hex(), event.ipc_handle().hex(), flush=True)
sys.stdin.read()  # ends with this process
context.pop()
"""


@functools.cache
def owner():
    """Another process, with the handles of its memory and its event."""
    process = subprocess.Popen([sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return process, *map(bytes.fromhex, process.stdout.readline().split())


def shared_memory(handle):
    memory = drv.IPCMemoryHandle(handle)
    try:
        return bytes_of(memory)
    finally:
        memory.close()


def shared_event(handle):
    event, stream = drv.Event.from_ipc_handle(handle), drv.Stream()
    stream.wait_for_event(event)
    stream.synchronize()
    return event.synchronize().query()


row("IPCMemoryHandle", shared_memory, lambda: owner()[1])
row("Event.from_ipc_handle", shared_event, lambda: owner()[2])


# ---- memory and semaphores of other interfaces: memfds


def imported(make, nbytes):
    """What `make` imports; after a failure the descriptor is still the program's."""
    descriptor = os.memfd_create("external")
    os.ftruncate(descriptor, nbytes)
    try:
        return make(descriptor)
    except drv.Error:
        os.close(descriptor)
        raise


def external_memory():
    return imported(lambda descriptor: drv.ExternalMemory(descriptor, 1 << 16), 1 << 16)


def timeline():
    return imported(lambda descriptor: drv.ExternalSemaphore(descriptor, drv.external_semaphore_handle_type.TIMELINE_SEMAPHORE_FD), 8)


def written(external):
    buffer = external.map_buffer(64, 16)
    drv.memset_d8(buffer, 7, 16)
    read = bytes_of(external.map_buffer(64))
    buffer.free()
    return read


def image_of(external):
    shape = drv.ArrayDescriptor3D()
    shape.width = shape.height = 4
    shape.format, shape.num_channels = drv.array_format.FLOAT, 1
    levels = external.map_mipmapped_array(shape, 2)
    width = levels.get_level(1).get_descriptor().width
    levels.free()
    return width


def signalled(both):
    stream, semaphore = both
    values = drv.SemaphoreValues().add(semaphore, 2)
    stream.signal_semaphore(semaphore, 1)
    stream.wait_for_semaphore(semaphore, 1)
    stream.signal_semaphores(values)
    stream.wait_for_semaphores(values)
    stream.synchronize()


def signalled_by_a_graph(semaphore):
    graph = drv.Graph()
    signal = graph.signal_semaphores(drv.SemaphoreValues().add(semaphore, 1))
    wait = signal.wait_for_semaphores(drv.SemaphoreValues().add(semaphore, 1))
    signal.update(semaphores=drv.SemaphoreValues().add(semaphore, 2))
    wait.update(semaphores=drv.SemaphoreValues().add(semaphore, 2))
    run = graph.instantiate()
    run[signal].update(semaphores=drv.SemaphoreValues().add(semaphore, 3))
    run[wait].update(semaphores=drv.SemaphoreValues().add(semaphore, 3))
    run.launch()
    drv.Context.synchronize()
    return signal.parameters["values"], wait.parameters["values"]


if drv.driver_info().is_cpu_device:
    row("ExternalMemory", lambda _: external_memory().size)
    row("ExternalMemory.map_buffer", written, external_memory)
    row("ExternalMemory.map_mipmapped_array", image_of, external_memory)
    row("ExternalSemaphore", lambda _: int(timeline().handle_type))
    row("Stream.signal_semaphore", signalled, lambda: (drv.Stream(), timeline()))
    row("Graph.signal_semaphores", signalled_by_a_graph, timeline)
    row("mem_range_get_locations", lambda array: drv.mem_range_get_locations(array.base, array.nbytes, 4096), lambda: drv.managed_zeros(4096, np.uint32))
