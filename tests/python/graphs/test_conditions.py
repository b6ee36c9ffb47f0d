"""Conditions: decisions that a graph makes on the device, from an int32 of the program."""

import gc
import threading
import time

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.compiler import SourceModule

BLOCK = (32, 1, 1)


@pytest.fixture
def flag(context):
    return gpuarray.zeros((), np.int32)


def results(executable, ints, flag, value):
    flag.fill(value)
    ints.fill(0)
    executable.launch()
    return set(ints.get().tolist())


def test_if_then(kernels, ints, flag):
    graph = drv.Graph()
    with graph.if_then(flag) as body:
        body.memset(ints, 5, width=4)
    executable = graph.instantiate()
    assert [results(executable, ints, flag, value) for value in (0, 1, -3)] == [{0}, {5}, {5}]


def test_if_else(kernels, ints, flag):
    graph = drv.Graph()
    with graph.if_else(flag) as (then, otherwise):
        then.memset(ints, 5, width=4)
        otherwise.memset(ints, 6, width=4)
    executable = graph.instantiate()
    assert [results(executable, ints, flag, value) for value in (0, 1)] == [{6}, {5}]


def test_switch(kernels, ints, flag):
    graph = drv.Graph()
    node = graph.switch(flag, 3)
    for number, body in enumerate(node.bodies):
        body.memset(ints, 10 + number, width=4)
    executable = graph.instantiate()
    assert [results(executable, ints, flag, value) for value in (0, 1, 2, 3, -1)] == [{10}, {11}, {12}, {0}, {0}]


def test_while_loop(kernels, ints, flag):
    graph = drv.Graph()
    with graph.while_loop(flag) as body:
        body.kernel(kernels["add"], (ints, np.int32(2)), block=BLOCK)
        body.kernel(kernels["count_down"], (flag,), block=(1, 1, 1))
    executable = graph.instantiate()
    assert [results(executable, ints, flag, value) for value in (0, 1, 50)] == [{0}, {2}, {100}]
    assert flag.get() == 0


def test_the_condition_may_be_an_element_or_an_address(kernels, ints, context):
    flags = gpuarray.to_gpu(np.array([0, 0, 1], np.int32))
    for condition in (flags[2:], int(flags.gpudata) + 8):
        graph = drv.Graph()
        graph.if_then(condition).body.memset(ints, 5, width=4)
        ints.fill(0)
        graph.instantiate().launch()
        assert set(ints.get().tolist()) == {5}


def test_conditions_have_dependencies_and_dependents(kernels, ints, flag):
    graph = drv.Graph()
    first = graph.memset(flag, 3, 1, width=4)
    loop = first.while_loop(flag)
    loop.body.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK).kernel(kernels["count_down"], (flag,), block=(1, 1, 1))
    loop.kernel(kernels["twice"], (ints,), block=BLOCK)
    graph.instantiate().launch()
    assert set(ints.get().tolist()) == {6}


def test_nested_conditions(kernels, ints, flag):
    inner = gpuarray.zeros((), np.int32)
    graph = drv.Graph()
    with graph.while_loop(flag) as body:
        again = body.memset(inner, 4, 1, width=4)
        with again.while_loop(inner) as innermost:
            innermost.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK)
            innermost.kernel(kernels["count_down"], (inner,), block=(1, 1, 1))
        body.kernel(kernels["count_down"], (flag,), block=(1, 1, 1))
    assert results(graph.instantiate(), ints, flag, 5) == {20}


def test_a_body_is_captured(kernels, ints, flag):
    stream = drv.Stream()
    x = gpuarray.to_gpu(np.arange(32, dtype=np.float32))
    graph = drv.Graph()
    with graph.while_loop(flag) as body, stream.capture(to=body):
        x *= 2
        flag -= 1
    executable = graph.instantiate()
    flag.fill(3)
    executable.launch(stream)
    stream.synchronize()
    assert np.array_equal(x.get(), np.arange(32) * 8)


def test_a_body_that_grows_reads_its_condition_at_the_end(kernels, ints, flag):
    graph = drv.Graph()
    loop = graph.while_loop(flag)
    first = loop.body.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK)
    last = first.kernel(kernels["count_down"], (flag,), block=(1, 1, 1))
    executable = graph.instantiate()
    assert results(executable, ints, flag, 2) == {2}
    with pytest.raises(drv.LogicError, match="only one executable graph at a time"):
        graph.instantiate()
    del executable
    last.kernel(kernels["add"], (ints, np.int32(10)), block=BLOCK)
    assert results(graph.instantiate(), ints, flag, 2) == {22}


def test_conditions_are_described(kernels, flag):
    graph = drv.Graph()
    nodes = [graph.if_then(flag), graph.if_else(flag), graph.switch(flag, 2), graph.while_loop(flag)]
    assert [node.parameters["condition"] for node in nodes] == ["if", "if-else", "switch", "while"]
    assert [len(node.bodies) for node in nodes] == [1, 2, 2, 1]
    assert all(node.kind == drv.graph_node_kind.CONDITIONAL for node in nodes)
    assert "condition while" in graph.dot()


def test_a_body_belongs_to_its_node(kernels, ints, flag):
    graph = drv.Graph()
    outside = graph.empty()
    body = graph.if_then(flag).body
    with pytest.raises(drv.LogicError, match="another graph"):
        body.empty(after=[outside])
    inside = body.empty()
    with pytest.raises(drv.LogicError, match="another graph"):
        graph.empty(after=[inside])
    with pytest.raises(drv.LogicError, match="have a body"):
        outside.body  # noqa: B018
    for branches in (0, 65537, 2**31, 2**32 - 1):  # a GPU's driver would fill the host's memory with graphs
        with pytest.raises(ValueError, match=f"1 to 65,536 branches; {branches} were"):
            graph.switch(flag, branches)
    assert len(graph.switch(flag, 65536).bodies) == 65536


def test_the_condition_lives_as_long_as_the_graph(kernels, ints):
    flag = gpuarray.to_gpu(np.array(1, np.int32))
    graph = drv.Graph()
    graph.if_then(flag).body.memset(ints, 5, width=4)
    del flag
    others = [gpuarray.zeros((), np.int32) for _ in range(50)]
    graph.instantiate().launch()
    assert set(ints.get().tolist()) == {5} and len(others) == 50


def test_a_loop_is_dropped_while_it_runs(kernels, context):
    """The driver waits for a running graph with conditions before it destroys it: the drop must not, as the loop may wait for this thread."""
    begin = time.monotonic()
    go = drv.pagelocked_zeros(1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    turns = gpuarray.zeros(1, np.int32)
    again = gpuarray.zeros(1, np.int32) + 1
    look = SourceModule("__global__ void look(volatile int *go, int *again, int *turns) { *again = *go == 0; ++*turns; }").get_function("look")
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    graph = drv.Graph()
    with graph.while_loop(again) as body:
        body.kernel(look, (np.uint64(go.base.get_device_pointer()), again, turns), block=(1, 1, 1))
    run = graph.instantiate()
    drv.Context.synchronize()  # the arrays are filled on the default stream
    run.launch(stream)
    late = threading.Timer(20, lambda: go.__setitem__(0, 1))  # so that a failure is no hang
    late.start()
    try:
        del run, graph
        gc.collect()
        assert go[0] == 0, f"the drop took {time.monotonic() - begin} s"
    finally:
        go[0] = 1
        late.cancel()
        stream.synchronize()
    assert turns.get()[0] >= 1
