"""Memory that a capture allocates belongs to the graph, and the object that the allocation returned refers to it."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from conftest import gone
from pycuda import _driver

N, NBYTES = 32, 128
GONE = "belongs to a graph that is gone"


@pytest.fixture
def streams(context):
    return drv.Stream(drv.stream_flags.NON_BLOCKING), drv.Stream(drv.stream_flags.NON_BLOCKING)


@pytest.fixture(params=["mem_alloc_async", "StreamOrderedPool.allocate"])
def allocate(context, request):
    pool = drv.StreamOrderedPool()
    return drv.mem_alloc_async if request.param == "mem_alloc_async" else pool.allocate


def filled(allocate, stream):
    """A graph that allocates memory and fills it with 5, and the object of that memory."""
    with stream.capture() as graph:
        memory = allocate(NBYTES, stream)
        drv.memset_d32_async(memory, 5, N, stream)
    return graph, memory


def lost(allocate, stream, other):
    with pytest.raises(drv.LogicError, match="was not joined"):
        with stream.capture():
            memory = allocate(NBYTES, stream)
            event = drv.Event()
            event.record(stream)
            other.wait_for_event(event)
            drv.memset_d8_async(memory, 0, NBYTES, other)
    return memory


def raised(allocate, stream, other):
    with pytest.raises(KeyError):
        with stream.capture():
            memory = allocate(NBYTES, stream)
            raise KeyError
    return memory


def never_launched(allocate, stream, other):
    return filled(allocate, stream)[1]


def instantiated(allocate, stream, other):
    graph, memory = filled(allocate, stream)
    graph.instantiate()
    return memory


def launched(allocate, stream, other):
    graph, memory = filled(allocate, stream)
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    assert (drv.from_device(memory, (N,), np.int32) == 5).all()
    return memory


def launched_and_freed(allocate, stream, other):
    graph, memory = filled(allocate, stream)
    run = graph.instantiate()
    run.launch(stream)
    memory.free_async(stream)
    run.launch(stream)
    return filled(allocate, stream)[1]


@pytest.mark.parametrize("end", [lost, raised, never_launched, instantiated, launched, launched_and_freed])
def test_the_object_outlives_the_graph_and_frees_nothing(streams, allocate, end, capfd):
    memory = end(allocate, *streams)
    streams[0].synchronize()

    def is_gone():
        try:
            int(memory)
        except drv.LogicError as error:
            return GONE in str(error)
        return False

    assert gone(is_gone)
    for use in (lambda: drv.memset_d32(memory, 5, N), memory.free_async, memory.free):
        with pytest.raises(drv.LogicError, match=GONE):
            use()
    drv.Context.synchronize()
    others = [drv.mem_alloc(NBYTES) for _ in range(40)] + [drv.mem_alloc_async(NBYTES, streams[1]) for _ in range(5)]
    streams[1].synchronize()
    for number, other in enumerate(others):
        drv.memset_d32(other, number, N)
    del memory
    gc.collect()
    more = [drv.mem_alloc(NBYTES) for _ in range(40)]
    assert len({int(other) for other in others + more}) == len(others) + len(more)
    for number, other in enumerate(others):
        assert (drv.from_device(other, (N,), np.int32) == number).all()
    assert "failed in clean-up" not in capfd.readouterr().err


def test_a_graph_that_ends_in_another_capture_frees_what_is_its_own(streams, allocate):
    stream, other = streams
    for _ in range(5):
        graph, memory = filled(allocate, stream)
        run = graph.instantiate()
        run.launch(stream)
        stream.synchronize()
        mine = []
        with other.capture(mode="relaxed") as second:
            drv.memset_d8_async(drv.mem_alloc(16), 0, 16, other)
            del graph, run, memory
            gc.collect()
            mine += [drv.mem_alloc(NBYTES) for _ in range(3)]
        for one in mine:
            drv.memset_d32(one, 7, N)
        drv.Context.synchronize()
        del second
        gc.collect()
        for one in mine:
            assert (drv.from_device(one, (N,), np.int32) == 7).all()


@pytest.mark.parametrize("used", [False, True])
def test_free_async_in_the_capture_is_a_node(streams, allocate, used):
    stream, _ = streams
    with stream.capture() as graph:
        memory = allocate(NBYTES, stream)
        if used:
            drv.memset_d32_async(memory, 5, N, stream)
        memory.free_async(stream)
        with pytest.raises(drv.LogicError, match="was freed"):
            memory.free_async(stream)
    assert [node.kind for node in graph.nodes][-1] == drv.graph_node_kind.MEM_FREE
    run = graph.instantiate()
    for _ in range(3):
        run.launch(stream)
    stream.synchronize()


def test_it_is_freed_after_each_launch(streams, allocate):
    stream, other = streams
    graph, memory = filled(allocate, stream)
    run = graph.instantiate()
    for free in (memory.free, lambda: memory.free_async(other)):
        with pytest.raises(drv.LogicError, match="after each launch"):
            free()
    for _ in range(2):
        run.launch(stream)
    stream.synchronize()
    assert (drv.from_device(memory, (N,), np.int32) == 5).all()
    memory.free()
    with pytest.raises(drv.LogicError, match="was freed"):
        memory.free()
    run.launch(stream)
    stream.synchronize()


def test_free_is_refused_in_its_own_capture_which_continues(streams, allocate):
    stream, _ = streams
    with stream.capture() as graph:
        memory = allocate(NBYTES, stream)
        with pytest.raises(drv.LogicError, match="being captured"):
            memory.free()
        memory.free_async(stream)
    graph.instantiate().launch(stream)
    stream.synchronize()


def test_another_graph_keeps_the_memory_that_it_uses(streams, allocate):
    stream, other = streams
    graph, memory = filled(allocate, stream)
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    result = drv.pagelocked_zeros(N, np.int32)
    reader = drv.Graph()
    reader.memcpy(result, memory, NBYTES)
    read = reader.instantiate()
    del graph, run, memory, reader
    gc.collect()
    drv.Context.synchronize()
    others = [drv.mem_alloc_async(NBYTES, other) for _ in range(20)] + [drv.mem_alloc(NBYTES) for _ in range(20)]
    for one in others:
        drv.memset_d32(one, 0, N)
    read.launch(stream)
    stream.synchronize()
    assert (result == 5).all()


def test_memory_on_another_stream_may_be_allocated_and_freed_in_a_capture(streams, allocate):
    stream, other = streams
    with stream.capture() as graph:
        memory = allocate(NBYTES, other)
        drv.memset_d32_async(memory, 1, N, other)
        memory.free_async(other)
        drv.memset_d32_async(drv.mem_alloc_async(NBYTES, stream), 1, N, stream)
    assert len(graph.nodes) == 2
    graph.instantiate().launch(stream)
    stream.synchronize()


def test_nothing_is_left_of_a_graph_with_memory(streams, allocate):
    before = _driver._live_handles("graph")
    graph, memory = filled(allocate, streams[0])
    node = graph.mem_alloc(NBYTES)
    run = graph.instantiate()
    run.launch(streams[0])
    del graph, memory, node, run
    assert gone(lambda: _driver._live_handles("graph") == before)
