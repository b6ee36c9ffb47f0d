"""Nodes of a graph that are given another kernel, fill or function, and those of an executable graph another function or child graph."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE

BLOCK = (4, 1, 1)


@pytest.fixture
def graph(context):
    return drv.Graph()


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE.encode()).get_function("scale")


def ones():
    return drv.to_device(np.ones(4, np.float32))


def run(graph):
    (graph if isinstance(graph, drv.ExecutableGraph) else graph.instantiate()).launch()
    drv.Context.synchronize()


def floats(memory):
    return drv.from_device(memory, 4, np.float32).tolist()


def test_another_launch(graph, scale):
    first, second = ones(), ones()
    node = graph.kernel(scale, (first, np.float32(2), np.int32(4)), block=BLOCK)
    before = graph.instantiate()
    node.update(kernel=scale, args=(second, np.float32(3), np.int32(4)), block=(2, 1, 1), grid=(2, 1), shared=16)
    assert node.parameters["block"] == (2, 1, 1) and node.parameters["grid"] == (2, 1, 1) and node.parameters["shared"] == 16
    run(graph)
    assert (floats(first), floats(second)) == ([1] * 4, [3] * 4)
    run(before)
    assert floats(first) == [2] * 4
    before.update(graph)
    run(before)
    assert floats(second) == [9] * 4


def test_another_kernel(graph, scale):
    memory = ones()
    node = graph.kernel(scale, (memory, np.float32(2), np.int32(4)), block=BLOCK)
    other = drv.module_from_buffer(SCALE.replace("mul.f32", "add.f32").encode()).get_function("scale")
    node.update(kernel=other, args=(memory, np.float32(5), np.int32(4)), block=BLOCK)
    del other
    gc.collect()  # the node keeps its module
    run(graph)
    assert floats(memory) == [6] * 4


def test_another_fill(graph):
    first, second = ones(), ones()
    node = graph.memset(first, 7, 4, width=4)
    node.update(dest=second, value=0x40000000, count=2, width=4)  # 2.0f
    run(graph)
    assert (floats(first), floats(second)) == ([1] * 4, [2, 2, 1, 1])
    node.update(dest=second, value=0)
    run(graph)
    assert floats(second) == [0] * 4


def test_another_function(graph):
    called = []
    node = graph.host_function(lambda: called.append("first"))
    executable = graph.instantiate()
    node.update(host_function=lambda: called.append("second"))
    run(graph)
    run(executable)
    assert called == ["second", "first"]
    executable[node].update(host_function=lambda: called.append("third"))
    gc.collect()
    run(executable)
    run(executable)
    assert called[2:] == ["third"] * 2


def test_another_child(graph, scale):
    def child(memory, factor):
        made = drv.Graph()
        made.kernel(scale, (memory, np.float32(factor), np.int32(4)), block=BLOCK)
        return made

    first, second = ones(), ones()
    node = graph.child_graph(child(first, 2))
    executable = graph.instantiate()
    executable[node].update(graph=child(second, 5))
    gc.collect()
    run(executable)
    assert (floats(first), floats(second)) == ([1] * 4, [5] * 4)
    different = drv.Graph()
    different.memset(first, 0, 4)
    with pytest.raises(drv.LogicError, match="same nodes and edges"):
        executable[node].update(graph=different)
    run(executable)
    assert floats(second) == [25] * 4


def test_replaced_memory_can_be_freed(graph, scale):
    """A graph keeps what its nodes were made with, and of what updates gave the last."""
    pool, old = drv.DeviceMemoryPool(), ones()
    node = graph.kernel(scale, (old, np.float32(2), np.int32(4)), block=BLOCK)
    for _ in range(3):
        memory = pool.allocate(16)
        node.update(kernel=scale, args=(memory, np.float32(2), np.int32(4)), block=BLOCK)
        memory.free()
    drv.Context.synchronize()
    assert pool.active_blocks + pool.held_blocks <= 3
    run(graph)


def test_wrong_arguments(graph, scale):
    memory = ones()
    kernel = graph.kernel(scale, (memory, np.float32(2), np.int32(4)), block=BLOCK)
    fill, call, empty = graph.memset(memory, 0, 4), graph.host_function(lambda: None), graph.empty()
    whole = {"kernel": scale, "args": (memory, np.float32(2), np.int32(4)), "block": BLOCK}
    for node, update in ((fill, whole), (kernel, {"dest": memory, "value": 0, "count": 4}), (empty, whole), (empty, {"host_function": print}),
                         (kernel, {"host_function": print}), (call, {"dest": memory, "value": 1, "count": 1})):
        with pytest.raises(drv.LogicError, match="only a"):
            node.update(**update)
    for node, update in ((kernel, {"kernel": scale}), (kernel, {**whole, "args": (memory,)}), (kernel, {**whole, "kernel": 3}), (fill, {"dest": memory}),
                         (fill, {"dest": "memory", "value": 1, "count": 1}), (call, {"host_function": 3}), (fill, {"value": 3}), (kernel, {"block": BLOCK})):
        with pytest.raises((TypeError, drv.LogicError)):
            node.update(**update)
    with pytest.raises(drv.LogicError):
        kernel.update(**{**whole, "block": (4096, 1, 1)})
    executable = graph.instantiate()
    for node, update in ((kernel, {"host_function": print}), (call, {"graph": graph}), (call, {"args": ()}), (call, {"host_function": 3})):
        with pytest.raises((TypeError, ValueError, drv.LogicError)):
            executable[node].update(**update)
    run(graph)  # nothing was left half-done
