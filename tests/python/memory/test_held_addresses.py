"""Objects that hold addresses for work which they will queue keep what owns the memory."""

import gc
import time
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray


class Holder(drv.PointerHolderBase):
    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def get_pointer(self):
        return int(self.memory)


class OnDemand(drv.PointerHolderBase):
    """Makes the object that owns the memory when it is asked for the address."""

    def get_pointer(self):
        self_made = drv.mem_alloc(64)
        self.made = weakref.ref(self_made)
        return self_made


class Interface:
    def __init__(self, memory):
        self.memory = memory
        self.__cuda_array_interface__ = {"shape": (16,), "typestr": "<i4", "data": (int(memory), False), "version": 3}


ways = pytest.mark.parametrize("holder", [Holder, Interface])
since_13 = pytest.mark.skipif(drv.get_driver_version() < 13000, reason="batches need a driver of CUDA 13.0")


def is_kept(reference):
    gc.collect()
    return reference() is not None


def is_let_go(reference):
    """What queued work kept is released by a thread, soon after the work is done."""
    deadline = time.monotonic() + 10
    while is_kept(reference) and time.monotonic() < deadline:
        time.sleep(0.01)
    return reference() is None


@ways
def test_memory_operations(context, holder):
    memory, stream = drv.to_device(np.zeros(16, np.int32)), drv.Stream()
    given = holder(memory)
    operations, reference = drv.MemoryOperations().write_value32(given, 5).write_value32(int(memory) + 4, 6), weakref.ref(given)
    del given
    assert is_kept(reference)
    operations.queue(stream)
    stream.synchronize()
    assert drv.from_device(memory, 2, np.int32).tolist() == [5, 6]
    del operations
    assert is_let_go(reference)


@ways
def test_nodes_of_memory_operations(context, holder):
    memory, stream, graph = drv.to_device(np.zeros(16, np.int32)), drv.Stream(), drv.Graph()
    first, second = holder(memory), holder(int(memory) + 4)
    of_first, of_second = weakref.ref(first), weakref.ref(second)
    node = graph.memory_operations(drv.MemoryOperations().write_value32(first, 5))
    run = graph.instantiate()
    run[node].update(operations=drv.MemoryOperations().write_value32(second, 6))
    del first, second
    assert is_kept(of_first) and is_kept(of_second)
    run.launch(stream)
    stream.synchronize()
    assert drv.from_device(memory, 2, np.int32).tolist() == [0, 6]
    del node, run
    assert is_let_go(of_second) and is_kept(of_first)
    del graph
    assert is_let_go(of_first)


@ways
@since_13
def test_copies(context, holder):
    source, target, stream = drv.to_device(np.arange(16, dtype=np.int32)), drv.mem_alloc(64), drv.Stream()
    given = [holder(source), holder(target)]
    references = [weakref.ref(each) for each in given]
    batch = drv.CopyBatch().add(given[1], given[0], 64)
    del given
    assert all(is_kept(each) for each in references)
    batch.queue(stream)
    stream.synchronize()
    assert drv.from_device(target, 16, np.int32).tolist() == list(range(16))
    del batch
    assert all(is_let_go(each) for each in references)


@since_13
def test_a_pools_memory_is_not_reused_before_the_copy(context):
    a, b = gpuarray.arange(1000, dtype=np.int32), gpuarray.zeros(1000, np.int32)
    batch = drv.CopyBatch().add(b, a, a.nbytes)
    del a
    other = gpuarray.zeros(1000, np.int32)
    stream = drv.Stream()
    batch.queue(stream)
    stream.synchronize()
    assert b.get().tolist() == list(range(1000)) and not other.get().any()


@since_13
def test_what_a_holder_makes_is_kept(context):
    holder, target, stream = OnDemand(), drv.mem_alloc(64), drv.Stream()
    batch = drv.CopyBatch().add(target, holder, 64)
    assert is_kept(holder.made)
    batch.queue(stream)
    stream.synchronize()
    del batch
    assert is_let_go(holder.made)


@since_13
def test_ranges(context):
    if not context.get_device().get_attribute(drv.device_attribute.CONCURRENT_MANAGED_ACCESS):
        pytest.skip("the device does not access managed memory concurrently with the host")
    words, stream = drv.managed_zeros(1024, np.uint32), drv.Stream()
    given = Holder(words.base)
    ranges, reference = drv.MemoryRanges().add(given, 4096), weakref.ref(given)
    del given
    assert is_kept(reference)
    ranges.prefetch(0, stream)
    stream.synchronize()
    del ranges
    assert is_let_go(reference)


@since_13
def test_the_cpu_device_refuses_freed_memory(context, is_cpu_device):
    if not is_cpu_device:
        pytest.skip("a GPU's driver takes an unknown address for host memory")
    target, freed = drv.mem_alloc(64), drv.mem_alloc(64)
    batch = drv.CopyBatch().add(target, freed, 64)
    freed.free()
    with pytest.raises(drv.LogicError, match="cuMemcpyBatchAsync failed: invalid argument"):
        batch.queue(drv.Stream())
