"""Every hot call, that is, every C function of swig/python/calls, on 16 threads at once: with objects that all of them share, and with memory
whose contents each thread knows."""

import random
import types

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda import _driver, gpuarray
from together import THREADS, together  # noqa: F401  (a fixture)

ROUNDS = 150
NBYTES = 256


class Thread:
    """The objects of one thread, and the expected contents of its memory."""

    def __init__(self, number, shared):
        self.random = random.Random(number)
        self.shared = shared
        self.stream = drv.Stream()
        self.memory = [shared["memory"][number], drv.mem_alloc(NBYTES)]
        self.expected = [np.zeros(NBYTES, np.uint8) for _ in self.memory]
        self.host = drv.pagelocked_empty(NBYTES, np.uint8)
        self.pageable = np.empty(NBYTES, np.uint8)
        for memory in self.memory:
            drv.memset_d8(memory, 0, NBYTES)

    def chosen(self):
        """One of the two allocations, and the other one."""
        which = self.random.randrange(2)
        return which, 1 - which

    def new_bytes(self):
        return np.frombuffer(self.random.randbytes(NBYTES), np.uint8)

    def check(self, which, values):
        assert (values == self.expected[which]).all()


def mem_alloc(thread):
    memory = drv.mem_alloc(16)
    assert memory.this is not None
    thread.shared["dropped"][thread.random.randrange(8)] = memory


def free(thread):
    memory = drv.mem_alloc(16)
    memory.free()
    with pytest.raises(drv.LogicError):
        memory.free()


def memcpy_htod(thread):
    which, _ = thread.chosen()
    thread.expected[which] = thread.new_bytes()
    thread.stream.synchronize()
    drv.memcpy_htod(thread.memory[which], thread.expected[which])


def memcpy_dtoh(thread):
    which, _ = thread.chosen()
    thread.stream.synchronize()
    drv.memcpy_dtoh(thread.pageable, thread.memory[which])
    thread.check(which, thread.pageable)


def memcpy_dtod(thread):
    which, other = thread.chosen()
    thread.stream.synchronize()
    drv.memcpy_dtod(thread.memory[which], thread.memory[other], NBYTES)
    drv.Context.synchronize()
    thread.expected[which] = thread.expected[other].copy()


def memcpy_htod_async(thread):
    which, _ = thread.chosen()
    thread.stream.synchronize()  # the previous copy has read the host memory
    thread.expected[which] = thread.new_bytes()
    thread.host[:] = thread.expected[which]
    drv.memcpy_htod_async(thread.memory[which], thread.host, thread.stream)


def memcpy_dtoh_async(thread):
    which, _ = thread.chosen()
    thread.stream.synchronize()
    drv.memcpy_dtoh_async(thread.host, thread.memory[which], thread.stream)
    thread.stream.synchronize()
    thread.check(which, thread.host)


def memcpy_dtod_async(thread):
    which, other = thread.chosen()
    drv.memcpy_dtod_async(thread.memory[which], thread.memory[other], NBYTES, thread.stream)
    thread.expected[which] = thread.expected[other].copy()


def memset_d8(thread):
    which, _ = thread.chosen()
    value = thread.random.randrange(256)
    thread.stream.synchronize()
    drv.memset_d8(thread.memory[which], value, NBYTES)
    drv.Context.synchronize()
    thread.expected[which] = np.full(NBYTES, value, np.uint8)


