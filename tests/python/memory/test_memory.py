"""Device memory: allocation, pointers, NumPy round trips."""

import gc
import os

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver


def test_mem_get_info(context, device, is_cpu_device):
    free, total = drv.mem_get_info()
    assert 0 < free <= total == device.total_memory()
    memory = drv.mem_alloc(64 << 20)
    if is_cpu_device:  # other processes share a GPU's memory
        assert drv.mem_get_info()[0] <= free - (64 << 20)
    memory.free()


def test_allocation_is_an_address(context):
    memory = drv.mem_alloc(1024)
    address = int(memory)
    assert address > 0 and address % 256 == 0
    assert memory.__index__() == address
    assert hex(address) in repr(memory)
    assert {memory: 1}[memory] == 1 and memory != drv.mem_alloc(1024)


def test_freed_when_unreachable(context):
    memory = drv.mem_alloc(1024)
    assert _driver._live_handles("device allocation") == 1
    del memory
    assert _driver._live_handles("device allocation") == 0


def test_use_after_free(context):
    memory = drv.mem_alloc(1024)
    memory.free()
    for use in (lambda: int(memory), lambda: drv.memset_d8(memory, 0, 1), memory.free, lambda: memory.as_buffer(4)):
        with pytest.raises(drv.LogicError, match="device allocation was freed"):
            use()
    assert "was freed" in repr(memory)


def test_sizes(context):
    drv.mem_alloc(np.int64(16)).free()
    drv.mem_alloc(bytes=16).free()
    for bad, error in ((-1, OverflowError), (1.5, TypeError), ("16", TypeError), (0, drv.LogicError)):
        with pytest.raises(error):
            drv.mem_alloc(bad)


def test_cannot_be_constructed_directly():
    with pytest.raises(AttributeError):
        drv.DeviceAllocation(16)


def test_memory_in_cycles_is_collected_when_memory_runs_out(context):
    _, total = drv.mem_get_info()
    gc.disable()
    try:
        class Node:
            pass

        node = Node()
        node.me, node.memory = node, drv.mem_alloc(total * 6 // 10)
        del node
        drv.mem_alloc(total * 6 // 10).free()
    finally:
        gc.enable()


def test_to_device_and_back(context):
    a = np.random.rand(7, 5).astype(np.float32)
    memory = drv.to_device(a)
    assert isinstance(memory, drv.DeviceAllocation)
    assert (drv.from_device(memory, a.shape, a.dtype) == a).all()
    assert (drv.from_device(memory, shape=35, dtype=np.float32) == a.ravel()).all()
    assert (drv.from_device_like(memory, a) == a).all()


def test_fortran_order(context):
    a = np.asfortranarray(np.random.rand(7, 5))
    memory = drv.to_device(a)
    back = drv.from_device(memory, a.shape, a.dtype, order="F")
    assert back.flags.f_contiguous and (back == a).all()
    back = drv.from_device_like(memory, a)
    assert back.flags.f_contiguous and (back == a).all()


def test_buffers_that_are_not_arrays(context):
    memory = drv.to_device(b"sixteen bytes of")
    back = bytearray(16)
    drv.memcpy_dtoh(back, memory)
    assert back == b"sixteen bytes of"


def test_as_buffer(context):
    memory = drv.mem_alloc(64)
    view = memory.as_buffer(size=16, offset=8)
    assert isinstance(view, memoryview) and view.nbytes == 16
    del memory
    gc.collect()
    assert _driver._live_handles("device allocation") == 1  # the view keeps it alive
    other = drv.mem_alloc(64)
    for wrong in (-1,), (8, -1), (65,), (8, 57), (2**63 - 1, 2**63 - 1):
        with pytest.raises(ValueError, match="negative|which has 64 bytes"):
            other.as_buffer(*wrong)
    assert other.as_buffer(0, 64).nbytes == 0


class Holder(drv.PointerHolderBase):
    def __init__(self, base):
        super().__init__()
        self.base = base

    def get_pointer(self):
        return int(self.base)


class Forgetful(drv.PointerHolderBase):
    def __init__(self):
        pass

    def get_pointer(self):
        return 4096


def test_pointer_holder(context):
    a = np.arange(8, dtype=np.int32)
    holder = Holder(drv.mem_alloc(a.nbytes))
    assert int(holder) == holder.__index__() == int(holder.base)
    drv.memcpy_htod(holder, a)
    assert (drv.from_device_like(holder, a) == a).all()
    assert holder.as_buffer(8).nbytes == 8


def test_pointer_holder_without_the_base_init(context):
    for use in (int, lambda p: drv.memset_d8(p, 0, 1)):
        with pytest.raises(TypeError, match=r"Forgetful.__init__ must call PointerHolderBase.__init__"):
            use(Forgetful())


def test_pointer_holder_without_get_pointer():
    with pytest.raises(NotImplementedError, match="get_pointer"):
        int(drv.PointerHolderBase())


def test_kinds_of_pointers(context):
    a = np.arange(4, dtype=np.int32)
    memory = drv.to_device(a)

    class Array:
        gpudata = memory

    class Interface:
        __cuda_array_interface__ = {"data": (int(memory), False), "shape": (4,), "typestr": "<i4", "version": 3}

    for pointer in (memory, int(memory), np.uint64(int(memory)), Holder(memory), Array(), Interface()):
        assert (drv.from_device_like(pointer, a) == a).all()
    for no_pointer in ("address", 1.5, None, object()):
        with pytest.raises(TypeError, match="device address"):
            drv.from_device_like(no_pointer, a)
    with pytest.raises(OverflowError):
        drv.from_device_like(-1, a)


def test_errors_in_user_code_propagate(context):
    class Broken(drv.PointerHolderBase):
        def get_pointer(self):
            raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        drv.memset_d8(Broken(), 0, 1)


def test_copies_that_wait(context):
    memory = drv.mem_alloc(64)
    for sync in (True, False):
        drv.mem_set_sync_memops(memory, sync)
        drv.memset_d8(memory, 3, 64)
        assert drv.from_device(memory, 64, np.uint8).tolist() == [3] * 64
    with pytest.raises(drv.LogicError, match="belongs to no allocation"):
        drv.mem_set_sync_memops(1 << 40, True)


def test_dma_bufs(device, context):
    memory = drv.mem_alloc(1 << 21)
    if not device.dma_buf_supported:
        with pytest.raises(drv.LogicError, match="must support dma-buf"):
            drv.mem_export_dma_buf(memory, 1 << 16)
        return
    descriptor = drv.mem_export_dma_buf(memory, 1 << 16)
    os.close(descriptor)
    with pytest.raises(drv.LogicError, match="multiples of a page"):
        drv.mem_export_dma_buf(memory, 3)
