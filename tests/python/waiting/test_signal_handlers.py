"""A signal handler that runs while the main thread waits may use the device like any other code: every way to wait × everything that a handler
does. The waiting thread never runs handlers in the middle of work that it carries out itself, as it may on the CPU device."""

import gc
import signal
import time

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import DynamicSourceModule, SourceModule
from signals import ALARM, alarm
from watchdog import watchdog  # noqa: F401

SOURCE = """
__device__ long long now() {
    long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}
// Ends a moment after the handler has begun. If it does not begin, ends all the same.
__global__ void wait(volatile int *begun, int *out) {
    const long long begin = now();
    while (*begun == 0 && now() - begin < 5000000000ll) {}
    const long long seen = now();
    while (now() - seen < 3000000ll) {}
    if (threadIdx.x == 0) out[blockIdx.x] = *begun;
}
__global__ void add(int *x) { x[threadIdx.x] += 1; }
__global__ void look(volatile int *begun, int *out, int *again) {
    *again = *begun == 0;
    out[0] = *begun;
}"""
LAUNCHES = SOURCE + "extern \"C\" __global__ void launch(volatile int *begun, int *out) { wait<<<1, 1>>>(begun, out); }"
BLOCKS = 4
LARGE = 1 << 18  #: bytes: a smaller copy to the device never waits


