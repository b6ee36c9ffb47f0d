"""Everything that launches use is dropped immediately, while a host function blocks them, and released when they are done."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from conftest import SOURCE, gone
from gate import Gate
from pycuda import _driver
from pycuda.compiler import SourceModule

BLOCK = (32, 1, 1)
# Freeing page-locked memory waits for all streams, and graphs release it at any time: no test frees its own before its end.
RESULTS = []


@pytest.fixture(autouse=True)
def results():
    yield
    RESULTS.clear()


@pytest.fixture
def gate(context):
    gate = Gate(drv.Stream(drv.stream_flags.NON_BLOCKING))
    yield gate
    gate.open()


def filling(host):
    """A graph that calls `host`, fills its own memory and copies that to page-locked memory; only the graph refers to everything else."""
    memory, result = drv.mem_alloc(128), drv.pagelocked_zeros(32, np.int32)
    RESULTS.append(result)
    graph = drv.Graph()
    graph.host_function(host).memset(memory, 9, 32, width=4).kernel(
        SourceModule(SOURCE).get_function("add"), (memory, np.int32(1)), block=BLOCK).memcpy(result, memory, 128)
    return graph, result


DROPS = {
    "the graph first": lambda graph: [graph.instantiate()],
    "a clone": lambda graph: [graph.clone().instantiate()],
    "a clone of a clone": lambda graph: [graph.clone().clone().instantiate()],
    "a child": lambda graph: [parent_of(graph).instantiate()],
    "an update": lambda graph: [updated_to(graph)],
}


def parent_of(graph):
    parent = drv.Graph()
    parent.child_graph(graph)
    return parent


def updated_to(graph):
    run = filling(lambda: None)[0].instantiate()
    run.update(graph)
    return run


@pytest.mark.parametrize("route", DROPS)
def test_launches_behind_a_blocked_host_function_keep_everything(gate, route):
    calls = []
    graph, result = filling(lambda: calls.append(1))
    runs = DROPS[route](graph)
    gate.close()
    runs[0].launch(gate.stream)
    runs.clear()
    del graph
    gc.collect()
    others = [drv.mem_alloc(128) for _ in range(20)]
    assert calls == []
    gate.open()
    assert (result == 10).all() and calls == [1] and len(others) == 20


@pytest.mark.parametrize("kind", ["device allocation", "module"])
@pytest.mark.parametrize("route", DROPS)
def test_nothing_is_left_of_launches_that_are_over(context, route, kind):
    before = _driver._live_handles(kind)
    graph, _ = filling(lambda: None)
    runs = DROPS[route](graph)
    runs[0].launch()
    del graph
    runs.clear()
    assert gone(lambda: _driver._live_handles(kind) <= before)


def test_an_executable_is_updated_to_another_graph_behind_its_launch(gate):
    calls = []
    first, first_result = filling(lambda: calls.append(1))
    second, second_result = filling(lambda: calls.append(2))
    run = first.instantiate()
    gate.close()
    run.launch(gate.stream)
    run.update(second)
    del first, second
    gc.collect()
    run.launch(gate.stream)
    gate.open()
    assert calls == [1, 2]
    assert (first_result == 10).all() and (second_result == 10).all()


def test_graphs_that_have_each_other_inside_end(kernels, context):
    before = _driver._live_handles("device allocation")
    one, other = drv.Graph(), drv.Graph()
    for graph in (one, other):
        graph.memset(drv.mem_alloc(128), 1)
    one.child_graph(other)
    other.child_graph(one)
    one.child_graph(other.clone())
    del one, other, graph
    assert gone(lambda: _driver._live_handles("device allocation") <= before)


def test_a_clone_outlives_its_graph(kernels, context):
    graph, result = filling(lambda: None)
    clone = graph.clone()
    del graph
    gc.collect()
    for _ in range(3):
        run = clone.instantiate()
        run.launch()
        del run
    drv.Context.synchronize()
    assert (result == 10).all()
