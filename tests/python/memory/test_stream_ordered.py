"""Stream-ordered memory: allocated and freed in the order of a stream's work."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver


@pytest.fixture(autouse=True)
def memory_pools(context, device):
    if not device.get_attribute(drv.device_attribute.MEMORY_POOLS_SUPPORTED):
        pytest.skip("no memory pools")


def live():
    gc.collect()
    return _driver._live_handles("stream-ordered allocation")


def test_is_stream_ordered_device_memory():
    stream = drv.Stream()
    memory = drv.mem_alloc_async(bytes=256, stream=stream)
    assert isinstance(memory, drv.StreamOrderedAllocation) and hex(int(memory)) in repr(memory)
    source = drv.pagelocked_empty(64, np.float32)
    source[:] = np.arange(64)
    result = drv.pagelocked_zeros(64, np.float32)
    drv.memcpy_htod_async(memory, source, stream)
    drv.memcpy_dtoh_async(result, memory, stream)
    memory.free_async(stream)
    assert live() == 0
    stream.synchronize()
    assert (result == source).all()


def test_is_closed_once_its_free_is_queued():
    memory = drv.mem_alloc_async(64)
    memory.free_async()
    for use in (memory.free_async, memory.free, lambda: int(memory), lambda: drv.memset_d8(memory, 0, 1)):
        with pytest.raises(drv.LogicError, match="stream-ordered allocation was freed"):
            use()
    assert "was freed" in repr(memory)


def test_is_freed_with_its_object():
    memory = drv.mem_alloc_async(64)
    assert live() == 1
    del memory
    assert live() == 0
    drv.mem_alloc_async(64).free()
    assert live() == 0


def test_errors():
    with pytest.raises(drv.LogicError, match="cuMemAllocAsync failed"):
        drv.mem_alloc_async(0)
    with pytest.raises(drv.MemoryError, match="asked for 1152921504606846976 bytes"):
        drv.mem_alloc_async(1 << 60)
    with pytest.raises(TypeError):
        drv.mem_alloc_async(64, "stream")
    with pytest.raises(AttributeError, match="No constructor"):
        drv.StreamOrderedAllocation()
