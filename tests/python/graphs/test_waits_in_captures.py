"""Every call that waits or asks, in a capture of every mode, on this thread and on another: it works, or is refused by name, and the capture goes on."""

import threading

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda import _native
from pycuda.compiler import SourceModule

BLOCK = (32, 1, 1)
MODES = ("thread_local", "global", "relaxed")


class Objects:
    def __init__(self):
        self.add = SourceModule("__global__ void add(int *a, int k) { a[threadIdx.x] += k; }").get_function("add")
        self.captured = drv.Stream(drv.stream_flags.NON_BLOCKING)
        self.other = drv.Stream(drv.stream_flags.NON_BLOCKING)
        self.begun, self.ended = drv.Event().record(self.other), drv.Event().record(self.other)
        self.recorded = drv.Event()
        self.memory, self.host = drv.mem_alloc(128), drv.pagelocked_zeros(32, np.int32)
        drv.memset_d32(self.memory, 0, 32)
        drv.Context.synchronize()


#: call -> what it does with the captured stream, or an event recorded there. No graph can contain it.
CAPTURED = {
    "Stream.synchronize": lambda o: o.captured.synchronize(),
    "Stream.is_done": lambda o: o.captured.is_done(),
    "Stream.flags": lambda o: o.captured.flags,
    "Event.synchronize": lambda o: o.recorded.synchronize(),
    "Event.query": lambda o: o.recorded.query(),
    "Event.time_since": lambda o: o.recorded.time_since(o.begun),
    "Event.time_since ": lambda o: o.begun.time_since(o.recorded),
    "Event.time_since  ": lambda o: o.begun.time_till(o.recorded),
}
#: The same with another stream, or an event recorded there: refused where the capture's mode refuses unsafe calls.
OTHERS = {
    "Stream.synchronize": lambda o: o.other.synchronize(),
    "Stream.is_done": lambda o: o.other.is_done(),
    "Event.synchronize": lambda o: o.ended.synchronize(),
    "Event.query": lambda o: o.ended.query(),
    "memcpy_dtoh": lambda o: drv.memcpy_dtoh(o.host, o.memory),
    "memcpy_htod": lambda o: drv.memcpy_htod(o.memory, o.host),
    "memset_d32": lambda o: drv.memset_d32(o.memory, 0, 32),
}
#: The mode does not matter.
ALLOWED = {
    "time_since": lambda o: o.ended.time_since(o.begun),
    "is_capturing": lambda o: o.captured.is_capturing(),
    "record": lambda o: drv.Event().record(o.other),
    "launch": lambda o: o.add(o.memory, np.int32(0), block=BLOCK, stream=o.other),
    "wait": lambda o: o.other.wait_for_event(o.ended),
}


@pytest.fixture
def objects(context):
    return Objects()


def outcome(call, objects):
    """None, or the LogicError."""
    try:
        call(objects)
    except drv.LogicError as error:
        return error
    return None


def on_thread(call, objects, here):
    if here:
        return outcome(call, objects)
    found = []

    def run():
        context.push()
        found.append(outcome(call, objects))
        drv.Context.pop()

    context = drv.Context.get_current()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def captured(objects, mode, here, calls):
    """{call: outcome} in one capture each, which must give its graph."""
    outcomes = {}
    for name, call in calls.items():
        with objects.captured.capture(mode) as graph:
            objects.add(objects.memory, np.int32(1), block=BLOCK, stream=objects.captured)
            objects.recorded.record(objects.captured)
            outcomes[name] = on_thread(call, objects, here)
            objects.add(objects.memory, np.int32(2), block=BLOCK, stream=objects.captured)
        drv.Context.synchronize()
        drv.memset_d32(objects.memory, 0, 32)
        drv.Context.synchronize()  # a fill does not wait, nor does a non-blocking stream for it
        graph.instantiate().launch(objects.captured)
        objects.captured.synchronize()
        assert drv.from_device(objects.memory, 32, np.int32).tolist() == [3] * 32, (name, mode)
    return outcomes


@pytest.mark.parametrize("here", [True, False], ids=["this thread", "another thread"])
@pytest.mark.parametrize("mode", MODES)
def test_what_is_captured_cannot_be_waited_for(objects, mode, here):
    for name, error in captured(objects, mode, here, CAPTURED).items():
        assert error is not None and name.strip() in str(error) and "capture continues" in str(error), (name, error)


@pytest.mark.parametrize("here", [True, False], ids=["this thread", "another thread"])
@pytest.mark.parametrize("mode", MODES)
def test_other_streams_and_events(objects, mode, here):
    is_refused = mode == "global" or (mode == "thread_local" and here)
    for name, error in captured(objects, mode, here, OTHERS).items():
        assert (error is not None) == is_refused, (name, error)
        assert error is None or (name in str(error) and "capture continues" in str(error)), (name, error)
    for name, error in captured(objects, mode, here, ALLOWED).items():
        assert error is None, (name, error)


