"""What keeps what alive: graphs, the objects that their nodes use, and captures that never end."""

import gc
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from conftest import SOURCE, gone
from pycuda import _driver
from pycuda.compiler import SourceModule

BLOCK = (32, 1, 1)


@pytest.fixture
def gate(kernels):
    """Blocks a stream until it is opened."""
    go = drv.pagelocked_zeros(1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    yield go
    go[0] = 1


def held_back(kernels, gate, stream, ints):
    kernels["wait_for"](np.intp(gate.base.get_device_pointer()), ints, block=(1, 1, 1), stream=stream)


OTHER_CONTEXT = """
import gc
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

drv.init()
ours, other = drv.Device(0).make_context(), drv.Device(0).make_context()
there, joined = drv.Stream(), drv.Event()
memory = drv.mem_alloc(128)
kernel = SourceModule("__global__ void set(int *p) { *p = 1; }").get_function("set")
drv.Context.pop()
stream, forked = drv.Stream(), drv.Event()


def captured():
    with stream.capture() as graph:
        forked.record(stream)
        other.push()
        there.wait_for_event(forked)
        kernel(memory, block=(1, 1, 1), stream=there)
        joined.record(there)
        drv.Context.pop()
        stream.wait_for_event(joined)
    return graph


def built():
    graph = drv.Graph()
    graph.kernel(kernel, (memory,), block=(1, 1, 1))
    return graph


graphs = [captured(), built()]
runs = [graph.instantiate() for graph in graphs]
for run in runs:
    run.launch(stream)
stream.synchronize()
other.detach()
for run in runs:
    for use in (run.launch, run.upload):
        try:
            use(stream)
        except drv.LogicError as error:
            print("LogicError", error.code)
stream.synchronize()
del run, runs, use
gc.collect()
del graphs
gc.collect()
print(drv.mem_alloc(64) is not None)
ours.pop()
"""


def test_a_context_of_its_nodes_may_end_first(run_python):
    done = run_python(OTHER_CONTEXT)
    assert done.stdout.splitlines() == ["LogicError 709"] * 4 + ["True"], done.stderr
    assert done.returncode == 0


def test_everything_is_released_while_it_runs(kernels, gate, context):
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    held, result = gpuarray.zeros(1, np.int32), drv.pagelocked_zeros(32, np.int32)
    memory, event, calls = drv.mem_alloc(128), drv.Event(), []
    module = SourceModule(SOURCE)
    graph = drv.Graph()
    node = graph.memset(memory, 7, 32, width=4)
    node = node.kernel(module.get_function("add"), (memory, np.int32(1)), block=BLOCK)
    node = node.event_record(event).host_function(lambda: calls.append(1)).memcpy(result, memory, 128)
    run = graph.instantiate(upload=stream)
    held_back(kernels, gate, stream, held)
    run.launch(stream)
    del memory, event, module, graph, node, run
    gc.collect()
    others = [drv.mem_alloc(128) for _ in range(20)]
    gate[0] = 1
    stream.synchronize()
    assert (result == 8).all() and calls == [1] and len(others) == 20


def test_clones_and_executables_keep_captured_memory_alive(kernels, context):
    stream = drv.Stream()
    memory, result = drv.mem_alloc(128), drv.pagelocked_zeros(32, np.int32)
    drv.memset_d32(memory, 5, 32)
    module = SourceModule(SOURCE)
    with stream.capture() as graph:
        module.get_function("twice")(memory, block=BLOCK, stream=stream)
        drv.memcpy_dtoh_async(result, memory, stream)
    clone = graph.clone()
    memory.free()
    del graph, module, memory
    gc.collect()
    others = [drv.mem_alloc(128) for _ in range(20)]
    for other in others:
        drv.memset_d32(other, 0, 32)
    run = clone.instantiate()
    del clone
    gc.collect()
    run.launch(stream)
    stream.synchronize()
    assert (result == 10).all()


@pytest.mark.parametrize("kind", ["device allocation", "page-locked allocation", "event", "module"])
def test_objects_of_a_graph_are_released_with_it(kernels, context, kind):
    before = _driver._live_handles(kind)
    stream = drv.Stream()
    memory, host, event = drv.mem_alloc(128), drv.pagelocked_zeros(32, np.int32), drv.Event()
    module = SourceModule(SOURCE)
    graph = drv.Graph()
    graph.memcpy(memory, host).kernel(module.get_function("twice"), (memory,), block=BLOCK).event_record(event)
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    del memory, host, event, module, graph, run
    assert gone(lambda: _driver._live_handles(kind) <= before)


def test_host_functions_are_released_with_their_graph(context):
    class Function:
        def __call__(self):
            pass

    function = Function()
    known = weakref.ref(function)
    graph = drv.Graph()
    graph.host_function(function)
    run = graph.instantiate()
    del function, graph
    gc.collect()
    assert known() is not None
    run.launch()
    drv.Context.synchronize()
    del run
    assert gone(lambda: known() is None)


def test_a_function_may_free_memory_when_released(context):
    """Releasing it calls the driver, which the driver's own threads must not do."""
    class Function:
        def __init__(self):
            self.memory = drv.mem_alloc(64)
            self.array = gpuarray.zeros(16, np.int32)

        def __call__(self):
            pass

    before = _driver._live_handles("device allocation")
    graph = drv.Graph()
    graph.host_function(Function())
    run = graph.instantiate()
    for _ in range(5):
        run.launch()
    del graph, run
    assert gone(lambda: _driver._live_handles("device allocation") <= before)
    drv.Context.synchronize()


def test_a_graph_and_its_executable_are_destroyed_while_they_run(kernels, gate, ints, context):
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    held = gpuarray.zeros(1, np.int32)
    with stream.capture() as graph:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    run = graph.instantiate()
    held_back(kernels, gate, stream, held)
    for _ in range(10):
        run.launch(stream)
    del run, graph
    gc.collect()
    gate[0] = 1
    stream.synchronize()
    assert (ints.get() == 30).all()


def test_an_executable_is_updated_while_it_runs(kernels, gate, ints, context):
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    held, other = gpuarray.zeros(1, np.int32), gpuarray.zeros(32, np.int32)
    graph = drv.Graph()
    node = graph.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    held_back(kernels, gate, stream, held)
    run.launch(stream)
    run[node].update(args=(other, np.int32(5)))
    run.launch(stream)
    changed = drv.Graph()
    changed.kernel(kernels["add"], (ints, np.int32(10)), block=BLOCK)
    run.update(changed)
    run.launch(stream)
    del changed
    gate[0] = 1
    stream.synchronize()
    assert (ints.get() == 11).all() and (other.get() == 5).all()


def test_memory_of_earlier_updates_is_released(kernels, ints, context):
    stream = drv.Stream()
    graph = drv.Graph()
    node = graph.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK)
    run = graph.instantiate()
    pool = drv.DeviceMemoryPool.of_current_context() if hasattr(drv.DeviceMemoryPool, "of_current_context") else None
    for value in range(50):
        array = gpuarray.zeros(32, np.int32)
        run[node].update(args=(array, np.int32(value)))
        run.launch(stream)
        stream.synchronize()
        assert (array.get() == value).all()
        del array
    assert _driver._live_handles("pooled memory") < 20
    assert pool is None or pool


