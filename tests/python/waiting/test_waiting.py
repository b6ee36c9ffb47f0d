"""Objects that a program closes explicitly behind a Python function in a stream."""

import gc
import threading
import time

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from last_references import KINDS
from watchdog import PATIENCE, watchdog  # noqa: F401


@pytest.fixture
def busy(context):
    """A host function that constantly requests the GIL; its event."""
    done = threading.Event()

    def function():
        deadline = time.monotonic() + 0.1
        while time.monotonic() < deadline:
            time.sleep(0.001)
        done.set()

    stream = drv.Stream()
    stream.add_callback(function)
    yield done
    assert done.wait(PATIENCE / 2)
    stream.synchronize()


def pool_with_held_block():
    pool = drv.DeviceMemoryPool()
    pool.allocate(100).free()
    return pool


def host_pool_with_held_block():
    pool = drv.PageLockedMemoryPool()
    pool.allocate(100, np.uint8)
    return pool


def block_of_a_pool_that_stopped():
    pool = drv.DeviceMemoryPool()
    block = pool.allocate(100)
    pool.stop_holding()
    return block


ENDS = {
    "DeviceAllocation.free": (lambda: drv.mem_alloc(100), lambda memory: memory.free()),
    "stream-ordered free": (lambda: drv.mem_alloc_async(100), lambda memory: memory.free()),
    "page-locked free": (lambda: drv.pagelocked_empty(100, np.uint8), lambda array: array.base.free()),
    "managed free": (lambda: drv.managed_empty(100, np.uint8, mem_flags=drv.mem_attach_flags.GLOBAL), lambda array: array.base.free()),
    "DeviceMemoryPool.free_held": (pool_with_held_block, lambda pool: pool.free_held()),
    "DeviceMemoryPool.stop_holding": (pool_with_held_block, lambda pool: pool.stop_holding()),
    "PageLockedMemoryPool.free_held": (host_pool_with_held_block, lambda pool: pool.free_held()),
    "PageLockedMemoryPool.stop_holding": (host_pool_with_held_block, lambda pool: pool.stop_holding()),
    "block of a pool that stopped": (block_of_a_pool_that_stopped, lambda block: block.free()),
    "Array.free": (KINDS["Array"], lambda array: array.free()),
    "synchronize": (drv.Context.get_current, lambda _: drv.Context.synchronize()),
}


@pytest.mark.parametrize("end", ENDS)
def test_functions_run_while_closing(context, end, request):
    make, finish = ENDS[end]
    thing = make()
    request.getfixturevalue("busy")
    finish(thing)


@pytest.mark.parametrize("end", ENDS)
def test_releasing_objects_in_a_host_function(context, end):
    """A driver thread must not call the driver: objects released there are destroyed a little later, on another thread."""
    kept = [ENDS[end][0]()]
    stream = drv.Stream()
    stream.add_callback(lambda: (kept.clear(), gc.collect()))
    stream.synchronize()
    assert kept == []


def test_detach(device):
    context = device.make_context()
    done = threading.Event()
    drv.Stream().add_callback(lambda: (time.sleep(0.05), done.set()))
    context.detach()
    assert done.is_set()


def test_releasing_a_module_on_many_threads(context, busy):
    modules = [drv.module_from_buffer(SCALE.encode()) for _ in range(4)]
    threads = [threading.Thread(target=modules.pop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert modules == []
