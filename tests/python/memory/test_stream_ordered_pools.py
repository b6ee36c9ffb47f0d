"""The driver's pools with properties: limits, attributes, access, and other processes."""

import gc
import os
import subprocess
import sys

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver
from pycuda.compiler import SourceModule

ATTRIBUTE, LOCATION, HANDLE = drv.mem_pool_attribute, drv.mem_location_type, drv.mem_allocation_handle_type
MIB = 1 << 20


@pytest.fixture(autouse=True)
def memory_pools(context, device):
    if not device.get_attribute(drv.device_attribute.MEMORY_POOLS_SUPPORTED):
        pytest.skip("no memory pools")


def live():
    gc.collect()
    return _driver._live_handles("stream-ordered pool")


def used(pool):
    return pool.get_attribute(ATTRIBUTE.USED_MEM_CURRENT)


def test_memory_comes_from_the_pool():
    pool, stream = drv.StreamOrderedPool(), drv.Stream()
    memory = pool.allocate(bytes=4000, stream=stream)
    assert isinstance(memory, drv.StreamOrderedAllocation) and used(pool) >= 4000
    drv.memset_d32_async(memory, 7, 1000, stream)
    stream.synchronize()
    assert (drv.from_device(memory, 1000, np.int32) == 7).all()
    memory.free_async(stream)
    stream.synchronize()
    assert used(pool) == 0
    assert pool.handle != drv.StreamOrderedPool.default_of(drv.Device(0)).handle


def test_attributes():
    pool = drv.StreamOrderedPool()
    for flag in (ATTRIBUTE.REUSE_FOLLOW_EVENT_DEPENDENCIES, ATTRIBUTE.REUSE_ALLOW_OPPORTUNISTIC, ATTRIBUTE.REUSE_ALLOW_INTERNAL_DEPENDENCIES):
        assert pool.get_attribute(flag) == 1
        pool.set_attribute(flag, 0)
        assert pool.get_attribute(flag) == 0
    pool.set_attribute(ATTRIBUTE.RELEASE_THRESHOLD, 64 * MIB)
    assert pool.get_attribute(ATTRIBUTE.RELEASE_THRESHOLD) == 64 * MIB
    stream = drv.Stream()
    memory = pool.allocate(32 * MIB, stream)
    assert pool.get_attribute(ATTRIBUTE.USED_MEM_HIGH) >= 32 * MIB
    memory.free_async(stream)
    stream.synchronize()
    reserved = pool.get_attribute(ATTRIBUTE.RESERVED_MEM_CURRENT)
    assert reserved >= 32 * MIB and used(pool) == 0  # kept for the next request, up to the threshold
    pool.trim()
    assert pool.get_attribute(ATTRIBUTE.RESERVED_MEM_CURRENT) < reserved
    assert pool.get_attribute(ATTRIBUTE.RESERVED_MEM_HIGH) >= reserved
    pool.set_attribute(ATTRIBUTE.USED_MEM_HIGH, 0)
    assert pool.get_attribute(ATTRIBUTE.USED_MEM_HIGH) == 0
    with pytest.raises(drv.LogicError, match=f"attribute {int(ATTRIBUTE.USED_MEM_HIGH)} to 5"):
        pool.set_attribute(ATTRIBUTE.USED_MEM_HIGH, 5)
    with pytest.raises(drv.LogicError, match="attribute 99"):
        pool.get_attribute(99)


def test_a_pool_cannot_exceed_its_maximum():
    if drv.get_driver_version() < 12020:
        pytest.skip("a newer driver")
    pool = drv.StreamOrderedPool(max_size=64 * MIB)
    memory = pool.allocate(32 * MIB)
    with pytest.raises(drv.MemoryError, match="asked for 134217728 bytes"):
        pool.allocate(128 * MIB)
    memory.free()


def test_the_pool_of_mem_alloc_async_can_be_changed(device):
    pool, initial = drv.StreamOrderedPool(), drv.StreamOrderedPool.default_of(device)
    assert drv.StreamOrderedPool.current_of(device).handle == initial.handle
    pool.make_current(device)
    try:
        assert drv.StreamOrderedPool.current_of(device).handle == pool.handle
        memory = drv.mem_alloc_async(1000)
        assert used(pool) >= 1000
        memory.free()
    finally:
        initial.make_current(device)
    assert live() == 1  # the driver's own pools are not counted