def memset_d32(thread):
    which, _ = thread.chosen()
    value = thread.random.randrange(2**32)
    thread.stream.synchronize()
    drv.memset_d32(thread.memory[which], value, NBYTES // 4)
    drv.Context.synchronize()
    thread.expected[which] = np.full(NBYTES // 4, value, np.uint32).view(np.uint8)


def memset_d8_async(thread):
    which, _ = thread.chosen()
    value = thread.random.randrange(256)
    drv.memset_d8_async(thread.memory[which], value, NBYTES, stream=thread.stream)
    thread.expected[which] = np.full(NBYTES, value, np.uint8)


def memset_d32_async(thread):
    which, _ = thread.chosen()
    value = thread.random.randrange(2**32)
    drv.memset_d32_async(thread.memory[which], value, NBYTES // 4, thread.stream)
    thread.expected[which] = np.full(NBYTES // 4, value, np.uint32).view(np.uint8)


def record(thread):
    event = thread.shared["event"]
    assert event.record(thread.stream) is event


def wait_for_event(thread):
    thread.stream.wait_for_event(thread.shared["event"])


def synchronize(thread):
    thread.shared["stream"].synchronize()
    thread.stream.synchronize()


HOT_CALLS = {
    "mem_alloc": mem_alloc,
    "DeviceAllocation.free": free,
    "memcpy_htod": memcpy_htod,
    "memcpy_dtoh": memcpy_dtoh,
    "memcpy_dtod": memcpy_dtod,
    "memcpy_htod_async": memcpy_htod_async,
    "memcpy_dtoh_async": memcpy_dtoh_async,
    "memcpy_dtod_async": memcpy_dtod_async,
    "memset_d8": memset_d8,
    "memset_d32": memset_d32,
    "memset_d8_async": memset_d8_async,
    "memset_d32_async": memset_d32_async,
    "Event.record": record,
    "Stream.wait_for_event": wait_for_event,
    "Stream.synchronize": synchronize,
}


def test_every_hot_call_is_tested():
    functions = {name for name, value in vars(_driver).items() if type(value) is types.BuiltinFunctionType and value.__module__ == _driver.__name__}
    proxies = [cls for cls in vars(_driver).values() if isinstance(cls, type) and "thisown" in vars(cls)]
    methods = {f"{cls.__name__}.{name}" for cls in proxies for name, value in vars(cls).items() if type(value) is types.MethodDescriptorType}
    assert functions | methods == {*HOT_CALLS, "Function.__call__"}  # which test_launches tests


def test_hot_calls(together):  # noqa: F811
    shared = {"memory": [drv.mem_alloc(NBYTES) for _ in range(THREADS)], "dropped": [None] * 8, "event": drv.Event(), "stream": drv.Stream()}

    def work(number):
        thread = Thread(number, shared)
        for _ in range(ROUNDS):
            thread.random.choice(list(HOT_CALLS.values()))(thread)
        memcpy_dtoh(thread)
        memcpy_dtoh_async(thread)

    together(work)


def test_an_allocation_has_one_pointer_object(together):  # noqa: F811
    for _ in range(ROUNDS):
        memory, found = drv.mem_alloc(16), [None] * THREADS

        def work(number):
            found[number] = memory.this

        together(work)
        assert all(this is found[0] for this in found)


def test_launches(together):  # noqa: F811
    function = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    function.prepare("Pfi")
    array, factor, count = gpuarray.to_gpu(np.ones(NBYTES, np.float32)), np.float32(1), np.int32(NBYTES)

    def work(number):
        stream = drv.Stream()
        mine = gpuarray.to_gpu(np.full(NBYTES, number, np.float32))
        for _ in range(ROUNDS):
            function(array, factor, count, block=(NBYTES, 1, 1), stream=stream)
            function.prepared_async_call((1, 1), (NBYTES, 1, 1), stream, mine.gpudata, 1, NBYTES)
        stream.synchronize()
        assert (mine.get() == number).all()

    together(work)
    assert (array.get() == 1).all()


def test_one_node_of_an_executable_graph(together):  # noqa: F811
    function = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    arrays = [gpuarray.zeros(NBYTES, np.float32) for _ in range(THREADS)]
    graph = drv.Graph()
    node = graph.kernel(function, (arrays[0], np.float32(1), np.int32(NBYTES)), block=(NBYTES, 1, 1))
    run = graph.instantiate()
    shared = run[node]

    def work(number):
        arguments = (arrays[number], np.float32(1), np.int32(NBYTES))
        for k in range(ROUNDS):
            (shared if k % 2 else run[node]).update(arguments)
            if k % 3 == 0:
                shared.update(arguments, block=(NBYTES // 2, 1, 1), grid=(2, 1))
            if k % 5 == 0:
                run.launch()

    together(work)
    run.launch()
    drv.Context.synchronize()
    assert all((array.get() == 0).all() for array in arrays)


def test_a_tensor_map(together):  # noqa: F811
    arrays = [gpuarray.zeros((64, 128), np.float32) for _ in range(4)]
    tiles = drv.TensorMap.tiled(arrays[0], (8, 16))

    def work(number):
        for k in range(ROUNDS // 4):
            assert tiles.memory is arrays[0] and tiles.address == arrays[0].ptr
            other = tiles.replace_address(arrays[k % 4])
            assert other.address == arrays[k % 4].ptr
            with pytest.raises(AttributeError):
                tiles.memory = arrays[1]

    together(work)
