"""The stream of a __cuda_array_interface__: each use of the memory comes after the work that its owner has queued there."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

N = 64
BLOCK = (N, 1, 1)
SOURCE = """
__global__ void late(int *a, int k, long long ns) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - begin < ns);
    for (int i = 0; i < 64; ++i) a[i] = k;
}
__global__ void take(int *d, const int *s) { d[threadIdx.x] = s[threadIdx.x]; }
"""
LEGACY, PER_THREAD = 1, 2
LATE = np.int64(40_000_000)


class Produced:
    """Another library's array, which work on its stream has yet to fill."""

    def __init__(self, memory, stream):
        self.memory = memory
        self.__cuda_array_interface__ = {"shape": (N,), "typestr": "<i4", "data": (int(memory), False), "version": 3, "stream": stream}


class Setting:
    def __init__(self):
        module = SourceModule(SOURCE)
        self.late, self.take = module.get_function("late"), module.get_function("take")
        self.prepared = SourceModule(SOURCE).get_function("take").prepare("PP")
        self.producer, self.consumer = (drv.Stream(drv.stream_flags.NON_BLOCKING) for _ in range(2))
        self.memory, self.out = drv.mem_alloc(4 * N), drv.mem_alloc(4 * N)
        self.host = drv.pagelocked_zeros(N, np.int32)
        self.handles = {self.producer: self.producer.handle}
        self.plus_one = ElementwiseKernel("int *d, int *s", "d[i] = s[i]")
        self.sum = ReductionKernel(np.int32, "0", "a+b", map_expr="x[i]", arguments="int *x")

    def produce(self, stream, handle):
        drv.memset_d32(self.memory, 0, N)
        drv.memset_d32(self.out, 5, N)
        drv.Context.synchronize()
        self.late(self.memory, np.int32(9), LATE, block=(1, 1, 1), stream=stream)
        return Produced(self.memory, handle)

    def read(self):
        drv.Context.synchronize()
        return int(drv.from_device(self.out, N, np.int32)[0])


def rectangle(setting, produced, **options):
    copy = drv.Memcpy2D()
    copy.set_src_device(produced)
    copy.set_dst_device(setting.out)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 4 * N
    copy.height = 1
    return copy


def on(stream, work):
    with stream:
        return work()


def graph_of(add):
    def use(s, p):
        graph = drv.Graph()
        add(graph, s, p)
        graph.instantiate().launch(s.consumer)

    return use


def capture_of(work):
    def use(s, p):
        with s.consumer.capture() as graph:
            work(s, p)
        graph.instantiate().launch(s.consumer)

    return use


def updated(s, p):
    graph = drv.Graph()
    node = graph.kernel(s.take, (s.out, s.out), block=BLOCK)
    run = graph.instantiate()
    run[node].update(args=(s.out, p))
    run.launch(s.consumer)


def to_host(s, p):
    drv.memcpy_dtoh_async(s.host, p, s.consumer)
    s.consumer.synchronize()
    return int(s.host[0])


def to_host_at_once(s, p):
    drv.memcpy_dtoh(s.host, p)
    return int(s.host[0])


#: Each returns the first element that it has read, or None: then it is in `out`.
USES = {
    "launch": lambda s, p: s.take(s.out, p, block=BLOCK, stream=s.consumer),
    "launch on the default stream": lambda s, p: s.take(s.out, p, block=BLOCK),
    "prepared call": lambda s, p: s.prepared.prepared_async_call((1, 1), BLOCK, s.consumer, s.out, p),
    "prepared call on the default stream": lambda s, p: s.prepared.prepared_call((1, 1), BLOCK, s.out, p),
    "elementwise": lambda s, p: s.plus_one(gpuarray.GPUArray((N,), np.int32, gpudata=s.out), gpuarray.GPUArray((N,), np.int32, gpudata=p), stream=s.consumer),
    "operation": lambda s, p: int((gpuarray.GPUArray((N,), np.int32, gpudata=p) + 0).get()[0]),
    "operation on a stream": lambda s, p: int(on(s.consumer, lambda: gpuarray.GPUArray((N,), np.int32, gpudata=p) + 0).get()[0]),
    "view": lambda s, p: int(gpuarray.GPUArray((N,), np.int32, gpudata=p)[::2].get()[0]),
    "reduction": lambda s, p: int(s.sum(gpuarray.GPUArray((N,), np.int32, gpudata=p)).get()) // N,
    "get": lambda s, p: int(gpuarray.GPUArray((N,), np.int32, gpudata=p).get()[0]),
    "asarray": lambda s, p: int(gpuarray.asarray(p).get()[0]),
    "asarray on a stream": lambda s, p: s.take(s.out, gpuarray.asarray(p), block=BLOCK, stream=s.consumer),
    "memcpy_dtod": lambda s, p: drv.memcpy_dtod(s.out, p, 4 * N),
    "memcpy_dtod_async": lambda s, p: drv.memcpy_dtod_async(s.out, p, 4 * N, s.consumer),
    "memcpy_dtoh": to_host_at_once,
    "memcpy_dtoh_async": to_host,
    "from_device": lambda s, p: int(drv.from_device(p, N, np.int32)[0]),
    "Memcpy2D": lambda s, p: rectangle(s, p)(s.consumer),
    "Memcpy2D at once": lambda s, p: rectangle(s, p)(aligned=True),
    "node": graph_of(lambda graph, s, p: graph.kernel(s.take, (s.out, p), block=BLOCK)),
    "copy node": graph_of(lambda graph, s, p: graph.memcpy(s.out, p, 4 * N)),
    "copy node of a rectangle": graph_of(lambda graph, s, p: graph.memcpy_nd(rectangle(s, p))),
    "update": updated,
    "captured launch": capture_of(lambda s, p: s.take(s.out, p, block=BLOCK, stream=s.consumer)),
    "captured copy": capture_of(lambda s, p: drv.memcpy_dtod_async(s.out, p, 4 * N, s.consumer)),
}
#: These write the memory: they come after the owner's work, too.
WRITES = {
    "memset": lambda s, p: drv.memset_d32(p, 3, N),
    "memset_async": lambda s, p: drv.memset_d32_async(p, 3, N, s.consumer),
    "memcpy_htod": lambda s, p: drv.memcpy_htod(p, np.full(N, 3, np.int32)),
    "memcpy_htod_async": lambda s, p: drv.memcpy_htod_async(p, np.full(N, 3, np.int32), s.consumer),
    "fill": lambda s, p: gpuarray.GPUArray((N,), np.int32, gpudata=p).fill(3),
}