def test_memory_outlives_its_pool():
    pool = drv.StreamOrderedPool()
    memory = pool.allocate(4000)
    drv.memset_d32(memory, 7, 1000)
    del pool
    assert live() == 0
    assert (drv.from_device(memory, 1000, np.int32) == 7).all()
    memory.free()


def add_one(memory, stream=None):
    SourceModule("__global__ void add_one(int *x) { x[threadIdx.x] += 1; }").get_function("add_one")(memory, block=(64, 1, 1), stream=stream)


@pytest.mark.parametrize("location", ["HOST", "HOST_NUMA"])
def test_pools_of_host_memory(device, location):
    since = {"HOST": 12060, "HOST_NUMA": 12020}[location]
    supported = getattr(drv.device_attribute, f"{location}_MEMORY_POOLS_SUPPORTED")
    if drv.get_driver_version() < max(since, 13000) or not device.get_attribute(supported):
        pytest.skip("no such pools")
    pool = drv.StreamOrderedPool(location=getattr(LOCATION, location), id=0)
    pool.set_access(device)
    assert pool.get_access(device) == drv.mem_access_flags.READWRITE
    memory = pool.allocate(256)
    drv.Context.synchronize()
    host = np.frombuffer(memory.as_buffer(256), np.int32)
    host[:] = np.arange(64)
    add_one(memory)
    drv.Context.synchronize()
    assert (host == np.arange(1, 65)).all()
    del host
    memory.free()


def test_managed_pools(device):
    if drv.get_driver_version() < 13000 or not device.get_attribute(drv.device_attribute.CONCURRENT_MANAGED_ACCESS):
        pytest.skip("no managed pools")
    pool = drv.StreamOrderedPool(managed=True)
    memory = pool.allocate(256)
    drv.Context.synchronize()
    host = np.frombuffer(memory.as_buffer(256), np.int32)
    host[:] = 1
    add_one(memory)
    drv.Context.synchronize()
    assert (host == 2).all()
    del host
    memory.free()


def test_access(device):
    pool = drv.StreamOrderedPool()
    assert pool.get_access(device) == drv.mem_access_flags.READWRITE
    with pytest.raises(drv.Error):
        pool.set_access(device, drv.mem_access_flags.NONE)  # access of its own device cannot be removed


def test_access_of_another_device(device):
    if drv.Device.count() < 2 or not drv.Device(1).can_access_peer(device):
        pytest.skip("one device")
    pool, other = drv.StreamOrderedPool(), drv.Device(1)
    assert pool.get_access(other) == drv.mem_access_flags.NONE
    pool.set_access(other)
    assert pool.get_access(other) == drv.mem_access_flags.READWRITE
    memory = pool.allocate(256)
    drv.memset_d32(memory, 1, 64)
    context = other.make_context()
    try:
        add_one(memory)
        drv.Context.synchronize()
    finally:
        context.pop()
        context.detach()
    assert (drv.from_device(memory, 64, np.int32) == 2).all()
    memory.free()


OTHER_PROCESS = """
import sys, warnings
import numpy as np
import pycuda.driver as drv
warnings.simplefilter("ignore")
drv.init()
context = drv.Device(0).make_context()
pool = drv.StreamOrderedPool.import_descriptor(int(sys.argv[1]))
memory = pool.import_pointer(bytes.fromhex(sys.argv[2]))
assert (drv.from_device(memory, 64, np.int32) == np.arange(64)).all()
drv.memset_d32(memory, 7, 64)
drv.Context.synchronize()
memory.free()
try:
    pool.allocate(100)
except drv.Error:
    print("done")
del pool
context.pop()
"""


def test_two_processes_share_a_pool(device):
    if not device.get_attribute(drv.device_attribute.HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED):
        pytest.skip("no file descriptors")
    pool = drv.StreamOrderedPool(handle_type=HANDLE.POSIX_FILE_DESCRIPTOR)
    memory = pool.allocate(256)
    drv.memcpy_htod(memory, np.arange(64, dtype=np.int32))
    descriptor = pool.export_descriptor()
    try:
        handle = drv.StreamOrderedPool.export_pointer(memory)
        assert isinstance(handle, bytes) and len(handle) == 64
        other = subprocess.run([sys.executable, "-c", OTHER_PROCESS, str(descriptor), handle.hex()], capture_output=True, text=True,
                               timeout=100, env=dict(os.environ), pass_fds=[descriptor])
    finally:
        os.close(descriptor)
    assert other.stdout == "done\n", other.stderr
    assert (drv.from_device(memory, 64, np.int32) == 7).all()
    memory.free()