def test_an_event_is_free_again_after_a_record_outside(objects):
    o = objects
    with o.captured.capture():
        o.recorded.record(o.captured)
        o.recorded.record(o.other)
        assert outcome(lambda o: o.recorded.time_since(o.begun), o) is None or not drv.driver_info().is_cpu_device
    o.recorded.record(o.other)
    o.recorded.synchronize()
    assert o.recorded.query()


# ---- blocks of code with another stream


def test_a_block_with_another_stream_takes_part_in_the_capture(context):
    stream, other = drv.Stream(), drv.Stream()
    a = gpuarray.to_gpu(np.arange(32, dtype=np.int32))
    with stream.capture() as graph:
        b = a * 2
        with other:
            assert other.is_capturing()
            c = b + 1
        d = c * 3
    run = graph.instantiate()
    a.fill(5)
    for _ in range(2):
        run.launch(stream)
        stream.synchronize()
        assert (c.get() == 11).all() and (d.get() == 33).all()
    assert not other.is_capturing()
    with other:
        assert ((a + 1).get() == 6).all()


def test_blocks_with_streams_in_each_other_in_a_capture(context):
    stream, second, third = (drv.Stream() for _ in range(3))
    a = gpuarray.ones(32, np.int32)
    with stream.capture() as graph:
        with second:
            b = a + 1
            with third:
                c = b + 1
            with stream:
                d = c + 1
        with third, second:
            e = d + 1
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert (e.get() == 5).all()


def test_a_capture_inside_a_capture_is_another_one(context):
    stream, other = drv.Stream(), drv.Stream()
    a, b = gpuarray.ones(32, np.int32), gpuarray.ones(32, np.int32)
    with stream.capture() as outer:
        a += 1
        with other.capture() as inner:
            b += 2
        a += 3
    for graph in (outer, inner):
        graph.instantiate().launch(stream)
    stream.synchronize()
    assert (a.get() == 5).all() and (b.get() == 3).all()


def test_a_block_with_a_stream_of_another_context_in_a_capture(context):
    stream = drv.Stream()
    a = gpuarray.ones(32, np.int32)
    other = drv.Device(0).make_context()
    theirs, there = drv.Stream(), gpuarray.ones(32, np.int32)
    drv.Context.pop()
    try:
        with stream.capture() as graph:
            b = a + 1
            with theirs:
                other.push()
                there += 4
                drv.Context.pop()
            c = b + 1
        run = graph.instantiate()
        run.launch(stream)
        stream.synchronize()
        assert (c.get() == 3).all()
        other.push()
        assert (there.get() == 5).all()
        del there
        drv.Context.pop()
        del run, graph
    finally:
        del theirs
        other.detach()


def in_block(stream):
    """A generator in which a block with a stream is left open."""
    with stream:
        yield


def test_a_generator_that_ends_on_another_thread_ends_its_own_block(context):
    mine, theirs, outer = drv.Stream(), drv.Stream(), drv.Stream()
    with outer:
        left_open = in_block(mine)
        next(left_open)
        assert _native.stream_of_operation(None) is mine
        seen = []

        def collect(generators):
            context.push()
            with theirs:
                generators.clear()  # ends the generator here
                seen.append(_native.stream_of_operation(None))
            seen.append(_native.stream_of_operation(None))
            drv.Context.pop()

        generators = [left_open]
        del left_open
        thread = threading.Thread(target=collect, args=(generators,))
        thread.start()
        thread.join()
        assert seen == [theirs, None]
        assert _native.stream_of_operation(None) is outer
        assert (gpuarray.zeros(4, np.int32) + 1).get().tolist() == [1] * 4
    assert _native.stream_of_operation(None) is None


def test_a_generator_that_ends_late_on_its_thread_ends_its_own_block(context):
    first, second = drv.Stream(), drv.Stream()
    left_open = in_block(first)
    next(left_open)
    with second:
        left_open.close()
        assert _native.stream_of_operation(None) is second
    assert _native.stream_of_operation(None) is None


# ---- memory nodes in bodies


def test_a_body_cannot_allocate(context, ints):
    graph = drv.Graph()
    with graph.if_then(ints) as body:
        pass
    outside = graph.mem_alloc(64)
    for add in (lambda: body.mem_alloc(64), lambda: body.mem_free(outside)):
        try:
            add()
        except drv.LogicError as error:
            assert "body of a condition cannot allocate" in str(error)
            continue
        with pytest.raises(drv.LogicError, match="bod"):  # a driver that says so only now
            graph.instantiate()