@pytest.fixture
def setting(context):
    return Setting()


@pytest.mark.parametrize("producer", ["non-blocking", "default", "per thread"])
def test_a_use_comes_after_the_work_of_the_owner(setting, producer):
    s = setting
    stream, handle = {"non-blocking": (s.producer, s.producer.handle), "default": (None, LEGACY),
                      "per thread": (drv.Stream.from_handle(PER_THREAD), PER_THREAD)}[producer]
    for name, use in USES.items():
        value = use(s, s.produce(stream, handle))
        assert (s.read() if value is None else value) == 9, name
    for name, write in WRITES.items():
        write(s, s.produce(stream, handle))
        drv.Context.synchronize()
        assert drv.from_device(s.memory, N, np.int32)[0] == 3, name


def test_the_same_stream_needs_no_order_and_none_no_wait(setting):
    s = setting
    for handle in (s.consumer.handle, None):
        produced = s.produce(s.consumer, handle)
        s.take(s.out, produced, block=BLOCK, stream=s.consumer)
        assert not s.consumer.is_done()
        assert s.read() == 9
    produced = s.produce(s.producer, None)  # the owner says that nothing has to be waited for
    s.take(s.out, produced, block=BLOCK, stream=s.consumer)
    s.consumer.synchronize()
    assert not s.producer.is_done()


def test_a_launch_does_not_wait_on_the_host(setting):
    s = setting
    s.take(s.out, s.produce(s.producer, s.producer.handle), block=BLOCK, stream=s.consumer)
    assert not s.producer.is_done()
    assert s.read() == 9


@pytest.mark.parametrize("stream, error", [(0, ValueError), ("1", TypeError), (-1, OverflowError), (1.0, TypeError)])
def test_what_is_no_stream_is_refused(setting, stream, error):
    produced = Produced(setting.memory, stream)
    for use in (USES["launch"], USES["asarray"], USES["memcpy_dtod"], USES["operation"]):
        with pytest.raises(error):
            use(setting, produced)


def test_memory_of_a_stream_in_the_same_capture(setting):
    s, fork, join = setting, drv.Event(), drv.Event()
    with s.consumer.capture() as graph:
        fork.record(s.consumer)
        s.producer.wait_for_event(fork)
        s.late(s.memory, np.int32(9), LATE, block=(1, 1, 1), stream=s.producer)
        s.take(s.out, Produced(s.memory, s.producer.handle), block=BLOCK, stream=s.consumer)
        join.record(s.producer)
        s.consumer.wait_for_event(join)
    drv.memset_d32(s.memory, 0, N)
    graph.instantiate().launch(s.consumer)
    assert s.read() == 9


@pytest.mark.parametrize("mode", ["thread_local", "global", "relaxed"])
def test_memory_of_a_captured_stream_outside_its_capture(setting, mode):
    """Its work has yet to be launched. The capture goes on."""
    s = setting
    third = drv.Stream(drv.stream_flags.NON_BLOCKING)
    with s.producer.capture(mode) as graph:
        s.late(s.memory, np.int32(9), np.int64(0), block=(1, 1, 1), stream=s.producer)
        for use in (lambda p: s.take(s.out, p, block=BLOCK, stream=third), lambda p: drv.memcpy_dtod_async(s.out, p, 4 * N, third), gpuarray.asarray):
            with pytest.raises(drv.LogicError, match="being captured"):
                use(Produced(s.memory, s.producer.handle))
    graph.instantiate().launch(s.producer)
    drv.Context.synchronize()
    assert drv.from_device(s.memory, N, np.int32)[0] == 9


def test_the_default_stream_behind_a_captured_one(context):
    """A wait for the default stream would end the capture."""
    s = Setting()
    s.consumer = drv.Stream()
    with s.consumer.capture() as graph:
        with pytest.raises(drv.LogicError, match="default stream"):
            s.take(s.out, Produced(s.memory, LEGACY), block=BLOCK, stream=s.consumer)
        s.take(s.out, Produced(s.memory, None), block=BLOCK, stream=s.consumer)
    drv.memset_d32(s.memory, 4, N)
    graph.instantiate().launch(s.consumer)
    assert s.read() == 4


def test_a_stream_of_another_context(context):
    s = Setting()
    other = drv.Device(0).make_context()
    try:
        theirs = drv.Stream(drv.stream_flags.NON_BLOCKING)
        handle = theirs.handle
    finally:
        drv.Context.pop()
    try:
        s.take(s.out, Produced(s.memory, handle), block=BLOCK, stream=s.consumer)
        s.read()
    finally:
        del theirs
        other.detach()
