"""In, Out, InOut, and ArgumentHandler subclasses."""

import copy
import gc
import pickle
import textwrap
import threading
import time
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from gate import Gate
from kernels import SCALE
from pycuda.compiler import SourceModule


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


def test_in_out(scale):
    y = np.arange(8, dtype=np.float32)
    scale(drv.InOut(y), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (y == 2 * np.arange(8)).all()


def test_in_does_not_change_host_memory(scale):
    y = np.arange(8, dtype=np.float32)
    scale(drv.In(y), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (y == np.arange(8)).all()


def test_out_fills_the_array(context):
    y = np.full(8, 7, np.float32)
    module = drv.module_from_buffer(SCALE.replace("mul.f32 %f3, %f2, %f1", "mov.f32 %f3, %f1"))
    module.get_function("scale")(drv.Out(y), np.float32(2.5), np.int32(8), block=(8, 1, 1))
    assert (y == 2.5).all()


def test_on_a_stream(scale):
    count = 1 << 20
    y, stream = np.ones(count, np.float32), drv.Stream()
    scale(drv.InOut(y), np.float32(2), np.int32(count), block=(256, 1, 1), grid=(count // 256, 1), stream=stream)
    stream.synchronize()
    assert (y == 2).all()


def test_arrays_are_kept_alive_until_the_copy_is_done(scale):
    count = 1 << 20
    stream = drv.Stream()
    y = np.ones(count, np.float32)
    gone = weakref.ref(y)
    for _ in range(3):
        scale(drv.InOut(y), np.float32(2), np.int32(count), block=(256, 1, 1), grid=(count // 256, 1), stream=stream)
    del y
    gc.collect()
    stream.synchronize()
    # The copy releases it on a separate thread, through the interpreter's pending calls.
    for _ in range(1000):
        if gone() is None:
            break
        drv.Event().record().synchronize()
        time.sleep(0.01)
    assert gone() is None


SPIN = """
__global__ void spin(long long *out, const int *rounds)
{
    long long x = threadIdx.x;
    for (int i = 0; i < *rounds; ++i) x = x * 6364136223846793005LL + 1442695040888963407LL;
    out[threadIdx.x] = x;
}
"""


def test_a_call_on_a_stream_does_not_wait(context):
    """It waits neither for the kernel nor to free the device copies of the arguments."""
    spin = SourceModule(SPIN).get_function("spin")
    out, rounds, stream = np.zeros(32, np.int64), np.full(1, 1000, np.int32), drv.Stream()
    while spin(drv.Out(out), drv.In(rounds), block=(32, 1, 1), time_kernel=True) < 0.2 and rounds[0] < 1 << 28:
        rounds *= 4
    done = drv.Event()
    spin(drv.Out(out), drv.In(rounds), block=(32, 1, 1), stream=stream)
    done.record(stream)
    assert not done.query()
    done.synchronize()
    stream.synchronize()


def test_in_may_be_changed_after_the_call(scale):
    count = 1 << 16
    y, stream = np.ones(count, np.float32), drv.Stream()
    result = drv.to_device(np.zeros(count, np.float32))
    handler = drv.In(y)
    scale(handler, np.float32(2), np.int32(count), block=(256, 1, 1), grid=(count // 256, 1), stream=stream)
    y[:] = 100
    drv.memcpy_dtod_async(result, handler.get_device_alloc(), y.nbytes, stream)
    stream.synchronize()
    assert (drv.from_device(result, count, np.float32) == 2).all()


def test_any_buffer(scale):
    y = bytearray(np.ones(4, np.float32).tobytes())
    scale(drv.InOut(y), np.float32(2), np.int32(4), block=(4, 1, 1))
    assert (np.frombuffer(y, np.float32) == 2).all()


def test_fortran_order(scale):
    y = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    scale(drv.InOut(y), np.float32(2), np.int32(12), block=(12, 1, 1))
    assert (y == 2 * np.arange(12).reshape(3, 4)).all()


def test_read_only_destinations(scale):
    y = np.ones(8, np.float32)
    with pytest.raises(ValueError, match="strided"):
        scale(drv.InOut(y[::2]), np.float32(2), np.int32(4), block=(4, 1, 1))
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scale(drv.Out(y), np.float32(2), np.int32(8), block=(8, 1, 1))


def test_subclass(scale):
    calls = []

    class Logged(drv.ArgumentHandler):
        def get_device_alloc(self):
            calls.append("get_device_alloc")
            return super().get_device_alloc()

        def pre_call(self, stream):
            calls.append(("pre_call", stream))
            drv.memcpy_htod(self.dev_alloc, self.array)

        def post_call(self, stream):
            calls.append(("post_call", stream))
            drv.memcpy_dtoh(self.array, self.dev_alloc)

    y = np.ones(8, np.float32)
    scale(Logged(y), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (y == 2).all()
    assert calls == ["get_device_alloc", ("pre_call", None), ("post_call", None)]
    calls.clear()
    stream = drv.Stream()
    assert scale(Logged(y), np.float32(2), np.int32(8), block=(8, 1, 1), stream=stream) is None
    assert calls == ["get_device_alloc", ("pre_call", stream), ("post_call", stream)]


def test_order_of_the_hooks(context):
    calls = []

    class Hooked(drv.ArgumentHandler):
        def pre_call(self, stream):
            calls.append(("pre", id(self)))

        def post_call(self, stream):
            calls.append(("post", id(self)))

    module = drv.module_from_buffer(""".version 8.0
        .target sm_50
        .address_size 64
        .visible .entry two(.param .u64 a, .param .u64 b) { ret; }""")
    first, second = Hooked(np.zeros(4)), Hooked(np.zeros(4))
    module.get_function("two")(first, second, block=(1, 1, 1))
    assert calls == [("pre", id(first)), ("pre", id(second)), ("post", id(first)), ("post", id(second))]


def test_a_hook_that_raises_stops_the_launch(scale):
    class Broken(drv.InOut):
        def pre_call(self, stream):
            raise KeyError("not now")

    y = np.ones(8, np.float32)
    with pytest.raises(KeyError, match="not now"):
        scale(Broken(y), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (y == 1).all()


def test_reused_handler_keeps_its_memory(scale):
    y = np.ones(8, np.float32)
    handler = drv.InOut(y)
    memory = handler.get_device_alloc()
    scale(handler, np.float32(2), np.int32(8), block=(8, 1, 1))
    scale(handler, np.float32(2), np.int32(8), block=(8, 1, 1))
    assert handler.get_device_alloc() is memory
    assert (y == 4).all()


def test_with_time_kernel(scale):
    y = np.ones(8, np.float32)
    assert scale(drv.InOut(y), np.float32(2), np.int32(8), block=(8, 1, 1), time_kernel=True) > 0
    assert (y == 2).all()


def test_handlers_are_copied_and_pickled(context):
    array = np.arange(4, dtype=np.float32)
    handler = drv.In(array)
    handler.tag = "first"
    same, other = copy.copy(handler), pickle.loads(pickle.dumps(handler))
    assert type(same) is drv.In and same.array is array and same.dev_alloc is None and same.tag == "first"
    assert type(other) is drv.In and (other.array == array).all() and other.tag == "first"
    assert drv.Out(array=array).array is array
    for wrong in (), (array, array):
        with pytest.raises(TypeError, match="ArgumentHandler"):
            drv.In(*wrong)


def test_a_cycle_through_a_handler_is_collected(context):
    handler = drv.InOut(np.zeros(4))
    handler.array = [handler]
    reference = weakref.ref(handler)
    del handler
    gc.collect()
    assert reference() is None


def test_an_attribute_that_a_subclass_computes(scale):
    class Late(drv.InOut):
        array = property(lambda self: y)

        def __init__(self):
            self.dev_alloc = None

    y = np.ones(8, np.float32)
    scale(Late(), np.float32(2), np.int32(8), block=(8, 1, 1))
    assert (y == 2).all()

    class Uninitialised(drv.In):
        def __init__(self):
            pass

    with pytest.raises(AttributeError, match="array"):
        scale(Uninitialised(), np.float32(2), np.int32(8), block=(8, 1, 1))


def test_in_out_is_an_in_and_an_out(context):
    handler = drv.InOut(np.ones(4, np.float32))
    assert isinstance(handler, drv.In) and isinstance(handler, drv.Out)


def test_a_buffer_keeps_its_size_until_it_is_written(scale):
    y, held = bytearray(np.ones(1024, np.float32).tobytes()), Gate().close()
    scale(drv.InOut(y), np.float32(2), np.int32(1024), block=(256, 1, 1), grid=(4, 1), stream=held.stream)
    with pytest.raises(BufferError):
        y.extend(bytes(1 << 20))
    held.open()
    assert np.frombuffer(bytes(y), np.float32).tolist() == [2] * 1024
    deadline = time.monotonic() + 10
    while True:
        try:
            y.extend(b"more")
            break
        except BufferError:
            assert time.monotonic() < deadline
            time.sleep(0.001)


def test_a_worker_does_not_accumulate_returned_references(context, scale):
    """While the main thread is in join, which runs no pending calls."""
    alive = []

    def work():
        with context:
            stream, arrays = drv.Stream(), []
            for _ in range(50):
                y = np.ones(1024, np.float32)
                arrays.append(weakref.ref(y))
                scale(drv.InOut(y), np.float32(2), np.int32(1024), block=(256, 1, 1), grid=(4, 1), stream=stream)
                del y
                stream.synchronize()
                time.sleep(0.002)
                alive.append(sum(array() is not None for array in arrays))

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert len(alive) == 50 and max(alive) < 25


def test_the_context_is_synchronised_before_post_call(run_python):
    """Without a stream, because a handler may read mapped memory."""
    program = textwrap.dedent("""
        import sys
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as drv

        class Looks(drv.ArgumentHandler):
            def post_call(self, stream):
                print("post_call", file=sys.stderr, flush=True)

        scale = drv.module_from_buffer(PTX).get_function("scale")
        scale(Looks(np.ones(4, np.float32)), np.float32(1), np.int32(4), block=(4, 1, 1))
    """)
    result = run_python(f"PTX = {SCALE!r}\n{program}", PYCUDA_TRACE="1")
    assert result.returncode == 0, result.stderr
    names = ("cuLaunchKernel", "cuCtxSynchronize", "post_call")
    calls = [name for line in result.stderr.splitlines() for name in names if name in line]
    assert calls[:3] == list(names), result.stderr


@pytest.mark.parametrize("handler_class", [drv.InOut, type("Mine", (drv.InOut,), {})], ids=["InOut", "subclass"])
@pytest.mark.parametrize("ended", [False, True])
def test_handlers_may_be_used_in_another_context_later(handler_class, ended):
    source = "__global__ void add(float *y) { y[threadIdx.x] += 1; }"
    handler = handler_class(np.zeros(4, np.float32))
    contexts = [drv.Device(0).make_context() for _ in range(2)]
    for n, context in enumerate(reversed(contexts)):
        SourceModule(source).get_function("add")(handler, block=(4, 1, 1))
        assert handler.array.tolist() == [n + 1] * 4
        context.detach() if ended or n else context.pop()
    if not ended:
        contexts[1].detach()


def test_memory_that_was_freed_is_not_used_again(scale):
    y = np.ones(4, np.float32)
    handler = drv.InOut(y)
    scale(handler, np.float32(2), np.int32(4), block=(4, 1, 1))
    handler.dev_alloc.free()
    scale(handler, np.float32(2), np.int32(4), block=(4, 1, 1))
    handler.array = np.ones(1 << 16, np.float32)
    scale(handler, np.float32(2), np.int32(1 << 16), block=(256, 1, 1), grid=(256, 1))
    assert (y == 4).all() and (handler.array == 2).all()
