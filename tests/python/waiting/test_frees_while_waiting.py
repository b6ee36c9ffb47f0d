"""NVIDIA's driver does not return from calls that free memory, arrays and modules while a stream waits for a word, and neither do calls of other
threads that allocate. So nothing that is dropped, closed or collected in the meantime may stop the program, which may be what writes the word."""

import contextlib
import gc
import sys
import threading
import time

import external
import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

WORD_WRITTEN = 7


def array():
    return drv.matrix_to_array(np.zeros((8, 8), np.float32), "C")


def mipmapped_array():
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 8, 8, drv.array_format.UNSIGNED_INT8, 1
    return drv.MipmappedArray(descriptor, 2)


def external_buffer():
    return external.memory(1 << 16)[0].map_buffer(0, 64)


def used_library():
    library = drv.Library.from_buffer(SCALE)
    library.get_kernel("scale")(drv.InOut(np.zeros(10, np.float32)), np.float32(1), np.int32(10), block=(32, 1, 1))
    return library


#: Everything that the driver frees by a call that waits: how it is made, and how it is closed.
KINDS = {
    "memory": (lambda: drv.mem_alloc(64), lambda it: it.free()),
    "pitched memory": (lambda: drv.mem_alloc_pitch(64, 2, 4)[0], lambda it: it.free()),
    "managed memory": (lambda: drv.managed_zeros(4, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL), lambda it: it.base.free()),
    "a pool's memory": (lambda: DeviceMemoryPool().allocate(64), lambda it: it.free()),
    "page-locked memory": (lambda: drv.pagelocked_zeros(4, np.int32), lambda it: it.base.free()),
    "a pool's page-locked memory": (lambda: PageLockedMemoryPool().allocate(4, np.int32), lambda it: it.base.free()),
    "registered memory": (lambda: drv.register_host_memory(drv.aligned_zeros(4096, np.uint8)), lambda it: it.base.unregister()),
    "virtual memory": (lambda: drv.VirtualMemory(64), lambda it: it.free()),
    "stream-ordered memory": (lambda: drv.mem_alloc_async(64, drv.Stream()), lambda it: it.free()),
    "an array": (array, lambda it: it.free()),
    "a mipmapped array": (mipmapped_array, lambda it: it.free()),
    "a module": (lambda: SourceModule("__global__ void f() {}"), None),
    "a library": (used_library, None),
    "an external buffer": (external_buffer, lambda it: it.free()),
}


class Cycle:
    def __init__(self, it):
        self.it, self.itself = it, self


def closed(held, close):
    if close is None:
        pytest.skip("it has no such method")
    close(held[0])


def dropped(held, _):
    held.clear()


def collected(held, _):
    held[0] = Cycle(held[0])
    held.clear()
    gc.collect()


def on_another_thread(held, _):
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()


def queued_value(stream, word):
    stream.wait_value32(word, WORD_WRITTEN, drv.stream_wait_value_flags.EQ)


def queued_operations(stream, word):
    drv.MemoryOperations().wait_value32(word, WORD_WRITTEN, drv.stream_wait_value_flags.EQ).queue(stream)


def launched_graph(stream, word):
    graph = drv.Graph()
    graph.memory_operations(drv.MemoryOperations().wait_value32(word, WORD_WRITTEN, drv.stream_wait_value_flags.EQ))
    graph.instantiate().launch(stream)


def launched_capture(stream, word):
    parent = drv.Graph()
    with stream.capture() as child:
        queued_value(stream, word)
    parent.child_graph(child)
    parent.instantiate().launch(stream)


def word_to_wait_for():
    return drv.pagelocked_zeros(1, np.uint32, mem_flags=drv.host_alloc_flags.DEVICEMAP)


@contextlib.contextmanager
def waiting(wait, words=None):
    """A stream that waits until the body ends. A body that does not end by itself fails, after the host has ended the wait."""
    words = word_to_wait_for() if words is None else words
    stream = drv.Stream()
    word = int(words.base.get_device_pointer())
    given_up = threading.Event()

    def give_up():
        given_up.set()
        words[0] = WORD_WRITTEN

    watchdog = threading.Timer(15, give_up)
    wait(stream, word)
    watchdog.start()
    try:
        yield stream
        assert not stream.is_done() or given_up.is_set()
        drv.Stream()  # these do not return either while the driver frees
        drv.mem_alloc(64).free()
        assert not given_up.is_set(), "stopped until the host wrote the word"
    finally:
        watchdog.cancel()
        words[0] = WORD_WRITTEN
        stream.synchronize()


@pytest.mark.parametrize("end", [closed, dropped, collected, on_another_thread])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stops_the_program(context, kind, end):
    make, close = KINDS[kind]
    held = [make()]
    with waiting(queued_value):
        end(held, close)


@pytest.mark.parametrize("wait", [queued_value, queued_operations, launched_graph, launched_capture])
def test_every_way_to_wait(context, wait):
    memory = drv.mem_alloc(64)
    with waiting(wait):
        memory.free()


def test_frees_that_run_when_the_wait_is_queued(context):
    """They end first: none of them runs into the wait."""
    stopped, rounds, most = threading.Event(), [0], [sys.maxsize]
    filled, stream = drv.mem_alloc(1 << 23), drv.Stream(drv.stream_flags.NON_BLOCKING)

    def allocate_and_free():
        context.push()
        while not stopped.is_set():
            if rounds[0] > most[0]:  # what was freed during the wait is still there
                time.sleep(0.001)
                continue
            if stream.is_done():
                drv.memset_d8_async(filled, 0, 1 << 23, stream)  # the driver frees when it is complete
            drv.mem_alloc(64).free()
            rounds[0] += 1
        drv.Context.pop()

    thread = threading.Thread(target=allocate_and_free)
    thread.start()
    try:
        for _ in range(20 if sys.platform == "win32" else 200):  # under wine, what a hundred rounds put off fills the address space
            with waiting(queued_value):
                then = rounds[0]
                most[0] = then + 10
                eventually(lambda then=then: rounds[0] > then + 2)
            most[0] = sys.maxsize
    finally:
        stopped.set()
        thread.join()


