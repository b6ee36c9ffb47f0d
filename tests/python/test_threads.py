"""Threads: blocking calls let others run, and objects may be released on any thread."""

import gc
import threading
import time

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda.compiler import SourceModule


def run_in_threads(count, work):
    errors = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_waiting_lets_other_threads_run(context):
    spin = SourceModule("""
    __global__ void spin(long long *out, int rounds)
    {
        long long x = threadIdx.x;
        for (int i = 0; i < rounds; ++i) x = x * 6364136223846793005LL + 1442695040888963407LL;
        out[threadIdx.x] = x;
    }""").get_function("spin")
    memory, rounds = drv.mem_alloc(8 * 32), 1000
    while True:  # increases the work until it takes at least 0.2 s on this device
        seconds = spin(memory, np.int32(rounds), block=(32, 1, 1), time_kernel=True)
        if seconds > 0.2 or rounds > 1 << 29:
            break
        rounds *= 4
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    spin(memory, np.int32(rounds), block=(32, 1, 1))
    start = time.monotonic()
    context.synchronize()
    end = time.monotonic()
    stop.set()
    thread.join()
    assert sum(start < t < end for t in ticks) >= (end - start) * 50


def test_many_threads_with_one_context(context):
    scale = drv.module_from_buffer(SCALE).get_function("scale")

    def work(number):
        context.push()
        try:
            stream = drv.Stream()
            for _ in range(20):
                y = np.full(256, number, np.float32)
                scale(drv.InOut(y), np.float32(2), np.int32(256), block=(256, 1, 1), stream=stream)
                stream.synchronize()
                assert (y == 2 * number).all()
        finally:
            drv.Context.pop()

    run_in_threads(4, work)


def test_context_per_thread(device):
    def work(number):
        ctx = device.make_context()
        memory = drv.to_device(np.full(100, number, np.int32))
        assert (drv.from_device(memory, 100, np.int32) == number).all()
        ctx.pop()

    run_in_threads(4, work)


def test_destruction_in_another_thread(context):
    objects = [drv.mem_alloc(1024), drv.Stream(), drv.Event(), drv.module_from_buffer(SCALE)]

    def drop(_):
        objects.clear()
        gc.collect()

    run_in_threads(1, drop)
    assert objects == []
    drv.mem_alloc(16).free()


def test_freeing_an_array_that_others_use(context):
    for _ in range(20):
        array = drv.matrix_to_array(np.ones((16, 16), np.float32), "C")
        refused = []

        def work(number):
            context.push()
            try:
                for i in range(100):
                    if number == 0 and i == 50:
                        array.free()
                    array.get_descriptor()
                    drv.memcpy_atoh(np.empty(16, np.float32), array, 0)
            except drv.LogicError as error:
                refused.append(str(error))
            finally:
                drv.Context.pop()

        run_in_threads(4, work)
        assert len(refused) >= 1 and set(refused) == {"array was freed"}


def test_garbage_cycles_collected_in_another_thread(context):
    class Node:
        pass

    for _ in range(10):
        node = Node()
        node.me, node.memory, node.stream = node, drv.mem_alloc(64), drv.Stream()
    del node
    run_in_threads(1, lambda _: gc.collect())


def test_a_thread_that_ends_with_a_pushed_context(device):
    kept = []

    def work(_):
        kept.append(device.make_context())

    run_in_threads(1, work)
    assert drv.Context.get_current() is None
    kept[0].push()
    drv.mem_alloc(16).free()
    drv.Context.pop()
    kept[0].detach()


@pytest.mark.parametrize("freed, how", [
    ("drv.mem_alloc(1000)", "memory.free()"), ("drv.mem_alloc(1000)", "del memory"), ("drv.pagelocked_empty(1000, np.uint8).base", "memory.free()"),
    ("drv.managed_empty(1000, np.uint8, mem_flags=drv.mem_attach_flags.GLOBAL).base", "memory.free()"), ("pool.allocate(1000)", "memory.free()"),
    ("pool.allocate(1000)", "del memory"), ("gpuarray.GPUArray(1000, np.uint8, allocator=pool.allocate)", "del memory"),
    ("gpuarray.GPUArray(1000, np.uint8)", "memory.gpudata = None")])
def test_freeing_lets_host_functions_run(freed, how, run_python):
    """The driver waits for the function, which waits for the GIL."""
    result = run_python(f"""
import threading
import numpy as np
import pycuda.autoprimaryctx
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.tools import DeviceMemoryPool
pool = DeviceMemoryPool()
memory = {freed}
pool.stop_holding()
drv.DeviceMemoryPool.of_current_context().stop_holding()
stream, opened = drv.Stream(), threading.Event()
threading.Timer(0.1, opened.set).start()
stream.add_callback(opened.wait)
{how}
stream.synchronize()
""")
    assert result.returncode == 0, result.stderr