class Work:
    """What the waits and the handlers use."""

    def __init__(self):
        module = SourceModule(SOURCE)
        self.wait, self.add, self.look = map(module.get_function, ("wait", "add", "look"))
        self.launches = DynamicSourceModule(LAUNCHES, no_extern_c=True).get_function("launch")
        self.begun = drv.pagelocked_zeros(1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
        self.begun_on_device = np.uint64(self.begun.base.get_device_pointer())
        self.out = gpuarray.zeros(BLOCKS, np.int32)
        self.other = gpuarray.zeros(32, np.int32)
        self.large = drv.mem_alloc(LARGE)
        self.stream, self.event = drv.Stream(), drv.Event()
        self.pool = drv.DeviceMemoryPool()
        graph = drv.Graph()
        first = graph.memset(self.other.gpudata, 5, 32)
        graph.kernel(self.add, (self.other,), block=(32, 1, 1), after=[first])
        self.graph = graph.instantiate()
        self.add(self.other, block=(32, 1, 1))
        drv.Context.synchronize()

    def launch(self, stream=None, blocks=1):
        self.wait(self.begun_on_device, self.out, block=(1, 1, 1), grid=(blocks, 1), stream=stream)


@pytest.fixture(scope="module")
def work(module_context):
    made = Work()
    yield made
    made.__dict__.clear()
    gc.collect()


# ---- the waits

WAITS = {}


def wait(function):
    WAITS[function.__name__] = function
    return function


@wait
def context(work):
    work.launch()
    drv.Context.synchronize()


@wait
def stream(work):
    work.launch(work.stream)
    work.stream.synchronize()


@wait
def event(work):
    work.launch(work.stream)
    work.event.record(work.stream).synchronize()


@wait
def copy_from_the_device(work):
    work.launch()
    drv.memcpy_dtoh(np.empty(BLOCKS, np.int32), work.out.gpudata)


@wait
def copy_to_the_device(work):
    work.launch()
    drv.memcpy_htod(work.large, np.empty(LARGE, np.uint8))


@wait
def array(work):
    work.launch()
    work.out.get()


@wait
def pitched_copy(work):
    work.launch()
    copy = drv.Memcpy2D()
    copy.set_src_device(work.large)
    copy.set_dst_host(np.empty((4, 4), np.int32))
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
    copy.height = 4
    copy(aligned=True)


@wait
def argument_handler(work):
    work.launch()
    work.add(drv.InOut(np.zeros(32, np.int32)), block=(32, 1, 1))


@wait
def many_blocks(work):
    work.launch(blocks=BLOCKS)
    drv.Context.synchronize()


@wait
def long_queue(work):
    for _ in range(200):
        work.add(work.other, block=(32, 1, 1), stream=work.stream)
    work.launch(work.stream)
    for _ in range(200):
        work.add(work.other, block=(32, 1, 1), stream=work.stream)
    work.stream.synchronize()


@wait
def graph(work):
    graph = drv.Graph()
    first = graph.kernel(work.wait, (work.begun_on_device, work.out), block=(1, 1, 1))
    graph.kernel(work.add, (work.other,), block=(32, 1, 1), after=[first])
    graph.instantiate().launch(work.stream)
    work.stream.synchronize()


@wait
def loop_of_a_graph(work):
    again = gpuarray.zeros((), np.int32) + 1
    graph = drv.Graph()
    with graph.while_loop(again) as body:
        body.kernel(work.look, (work.begun_on_device, work.out, again), block=(1, 1, 1))
    graph.instantiate().launch(work.stream)
    work.stream.synchronize()


@wait
def launched_by_a_kernel(work):
    work.launches(work.begun_on_device, work.out, block=(1, 1, 1))
    drv.Context.synchronize()


@wait
def timed_launch(work):
    work.wait(work.begun_on_device, work.out, block=(1, 1, 1), time_kernel=True)


# ---- what a handler does

ACTIONS = {}


def action(function):
    ACTIONS[function.__name__] = function
    return function


@action
def reads_what_is_waited_for(work):
    assert work.out.get()[0] == 1


@action
def copies_to_the_device(work):
    drv.memcpy_htod(work.large, np.full(LARGE, 7, np.uint8))
    assert (drv.from_device(work.large, LARGE, np.uint8) == 7).all()


@action
def copies_in_a_stream(work):
    host = drv.pagelocked_empty(BLOCKS, np.int32)
    drv.memcpy_dtoh_async(host, work.out.gpudata, work.stream)
    work.stream.synchronize()


@action
def allocates_and_frees(work):
    drv.mem_alloc(1000).free()
    del host_memory()[:]


def host_memory():
    return [drv.pagelocked_empty(10, np.int32), drv.managed_empty(10, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL), gpuarray.zeros(10, np.int32)]


@action
def uses_pools(work):
    block = work.pool.allocate(100)
    drv.memset_d8(block, 1, 100)
    block.free()


@action
def launches(work):
    x = gpuarray.zeros(32, np.int32)
    work.add(x, block=(32, 1, 1))
    assert ((x + 1).get() == 2).all()


@action
def uses_streams_and_events(work):
    made = drv.Stream()
    drv.Event().record(made).synchronize()
    made.wait_for_event(work.event)
    made.synchronize()


@action
def synchronizes(work):
    work.stream.synchronize()
    drv.Context.synchronize()


@action
def launches_a_graph(work):
    work.graph.launch(work.stream)
    work.stream.synchronize()


@pytest.mark.parametrize("doing", ACTIONS)
@pytest.mark.parametrize("waiting", WAITS)
def test_a_handler_during_a_wait(work, waiting, doing):
    begun, done, errors = [], [], []

    def handle(*_):
        begun.append(time.monotonic())
        work.begun[0] = 1
        try:
            ACTIONS[doing](work)
        except BaseException as error:  # an exception would end the wait
            errors.append(error)
        done.append(time.monotonic())

    work.begun[0] = 1
    WAITS[waiting](work)  # compiles what it needs: the signal is to come during the wait
    work.begun[0] = 0
    before = signal.signal(ALARM, handle)
    try:
        alarm(0.005)
        sent = time.monotonic()
        WAITS[waiting](work)
    finally:
        alarm(0)
        signal.signal(ALARM, before)
    assert not errors
    assert len(begun) == len(done) == 1
    assert begun[0] - sent < 2, "the handler must not have waited for the kernel"
    assert work.out.get()[0] == 1


def test_handlers_interrupt_each_other(work):
    """Each handler waits, and the next signal arrives meanwhile."""
    results = []

    def handle(*_):
        number = len(results)
        results.append(None)
        if number < 5:
            alarm(0.005)
        else:
            work.begun[0] = 1
        results[number] = int(work.out.get()[0])

    work.begun[0] = 0
    before = signal.signal(ALARM, handle)
    try:
        alarm(0.005)
        WAITS["context"](work)
    finally:
        alarm(0)
        signal.signal(ALARM, before)
    assert results == [1] * 6
