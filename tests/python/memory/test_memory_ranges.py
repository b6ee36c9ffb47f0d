"""Ranges of managed memory that one driver call prefetches or discards."""

import mmap

import numpy as np
import pycuda.driver as drv
import pytest

pytestmark = pytest.mark.skipif(drv.get_driver_version() < 13000, reason="batches need a driver of CUDA 13.0")
PLACE = drv.mem_range_attribute.LAST_PREFETCH_LOCATION


@pytest.fixture
def stream(device, context):
    if not device.concurrent_managed_access:
        pytest.skip("the device does not access managed memory concurrently with the host")
    return drv.Stream()


def test_prefetches(stream):
    first, second = drv.managed_zeros(1 << 14, np.uint32), drv.managed_zeros(1 << 14, np.uint32)
    first[:], second[:] = 1, 2
    ranges = drv.MemoryRanges().add(first.base, first.nbytes).add(second.base, second.nbytes)
    assert ranges.count == 2
    for place in (0, -1, drv.Device(0)):
        ranges.prefetch(place, stream)
        stream.synchronize()
        expected = -1 if isinstance(place, int) and place == -1 else 0
        assert [drv.mem_range_get_attribute(array.base, array.nbytes, PLACE) for array in (first, second)] == [expected] * 2
    assert (first == 1).all() and (second == 2).all()


def test_discarded_memory_can_be_written_again(stream):
    memory = drv.managed_zeros(1 << 14, np.uint32)
    memory[:] = 5
    ranges = drv.MemoryRanges().add(memory.base, memory.nbytes)
    ranges.discard(stream)
    drv.memset_d32_async(memory.base.get_device_pointer(), 9, 1 << 14, stream)
    stream.synchronize()
    assert (memory == 9).all()
    ranges.discard_and_prefetch(0, stream)
    drv.memset_d32_async(memory.base.get_device_pointer(), 11, 1 << 14, stream)
    stream.synchronize()
    assert (memory == 11).all()


def test_no_ranges(stream):
    ranges = drv.MemoryRanges()
    ranges.prefetch(0, stream)
    ranges.discard(stream)
    ranges.discard_and_prefetch(-1, stream)
    assert ranges.count == 0


@pytest.mark.parametrize("action", [lambda ranges, stream: ranges.prefetch(0, stream), lambda ranges, stream: ranges.discard(stream),
                                    lambda ranges, stream: ranges.discard_and_prefetch(0, stream)])
def test_wrong_arguments(stream, action):
    managed, plain = drv.managed_zeros(64, np.uint8), drv.mem_alloc(64)
    for memory, nbytes in ((plain, 64), (managed.base, 0)):
        with pytest.raises(drv.LogicError, match="1 ranges, which must be managed memory"):
            action(drv.MemoryRanges().add(memory, nbytes), stream)
    with pytest.raises(TypeError):
        action(drv.MemoryRanges().add(managed.base, 64), None)
    with pytest.raises(TypeError):
        drv.MemoryRanges().add("memory", 64)
    with pytest.raises((drv.LogicError, ValueError)):
        drv.MemoryRanges().add(managed.base, 64).prefetch(1000, stream)


def test_a_captured_stream_refuses_them(stream, is_cpu_device):
    """cuda.h does not say so: the CPU device refuses them. The stream must be usable afterwards in any case."""
    memory = drv.managed_zeros(1 << 14, np.uint32)
    try:
        with stream.capture():
            drv.MemoryRanges().add(memory.base, memory.nbytes).prefetch(0, stream)
    except drv.LogicError as error:
        assert "captur" in str(error)
    else:
        assert not is_cpu_device
    drv.MemoryRanges().add(memory.base, memory.nbytes).prefetch(0, stream)
    stream.synchronize()


# ---- where memory is

needs_locations = pytest.mark.skipif(drv.get_driver_version() < 13040 and not drv.driver_info().is_cpu_device, reason="locations need a driver of CUDA 13.4")
DEVICE, HOST, NONE = drv.mem_location_type.DEVICE, drv.mem_location_type.HOST, drv.mem_location_type.NONE


@needs_locations
def test_locations_of_managed_memory(stream):
    memory = drv.managed_empty(4096, np.uint32)
    address = int(memory.base.get_device_pointer())
    drv.mem_prefetch_async(address, 4096, 0, stream)
    stream.synchronize()
    memory[1024:2048] = 1
    locations = drv.mem_range_get_locations(address, memory.nbytes, 4096, 1024)
    assert locations[0] == (DEVICE, 0) and locations[1][0] in (HOST, drv.mem_location_type.HOST_NUMA) and len(locations) == 4
    assert drv.mem_range_get_locations(address, 4096) == [(DEVICE, 0)]
    assert len(drv.mem_range_get_locations(address, 10, 3)) == 4


@needs_locations
def test_locations_of_pageable_memory(context, is_cpu_device):
    memory = np.frombuffer(mmap.mmap(-1, 1 << 16), np.uint8)  # its own pages, which nothing has used
    address = memory.ctypes.data
    assert drv.mem_range_get_locations(address, 8192, 4096) == [(NONE, 0), (NONE, 0)] or not is_cpu_device
    memory[:] = 1
    assert drv.mem_range_get_locations(address, 4096)[0][0] in (HOST, drv.mem_location_type.HOST_NUMA)


@needs_locations
def test_memory_without_locations(context):
    device, managed = drv.mem_alloc(64), drv.managed_zeros(16, np.uint32)
    pinned = drv.pagelocked_zeros(16, np.uint32)
    for address, *sizes in ((device, 64), (pinned.ctypes.data, 64), (0x1000, 1), (managed.base, 0), (managed.base, 64, 128), (managed.base, 64, 16, 32)):
        with pytest.raises(drv.LogicError, match="expected managed memory"):
            drv.mem_range_get_locations(address, *sizes)
    with pytest.raises(ValueError, match="ask for larger regions"):
        drv.mem_range_get_locations(managed.base, 1 << 40, 1)


def test_locations_need_a_newer_driver(context):
    if drv.get_driver_version() >= 13040 or drv.driver_info().is_cpu_device:
        pytest.skip("the driver has them")
    with pytest.raises(drv.RuntimeError, match="13.4"):
        drv.mem_range_get_locations(drv.managed_zeros(1, np.uint32).base, 4)