def test_a_graph_is_collected_in_the_middle_of_its_capture(kernels, ints, stream):
    graph = drv.Graph()
    stream.begin_capture(to=graph)
    kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    graph.itself = graph
    del graph
    other = drv.Graph()
    other.host_function(lambda: None)
    del other
    gc.collect()
    drv.Event(), drv.mem_get_info()
    kernels["add"](ints, np.int32(4), block=BLOCK, stream=stream)
    run = stream.end_capture().instantiate()
    run.launch(stream)
    stream.synchronize()
    assert (ints.get() == 7).all()


def test_garbage_of_every_kind_is_collected_during_a_capture(kernels, ints, stream, context):
    garbage = [drv.mem_alloc(64), drv.Event(), drv.Stream(), SourceModule(SOURCE), gpuarray.zeros(4, np.int32),
               drv.pagelocked_zeros(4, np.int32), drv.Graph(), drv.Graph().instantiate()]
    with stream.capture() as graph:
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        garbage.clear()
        gc.collect()
        kernels["add"](ints, np.int32(4), block=BLOCK, stream=stream)
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    assert (ints.get() == 7).all()


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_a_stream_ends_in_the_middle_of_its_capture(kernels, ints, mode):
    stream = drv.Stream()
    stream.begin_capture(mode)
    kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
    del stream
    gc.collect()
    ints += 1
    drv.Context.synchronize()
    assert (ints.get() == 1).all()


def test_a_context_ends_in_the_middle_of_a_capture(device):
    context = device.make_context()
    kernels = SourceModule(SOURCE)
    stream, array = drv.Stream(), gpuarray.zeros(32, np.int32)
    stream.begin_capture()
    kernels.get_function("add")(array, np.int32(3), block=BLOCK, stream=stream)
    made = drv.Graph()
    made.memset(array, 0)
    run = made.instantiate()
    context.pop()
    context.detach()
    with pytest.raises(drv.LogicError):
        stream.end_capture()
    with pytest.raises(drv.LogicError):
        run.launch()
    with pytest.raises(drv.LogicError):
        made.empty()
    del stream, run, made, array, kernels, context
    gc.collect()
    assert not _driver._native.is_any_capture_open()


def test_a_thread_ends_in_the_middle_of_a_capture(kernels, ints, context):
    streams = []

    def capture():
        context.push()
        stream = drv.Stream()
        stream.begin_capture("relaxed")
        kernels["add"](ints, np.int32(3), block=BLOCK, stream=stream)
        streams.append(stream)
        drv.Context.pop()

    thread = threading.Thread(target=capture)
    thread.start()
    thread.join()
    run = streams[0].end_capture().instantiate()
    run.launch(streams[0])
    streams[0].synchronize()
    assert (ints.get() == 3).all()


ENDS = {
    "capture": "stream.begin_capture(); stream.__enter__(); keep = array + 1",
    "capture with": "stream.capture().__enter__(); keep = array + 1",
    "running": """
        with stream.capture() as graph:
            made = array + 1
            stream.add_callback(lambda: None)
        run = graph.instantiate()
        for _ in range(100):
            run.launch(stream)
    """,
}


@pytest.mark.parametrize("state", ENDS)
def test_the_process_ends(state):
    program = """
        import pycuda.autoinit, numpy as np, pycuda.driver as drv, pycuda.gpuarray as gpuarray
        stream = drv.Stream()
        array = gpuarray.zeros(32, np.float32)
    """
    code = textwrap.dedent(program) + textwrap.dedent(ENDS[state]) + "\nprint('end')\n"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "end\n" and "failed" not in ran.stderr, ran.stderr


def test_pools_are_usable_after_an_invalid_capture(kernels, ints, context):
    stream = drv.Stream()
    for _ in range(3):
        stream.begin_capture()
        with pytest.raises(drv.LogicError):
            kernels["add"](ints, np.int32(3), block=BLOCK)
        with pytest.raises(drv.LogicError):
            stream.end_capture()
    with stream:
        made = [ints + number for number in range(20)]
    assert [set(array.get().tolist()) for array in made] == [{number} for number in range(20)]
