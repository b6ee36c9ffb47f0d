"""Pools of device and page-locked memory."""

import gc
import io
import threading

import numpy as np
import pycuda.driver as drv
import pycuda.tools as tools
import pytest

from kernels import SCALE


@pytest.fixture
def pool(context):
    return drv.DeviceMemoryPool()


def counts(pool):
    return pool.held_blocks, pool.active_blocks, pool.managed_bytes, pool.active_bytes


def test_reuses_freed_memory(pool):
    memory = pool.allocate(1000)
    address = int(memory)
    assert isinstance(memory, drv.PooledDeviceAllocation) and memory.__index__() == address and len(memory) == 1000
    assert hex(address) in repr(memory) and "1000 bytes" in repr(memory)
    assert counts(pool) == (0, 1, 1023, 1000)
    del memory
    assert counts(pool) == (1, 0, 1023, 0)
    assert int(pool.allocate(1010)) == address
    assert "1 held" in repr(pool)
    pool.free_held()
    assert counts(pool) == (0, 0, 0, 0)


def test_size_classes(pool):
    for size in (0, 1, 15, 16, 17, 1000, 1023, 1024, 12345, 1 << 40):
        size_class = pool.bin_number(size)
        assert pool.alloc_size(size_class) >= size
        assert pool.bin_number(pool.alloc_size(size_class)) == size_class
        assert pool.alloc_size(size_class) - size <= size / 16 + 1
    assert pool.bin_number(1000) == 9 * 16 + 15
    with pytest.raises(ValueError):
        pool.alloc_size(1024)
    with pytest.raises(OverflowError):
        pool.bin_number(-1)


def test_free(pool):
    memory = pool.allocate(16)
    memory.free()
    for use in (memory.free, lambda: int(memory), lambda: memory.as_buffer(4), lambda: drv.memset_d8(memory, 0, 1)):
        with pytest.raises(drv.LogicError, match="pooled device allocation was freed"):
            use()
    assert "was freed" in repr(memory)


def test_arguments(pool):
    pool.allocate(size=np.int64(8))
    pool.allocate(8, None)
    pool.allocate(8, stream=drv.Stream())
    for arguments in ((), (1, None, 2), ("8",), (1.5,), (8, 9)):
        with pytest.raises(TypeError):
            pool.allocate(*arguments)
    for keywords in ({"bytes": 8}, {"stream": None}):
        with pytest.raises(TypeError, match="allocate"):
            pool.allocate(**keywords)
    with pytest.raises(OverflowError):
        pool.allocate(-1)
    with pytest.raises(TypeError):
        drv.PooledDeviceAllocation()


def test_is_accepted_wherever_device_memory_is(pool, context):
    memory = pool.allocate(256)
    drv.memcpy_htod(memory, np.arange(64, dtype=np.float32))
    scale = drv.module_from_buffer(SCALE).get_function("scale")
    scale(memory, np.float32(2), np.int32(64), block=(64, 1, 1))
    np.testing.assert_array_equal(drv.from_device(memory, 64, np.float32), 2 * np.arange(64))
    scale.prepare("Pfi").prepared_async_call((1, 1), (64, 1, 1), drv.Stream(), memory, 2, 64)
    context.synchronize()
    np.testing.assert_array_equal(drv.from_device(memory, 64, np.float32), 4 * np.arange(64))
    interface = memory.__cuda_array_interface__
    assert interface["shape"] == (256,) and interface["data"] == (int(memory), False) and interface["version"] == 3


def test_out_of_memory(pool):
    live = pool.allocate(1000)
    with pytest.raises(drv.MemoryError, match="cuMemAlloc failed: out of memory.*1000 bytes are in use"):
        pool.allocate(1 << 60)
    assert pool.active_blocks == 1
    del live


def test_running_out_of_memory_collects_garbage(pool):
    size = drv.mem_get_info()[0] // 8 * 5
    gc.disable()
    try:
        cycle = [pool.allocate(size)]
        cycle.append(cycle)
        del cycle
        pool.allocate(size)
    finally:
        gc.enable()


def test_plain_allocations_release_held_blocks(pool):
    size = drv.mem_get_info()[0] // 8 * 5
    pool.allocate(size).free()
    assert pool.held_blocks == 1
    drv.mem_alloc(size).free()
    assert pool.held_blocks == 0


def test_blocks_outlive_the_pool(context):
    memory = drv.DeviceMemoryPool().allocate(64)
    gc.collect()
    drv.memset_d8(memory, 1, 64)
    assert drv.from_device(memory, 64, np.uint8).sum() == 64


def test_stop_holding(pool):
    memory = pool.allocate(64)
    pool.allocate(5000)
    pool.stop_holding()
    assert counts(pool) == (0, 1, 67, 64)
    del memory
    assert counts(pool) == (0, 0, 0, 0)


def test_pools_end_with_their_context(device):
    context = device.make_context()
    pool = drv.DeviceMemoryPool()
    memory = pool.allocate(64)
    context.detach()
    for use in (lambda: int(memory), lambda: pool.allocate(64)):
        with pytest.raises(drv.LogicError, match="a context that is gone"):
            use()
    memory.free()
    assert pool.managed_bytes == 0


def test_needs_a_context():
    with pytest.raises(drv.LogicError):
        drv.DeviceMemoryPool()


def test_threads(pool, context):
    def work():
        context.push()
        for n in range(300):
            a, b = pool.allocate(100 + n % 5 * 1000), pool.allocate(100)
            assert int(a) != int(b)
        context.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pool.active_blocks == 0 and pool.active_bytes == 0


# ---- page-locked memory


def test_page_locked_pool(context):
    pool = tools.PageLockedMemoryPool()
    array = pool.allocate((3, 4), np.float32)
    assert array.shape == (3, 4) and array.flags.c_contiguous and isinstance(array.base, drv.PooledHostAllocation)
    assert isinstance(array.base, drv.HostPointer)
    assert pool.allocate((3, 4), np.float32, order="F").flags.f_contiguous
    address = array.__array_interface__["data"][0]
    array[:] = 1
    assert pool.active_bytes == 48
    view = array[1:]
    del array
    assert pool.active_bytes == 48
    del view
    assert pool.active_bytes == 0
    assert address in {pool.allocate((12,), np.float32).__array_interface__["data"][0] for _ in range(2)}


def test_page_locked_allocator(context, device):
    allocator = tools.PageLockedAllocator(drv.host_alloc_flags.DEVICEMAP)
    assert allocator(64).get_flags() & drv.host_alloc_flags.DEVICEMAP
    pool = tools.PageLockedMemoryPool(allocator)
    array = pool.allocate((16,), np.uint8)
    if device.can_map_host_memory:
        drv.memset_d8(array.base.get_device_pointer(), 3, 16)
        context.synchronize()
        assert (array == 3).all()
    array.base.free()
    with pytest.raises(drv.LogicError, match="pooled host allocation was freed"):
        array.base.free()


# ---- the debugging pool


def test_debug_pool_logs(context):
    log = io.StringIO()
    pool = tools.DebugMemoryPool(interactive=False, logfile=log)
    memory = pool.allocate(1000)
    assert "1000 bytes" in log.getvalue() and "test_debug_pool_logs" in log.getvalue() and "1 active" in log.getvalue()
    drv.memset_d8(memory, 0, 1000)
    assert pool.active_blocks == 1 and len(memory) == 1000
    memory.free()
    assert pool.active_blocks == 0
    pool.allocate(500)
    assert log.getvalue().count("1 x ") == 2
