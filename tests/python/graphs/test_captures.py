"""Stream capture: what becomes part of a graph, and what is rejected meanwhile."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest

BLOCK = (32, 1, 1)


def launched(graph, stream, times=1):
    run = graph.instantiate()
    for _ in range(times):
        run.launch(stream)
    stream.synchronize()


def test_a_graph_runs_what_was_captured_in_its_order(kernels, stream, ints):
    with stream.capture() as graph:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        kernels["twice"](ints, block=BLOCK, stream=stream)
        assert stream.is_capturing()
    assert not stream.is_capturing()
    assert (ints.get() == 0).all()  # nothing has been executed
    launched(graph, stream, 2)
    assert (ints.get() == 18).all()


def test_every_route_of_a_launch_is_captured(kernels, stream, ints):
    prepared = kernels["add"].prepare("Pi")
    with stream.capture() as graph:
        kernels["add"](ints, np.int32(1), block=BLOCK, stream=stream)
        prepared.prepared_async_call((1, 1), BLOCK, stream, ints, 10)
        kernels["add"](ints, np.int32(100), block=BLOCK, stream=stream, attributes={"priority": 0})
    launched(graph, stream)
    assert (ints.get() == 111).all()


def test_begin_and_end(kernels, stream, ints):
    stream.begin_capture()
    kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    graph = stream.end_capture()
    launched(graph, stream)
    assert (ints.get() == 3).all()


def test_a_capture_into_an_existing_graph(kernels, stream, ints):
    graph = drv.Graph()
    with stream.capture(to=graph) as same:
        assert same is graph
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    launched(graph, stream)
    assert (ints.get() == 3).all()


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed", drv.capture_mode.RELAXED])
def test_modes(kernels, stream, ints, mode):
    with stream.capture(mode) as graph:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    launched(graph, stream)
    assert (ints.get() == 3).all()


def test_a_wrong_mode_does_not_begin_a_capture(stream):
    with pytest.raises((TypeError, ValueError)):
        stream.begin_capture("eager")
    assert not stream.is_capturing()


def test_streams_fork_and_join_by_events(kernels, stream, context):
    first, second = gpuarray.zeros(32, np.int32), gpuarray.zeros(32, np.int32)
    other = drv.Stream()
    forked, joined = drv.Event(), drv.Event()
    with stream.capture() as graph:
        kernels["add"](first, np.int32(1), block=BLOCK, stream=stream)
        forked.record(stream)
        other.wait_for_event(forked)
        kernels["add"](second, np.int32(2), block=BLOCK, stream=other)
        assert other.is_capturing()
        kernels["twice"](first, block=BLOCK, stream=stream)
        joined.record(other)
        stream.wait_for_event(joined)
        kernels["twice"](second, block=BLOCK, stream=stream)
    assert len(graph.nodes) == 4
    launched(graph, stream)
    assert (first.get() == 2).all() and (second.get() == 4).all()


def test_a_stream_that_was_not_joined_is_named(kernels, stream, ints):
    other = drv.Stream()
    forked = drv.Event()
    stream.begin_capture()
    forked.record(stream)
    other.wait_for_event(forked)
    kernels["add"](ints, np.int32(2), block=BLOCK, stream=other)
    with pytest.raises(drv.LogicError, match="not joined"):
        stream.end_capture()
    stream.synchronize()
    other.synchronize()
    kernels["add"](ints, np.int32(2), block=BLOCK, stream=other)
    other.synchronize()
    assert (ints.get() == 2).all()


REFUSED = {
    "Stream.synchronize": lambda stream, memory: stream.synchronize(),
    "Stream.is_done": lambda stream, memory: stream.is_done(),
    "Context.synchronize": lambda stream, memory: drv.Context.synchronize(),
    "memcpy_htod": lambda stream, memory: drv.memcpy_htod(memory, np.zeros(4, np.int32)),
    "memcpy_dtoh": lambda stream, memory: drv.memcpy_dtoh(np.zeros(4, np.int32), memory),
    "memcpy_dtod": lambda stream, memory: drv.memcpy_dtod(memory, memory, 16),
    "memset_d8": lambda stream, memory: drv.memset_d8(memory, 0, 16),
    "memset_d32": lambda stream, memory: drv.memset_d32(memory, 0, 4),
    "mem_alloc": lambda stream, memory: drv.mem_alloc(16),
    "get": lambda stream, memory: numbers(memory).get(),
    "set": lambda stream, memory: numbers(memory).set(np.zeros(4, np.int32)),
    "capture": lambda stream, memory: stream.begin_capture(),
    # A graph would copy it at each launch, and nothing keeps pageable memory until then.
    "memcpy_htod_async": lambda stream, memory: drv.memcpy_htod_async(memory, np.zeros(4, np.int32), stream),
    "memcpy_dtoh_async": lambda stream, memory: drv.memcpy_dtoh_async(np.zeros(4, np.int32), memory, stream),
    "memcpy failed": lambda stream, memory: rectangle(np.zeros(4, np.int32), memory)(stream),
    "reading elements": lambda stream, memory: numbers(memory)[numbers(memory) > 5],
    "register_host_memory": lambda stream, memory: drv.register_host_memory(drv.aligned_zeros(4096, np.int32)),
    "managed_empty": lambda stream, memory: drv.managed_empty(4, np.int32),
}


def numbers(memory):
    return gpuarray.GPUArray(4, np.int32, gpudata=memory)


def rectangle(source, dest):
    copy = drv.Memcpy2D()
    copy.set_src_host(source)
    copy.set_dst_device(dest)
    copy.width_in_bytes, copy.height = 16, 1
    return copy


@pytest.mark.parametrize("call", REFUSED)
def test_uncapturable_calls_are_rejected_and_the_capture_continues(kernels, stream, ints, call):
    memory = drv.mem_alloc(16)
    with stream.capture() as graph:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        with pytest.raises(drv.LogicError, match=call):
            REFUSED[call](stream, memory)
        kernels["twice"](ints, block=BLOCK, stream=stream)
    launched(graph, stream)
    assert (ints.get() == 6).all()


def test_handlers_require_page_locked_memory(kernels, stream, ints):
    pageable = np.ones(32, np.int32)
    with stream.capture() as graph:
        with pytest.raises(drv.LogicError, match="page-locked"):
            kernels["add"](drv.InOut(pageable), np.int32(3), block=BLOCK, stream=stream)
        kernels["twice"](ints, block=BLOCK, stream=stream)
    launched(graph, stream)
    assert (pageable == 1).all()


def test_copies_of_page_locked_memory(kernels, stream, ints):
    given, taken = drv.pagelocked_zeros(32, np.int32), drv.pagelocked_zeros(32, np.int32)
    with stream.capture() as graph:
        drv.memcpy_htod_async(ints.gpudata, given, stream)
        kernels["add"](ints, np.int32(1), block=BLOCK, stream=stream)
        drv.memcpy_dtoh_async(taken, ints.gpudata, stream)
    run = graph.instantiate()
    for value in (5, 7):
        given[:] = value
        run.launch(stream)
        stream.synchronize()
        assert (taken == value + 1).all()


def test_an_array_is_fetched_into_new_page_locked_memory(kernels, stream, ints):
    with stream.capture() as graph:
        taken = (ints + 3).get_async(stream)
    launched(graph, stream)
    assert (taken == 3).all()


def test_a_handler_with_page_locked_memory_copies_at_each_launch(kernels, stream):
    memory = drv.pagelocked_zeros(32, np.int32)
    with stream.capture() as graph:
        kernels["add"](drv.InOut(memory), np.int32(3), block=BLOCK, stream=stream)
    launched(graph, stream, 2)
    assert (memory == 6).all()


def test_a_host_function_runs_at_each_launch(stream):
    calls = []
    with stream.capture() as graph:
        stream.add_callback(lambda: calls.append(threading.get_ident()))
    assert calls == []
    launched(graph, stream, 3)
    assert len(calls) == 3


def test_the_call_that_invalidates_a_capture_is_named_at_its_end(kernels, ints):
    stream = drv.Stream()
    stream.begin_capture()
    with pytest.raises(drv.LogicError):
        kernels["add"](ints, np.int32(3), block=BLOCK)  # the default stream would have to wait for a captured one
    with pytest.raises(drv.LogicError, match="cuLaunchKernel"):
        stream.end_capture()
    assert not stream.is_capturing()
    kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    stream.synchronize()
    assert ((ints + 1).get() == 4).all()


def test_an_invalid_capture_into_a_graph_closes_it(kernels, ints):
    stream, graph = drv.Stream(), drv.Graph()
    with pytest.raises(drv.LogicError, match="was closed"), graph.if_then(ints) as body, stream.capture(to=body):
        with pytest.raises(drv.LogicError):
            kernels["add"](ints, np.int32(3), block=BLOCK)
    for of_it in graph, body:
        with pytest.raises(drv.LogicError, match="graph was closed"):
            of_it.nodes  # noqa: B018
    del graph, body, of_it
    gc.collect()  # NVIDIA's driver cannot destroy it


def test_flags_are_not_queried_during_a_capture(kernels, stream, ints):
    with stream.capture() as graph:
        with pytest.raises(drv.LogicError, match=r"Stream\.flags.*before"):
            stream.flags  # noqa: B018
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    launched(graph, stream)
    assert (ints.get() == 3).all()


def test_a_graph_is_not_launched_in_a_capture(kernels, stream, ints):
    with stream.capture() as inner:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    run = inner.instantiate()
    with stream.capture() as graph:
        kernels["add"](ints, np.int32(1), block=BLOCK, stream=stream)
        with pytest.raises(drv.LogicError, match=r"ExecutableGraph\.launch.*child"):
            run.launch(stream)
    graph.child_graph(inner, after=graph.nodes)
    launched(graph, stream)
    assert (ints.get() == 4).all()


def test_an_exception_ends_the_capture(kernels, stream, ints):
    with pytest.raises(KeyError), stream.capture():
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        raise KeyError("raised by the program")
    assert not stream.is_capturing()
    stream.synchronize()
    assert (ints.get() == 0).all()


def test_ending_without_a_capture(stream):
    with pytest.raises(drv.LogicError, match="no capture"):
        stream.end_capture()


def test_a_capture_ends_on_its_thread(kernels, stream, ints, context):
    stream.begin_capture()
    kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    raised = []

    def end():
        context.push()
        try:
            stream.end_capture()
        except drv.LogicError as error:
            raised.append(str(error))
        drv.Context.pop()

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    assert len(raised) == 1 and "thread" in raised[0]
    launched(stream.end_capture(), stream)
    assert (ints.get() == 3).all()


def test_two_threads_capture_at_the_same_time(kernels, context):
    both = threading.Barrier(2)
    arrays = [gpuarray.zeros(32, np.int32) for _ in range(2)]
    failures = []

    def capture(which):
        context.push()
        try:
            stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
            for _ in range(20):
                with stream.capture() as graph:
                    both.wait()
                    kernels["add"](arrays[which], np.int32(1 + which), block=BLOCK, stream=stream)
                    made = arrays[which] + 1  # allocated by the graph
                    both.wait()
                launched(graph, stream)
                assert (made.get() == arrays[which].get() + 1).all()
        except BaseException as error:
            failures.append(error)
            both.abort()
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=capture, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert (arrays[0].get() == 20).all() and (arrays[1].get() == 40).all()


def test_other_threads_work_meanwhile(kernels, stream, ints, context):
    results = []

    def work():
        context.push()
        other = drv.Stream(drv.stream_flags.NON_BLOCKING)
        with other:
            array = gpuarray.to_gpu(np.arange(1000, dtype=np.float32))
            for _ in range(20):
                array = array * 2 - array
            results.append(array.get())
        drv.Context.pop()

    with stream.capture() as graph:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        kernels["twice"](ints, block=BLOCK, stream=stream)
    launched(graph, stream)
    assert (ints.get() == 6).all()
    assert (results[0] == np.arange(1000)).all()


def test_dependencies_name_captured_nodes(kernels, stream, ints):
    with stream.capture() as graph:
        assert stream.capture_dependencies() == []
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        node, = stream.capture_dependencies()
        with pytest.raises(drv.LogicError, match="captured"):
            node.handle  # noqa: B018
    assert node.graph == graph and node.kind == drv.graph_node_kind.KERNEL
    assert graph.nodes == [node] and node.handle


def test_added_dependencies(kernels, stream, ints):
    graph = drv.Graph()
    first = graph.kernel(kernels["add"], (ints, np.int32(3)), block=BLOCK)
    with stream.capture(to=graph):
        stream.add_capture_dependencies([first])
        stream.add_capture_dependencies([])
        before = stream.capture_dependencies()
        kernels["twice"](ints, block=BLOCK, stream=stream)
        second, = stream.capture_dependencies()
    assert before == second.dependencies == [first]
    launched(graph, stream)
    assert (ints.get() == 6).all()


def test_dependencies_without_a_capture_or_of_another_graph(stream, ints):
    other = drv.Graph().memset(ints.gpudata, 0, 1, width=4)
    for ask in (stream.capture_dependencies, lambda: stream.add_capture_dependencies([other])):
        with pytest.raises(drv.LogicError, match="not being captured"):
            ask()
    with stream.capture(), pytest.raises(drv.LogicError, match="another graph"):
        stream.add_capture_dependencies([other])
