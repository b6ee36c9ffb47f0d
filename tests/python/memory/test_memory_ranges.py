"""Ranges of managed memory that one driver call prefetches or discards."""

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
