import asyncio
import functools
import gc
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE


def test_stream(context):
    stream = drv.Stream()
    assert stream.synchronize() is None
    assert stream.is_done() is True
    assert isinstance(stream.handle, int) and stream.handle != 0
    assert drv.Stream(flags=drv.stream_flags.NON_BLOCKING).is_done()


def test_wait_for_event(context):
    first, second = drv.Stream(), drv.Stream()
    event = drv.Event().record(first)
    second.wait_for_event(event)
    second.synchronize()
    assert event.query()


def test_needs_a_context():
    with pytest.raises(drv.LogicError):
        drv.Stream()


def test_bad_flags(context):
    with pytest.raises(drv.LogicError):
        drv.Stream(99)
    with pytest.raises(TypeError):
        drv.Stream("fast")


def test_subclass(context):
    class Named(drv.Stream):
        def __init__(self, name):
            super().__init__()
            self.name = name

    stream = Named("copies")
    drv.memset_d8_async(drv.mem_alloc(16), 1, 16, stream)
    stream.synchronize()
    assert stream.name == "copies"


def test_subclass_without_the_base_init(context):
    class Forgetful(drv.Stream):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="Forgetful.*__init__"):
        drv.memset_d8_async(drv.mem_alloc(16), 1, 16, Forgetful())


def test_cycles_are_collected(context):
    stream = drv.Stream()
    stream.me = stream
    del stream
    gc.collect()  # for the leak fixture


def test_priority(context):
    least, greatest = drv.Context.get_stream_priority_range()
    assert greatest <= least
    assert drv.Stream().priority == 0 or least == 0
    stream = drv.Stream(flags=drv.stream_flags.NON_BLOCKING, priority=greatest)
    assert stream.priority == greatest
    assert stream.flags == drv.stream_flags.NON_BLOCKING


def test_stream_of_another_library(context):
    owner = drv.Stream()
    borrowed = drv.Stream.from_handle(owner.handle)
    assert borrowed.handle == owner.handle
    memory = drv.mem_alloc(16)
    drv.memset_d8_async(memory, 7, 16, borrowed)
    del borrowed
    owner.synchronize()  # the stream is not destroyed with the object
    assert drv.from_device(memory, 16, np.uint8).tolist() == [7] * 16
    drv.Stream.from_handle(0).synchronize()  # the default one
    with pytest.raises(TypeError, match="stream's handle"):
        drv.Stream.from_handle("7")
    with pytest.raises(OverflowError):
        drv.Stream.from_handle(1 << 80)


def test_protocol_for_other_libraries(context):
    stream = drv.Stream()
    assert stream.__cuda_stream__() == (0, stream.handle)


def test_block_waits(context):
    order = []
    with drv.Stream() as stream:
        stream.add_callback(lambda: (time.sleep(0.02), order.append("done")))
    order.append("after")
    assert order == ["done", "after"]


@pytest.mark.parametrize("streams", [1, 1500])
def test_callbacks_run_in_order(context, streams):
    """References to many come back from threads that are not Python's, while states of threads that were for one callback end."""
    for _ in range(streams):
        stream, order = drv.Stream(), []
        for n in range(50):
            stream.add_callback(functools.partial(order.append, n))
        stream.synchronize()
        assert order == list(range(50))


def test_callback_that_raises(context, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: seen.append(report.exc_type))
    stream = drv.Stream()
    stream.add_callback(lambda: 1 / 0)
    stream.synchronize()
    assert seen == [ZeroDivisionError]


def test_callback_is_a_function(context):
    with pytest.raises(TypeError, match="without parameters, not int"):
        drv.Stream().add_callback(7)


def test_callbacks_are_released(context):
    class Callback:
        def __call__(self):
            pass

    stream, callback = drv.Stream(), Callback()
    gone = weakref.ref(callback)
    stream.add_callback(callback)
    del callback
    stream.synchronize()
    deadline = time.monotonic() + 10
    while gone() is not None and time.monotonic() < deadline:
        time.sleep(0.001)
    assert gone() is None


def test_full_queue_behind_a_callback(run_python):
    """A call that waits for a full queue releases the GIL, which a function in that queue needs."""
    result = run_python(textwrap.dedent("""
        import time
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as drv
        from pycuda.compiler import SourceModule

        nothing = drv.module_from_buffer('''%s''').get_function("nothing")
        stream, calls = drv.Stream(), []
        stream.add_callback(lambda: (time.sleep(0.3), calls.append(1)))
        event = drv.Event()
        prepared = nothing.prepare("")
        for n in range(5000):
            nothing(block=(1, 1, 1), stream=stream)
            prepared.prepared_async_call((1, 1), (1, 1, 1), stream)
            event.record(stream)
        stream.synchronize()
        print(calls)
    """) % SCALE)
    assert result.stdout.strip() == "[1]", result.stderr


async def until_done(what, gate):
    """Awaits it. The gate, which it waits for, is open once the event loop has gone on for a while."""
    async def tick():
        for _ in range(5):
            await asyncio.sleep(0.001)
        gate.set()

    ticking = asyncio.create_task(tick())
    result = await what
    ticking.cancel()
    return result


def test_await(context):
    stream, gate = drv.Stream(), threading.Event()
    stream.add_callback(lambda: gate.wait(60))
    assert asyncio.run(until_done(stream, gate)) is None
    assert gate.is_set(), "the event loop must continue meanwhile"
    asyncio.run(until_done(stream, gate))  # nothing to wait for


def test_await_an_event(context):
    stream, event, gate = drv.Stream(), drv.Event(), threading.Event()
    stream.add_callback(lambda: gate.wait(60))
    event.record(stream)
    assert asyncio.run(until_done(event, gate)) is event
    assert event.query() and gate.is_set()


def test_ended_streams_are_forgotten(context, resident_bytes):
    """Where the driver does not reuse handles, too. Notes about them would also slow captures down."""

    def create(count):
        for _ in range(count):
            drv.Stream()

    create(5000)
    before = resident_bytes()
    create(60000)
    assert resident_bytes() - before < 16 * 60000