@pytest.mark.parametrize("kind", KINDS)
def test_frees_that_wait_for_work_let_others_queue_waits(context, kind):
    """The work may end only after that. One free was put off until a wait ended, so that a thread of the library frees; this program frees
    the other."""
    make, _ = KINDS[kind]
    may_end, given_up = threading.Event(), threading.Event()
    put_off, held, dropping = [make()], [make()], threading.Event()

    def drop():
        dropping.set()
        held.clear()

    busy, thread = drv.Stream(drv.stream_flags.NON_BLOCKING), threading.Thread(target=drop)
    watchdog = threading.Timer(15, lambda: (given_up.set(), may_end.set()))
    watchdog.start()
    words = word_to_wait_for()  # to free it would wait for the work, too
    with waiting(queued_value, words):
        put_off.clear()
        busy.add_callback(may_end.wait)
    thread.start()
    dropping.wait()
    time.sleep(0.1)
    with waiting(queued_value):
        may_end.set()
        thread.join()
    watchdog.cancel()
    assert not given_up.is_set(), "the wait was not queued until the work was complete"


def test_memory_of_the_program_outlives_its_registration(context):
    """Other memory at its address could not be registered."""
    collected = threading.Event()

    class Memory(np.ndarray):
        def __del__(self):
            collected.set()

    registered = drv.register_host_memory(drv.aligned_zeros(4096, np.uint8).view(Memory))
    with waiting(queued_value):
        registered.base.unregister()
        del registered
        gc.collect()
        assert not collected.is_set(), "the registration's end was put off"
    eventually(collected.is_set)


def test_a_wait_for_a_semaphore(context):
    semaphore, word = external.semaphore()
    stream, memory = drv.Stream(), drv.mem_alloc(64)
    watchdog = threading.Timer(15, lambda: word.fill(1))
    stream.wait_for_semaphore(semaphore, 1)
    watchdog.start()
    memory.free()
    assert word[0] == 0, "stopped until the semaphore was signalled"
    watchdog.cancel()
    drv.Stream(drv.stream_flags.NON_BLOCKING).signal_semaphore(semaphore, 1)
    stream.synchronize()


def is_known(address):
    try:
        drv.mem_get_address_range(address)
    except drv.Error:
        return False
    return True


def eventually(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_it_is_freed_once_no_stream_waits(context):
    memories = [drv.mem_alloc(1 << 22) for _ in range(3)]
    addresses = [int(memory) for memory in memories]
    with waiting(queued_value):
        with waiting(queued_operations):
            memories.pop()
        assert is_known(addresses[2])
        memories.clear()
        assert all(map(is_known, addresses))
    eventually(lambda: not any(map(is_known, addresses)))


OUT_OF_MEMORY = """
import threading, time
import numpy as np, pycuda.autoinit, pycuda.driver as drv
from pycuda.tools import DeviceMemoryPool

def written_soon(words):
    time.sleep(0.3)
    words[0] = 1

ways = [drv.mem_alloc, DeviceMemoryPool().allocate]
if drv.Device(0).get_attribute(drv.device_attribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED):
    ways.append(lambda size: drv.VirtualMemory(size))
for allocate in ways:
    memory, words = drv.mem_alloc(40 << 20), drv.pagelocked_zeros(1, np.uint32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    stream = drv.Stream()
    stream.wait_value32(int(words.base.get_device_pointer()), 1)
    memory.free()
    threading.Thread(target=written_soon, args=(words,)).start()
    memory = allocate(40 << 20)
    assert words[0] == 1
    memory.free()
    del memory
    stream.synchronize()
del ways, allocate
while drv.mem_get_info()[0] < 40 << 20:
    time.sleep(0.001)  # until it is known that no stream waits any more

# Threads that run out of memory at once: what one of them frees makes room for the other.
context, got = drv.Context.get_current(), []

def take():
    context.push()
    got.append(drv.mem_alloc(20 << 20))
    context.pop()

memory, words = [drv.mem_alloc(1 << 20) for _ in range(40)], drv.pagelocked_zeros(1, np.uint32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
stream.wait_value32(int(words.base.get_device_pointer()), 1)
memory.clear()
threads = [threading.Thread(target=take) for _ in range(2)]
for thread in threads:
    thread.start()
time.sleep(0.3)
words[0] = 1
for thread in threads:
    thread.join()
assert len(got) == 2
print("done")
"""


def test_if_memory_runs_out_the_allocation_waits(run_python):
    if not drv.driver_info().is_cpu_device:
        pytest.skip("a GPU's memory is not this test's alone")
    done = run_python(OUT_OF_MEMORY, PYCUDA_CPU_MEMORY="64M")
    assert done.stdout == "done\n", done.stderr


def test_the_end_of_the_context_frees_it(context):
    mine = drv.Device(0).make_context()
    memory, words = drv.mem_alloc(64), word_to_wait_for()
    stream = drv.Stream()
    queued_value(stream, int(words.base.get_device_pointer()))
    memory.free()
    words[0] = WORD_WRITTEN
    del stream
    mine.pop()
    mine.detach()
    with pytest.raises(drv.LogicError):
        int(memory)


def test_what_a_wait_refuses_is_no_wait(context):
    memory = drv.mem_alloc(1 << 22)
    address = int(memory)
    with pytest.raises(drv.LogicError):
        drv.Stream().wait_value32(address + 1, 0)
    memory.free()
    assert not is_known(address)