def test_what_is_refused():
    pool = drv.StreamOrderedPool()
    with pytest.raises(drv.LogicError, match="asked for 0 bytes"):
        pool.allocate(0)
    with pytest.raises(drv.MemoryError, match="asked for 1152921504606846976 bytes"):
        pool.allocate(1 << 60)
    with pytest.raises(drv.Error, match="POSIX_FILE_DESCRIPTOR"):
        pool.export_descriptor()
    memory = pool.allocate(64)
    with pytest.raises(drv.Error, match="pool that can be exported"):
        drv.StreamOrderedPool.export_pointer(memory)
    memory.free()
    with pytest.raises(drv.Error, match="memory of device 99"):
        drv.StreamOrderedPool(id=99)
    with open(os.devnull) as file, pytest.raises(drv.Error, match=f"file descriptor {file.fileno()}"):
        drv.StreamOrderedPool.import_descriptor(file.fileno())
    with pytest.raises(ValueError, match="another size"):
        pool.import_pointer(b"short")
    with pytest.raises(TypeError):
        drv.StreamOrderedPool("device")


DROPS_POOLS = """
import os, pycuda.driver as drv
drv.init()
context = drv.Device(0).make_context()
stream, other = drv.Stream(), drv.Stream()
say = lambda text: os.write(2, text.encode() + b"\\n")
memory = drv.StreamOrderedPool().allocate(64, stream)
say("--- memory lives")
memory.free_async(stream)
empty = drv.StreamOrderedPool()
with other.capture() as graph:
    say("--- captured")
    del empty
    drv.StreamOrderedPool().allocate(64, stream).free_async(stream)
    say("--- to be graph")
say("--- all ended")
drv.StreamOrderedPool()
context.pop()
"""


def test_a_pool_ends_after_its_memory_and_outside_captures():
    """Driver 580 crashes some calls later, if a pool is destroyed whose memory is in use, or while a stream is captured."""
    run = subprocess.run([sys.executable, "-c", DROPS_POOLS], env={**os.environ, "PYCUDA_TRACE": "1"}, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    calls = [line.split("(")[0].split()[-1] if line.startswith("[pycuda]") else line.removeprefix("--- ")
             for line in run.stderr.splitlines() if line.startswith(("[pycuda] cuMemPoolDestroy", "---"))]
    assert calls == ["memory lives", "cuMemPoolDestroy", "captured", "to be graph", "all ended", *["cuMemPoolDestroy"] * 3], run.stderr


@pytest.mark.skipif(drv.get_driver_version() < 13000, reason="pools of locations need a driver of CUDA 13.0")
def test_pools_of_locations(context):
    places, device = drv.mem_location_type, drv.Device(0)
    assert drv.StreamOrderedPool.default_at(places.DEVICE, 0).handle == drv.StreamOrderedPool.default_of(device).handle
    assert drv.StreamOrderedPool.current_at(places.DEVICE).handle == drv.StreamOrderedPool.current_of(device).handle
    managed = drv.StreamOrderedPool.default_at(places.DEVICE, 0, managed=True)
    memory = managed.allocate(64)
    drv.Context.synchronize()
    memory.free()
    own = drv.StreamOrderedPool(managed=True)
    own.make_current_at(places.DEVICE, managed=True)
    assert drv.StreamOrderedPool.current_at(places.DEVICE, managed=True).handle == own.handle
    assert drv.StreamOrderedPool.current_of(device).handle != own.handle
    managed.make_current_at(places.DEVICE, managed=True)
    with pytest.raises(drv.LogicError):
        own.make_current_at(places.DEVICE)  # which is not managed
    with pytest.raises(drv.LogicError, match="device 1000"):
        drv.StreamOrderedPool.default_at(places.DEVICE, 1000)
    with pytest.raises(TypeError):
        drv.StreamOrderedPool.default_at("device")
