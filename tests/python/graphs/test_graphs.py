"""Graphs that are built node by node, and executable graphs."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest

BLOCK = (32, 1, 1)
KIND = drv.graph_node_kind


def run(graph):
    graph.instantiate().launch()
    drv.Context.synchronize()


def test_nodes_run_in_the_order_of_their_edges(kernels, ints):
    graph = drv.Graph()
    first = graph.memset(ints, 1, width=4)
    second = first.kernel(kernels["add"], (ints, np.int32(2)), block=BLOCK)
    third = second.kernel(kernels["twice"], (ints,), block=BLOCK)
    assert graph.nodes == [first, second, third]
    assert graph.edges == [(first, second), (second, third)]
    assert [node.kind for node in graph.nodes] == [KIND.MEMSET, KIND.KERNEL, KIND.KERNEL]
    run(graph)
    assert (ints.get() == 6).all()


def test_a_node_waits_for_several(kernels, ints):
    other = gpuarray.zeros(32, np.int32)
    graph = drv.Graph()
    ends = [graph.memset(memory, 3, width=4) for memory in (ints, other)]
    joined = graph.empty(after=ends)
    last = joined.memcpy(ints, other, after=[ends[0]])
    assert sorted(b.handle for a, b in graph.edges) == sorted([joined.handle] * 2 + [last.handle] * 2)
    run(graph)
    assert (ints.get() == 3).all()


def test_every_kind_of_node(kernels, ints):
    host = drv.pagelocked_zeros(32, np.int32)
    result = drv.pagelocked_zeros(32, np.int32)
    host[:] = 5
    calls, event, child = [], drv.Event(), drv.Graph()
    child.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK)
    graph = drv.Graph()
    node = graph.memcpy(ints, host)
    node = node.event_record(event)
    node = node.event_wait(event)
    node = node.child_graph(child)
    node = node.host_function(lambda: calls.append(1))
    node = node.empty()
    node = node.memset(ints, 9, 4, width=4)
    node = node.memcpy(result, ints)
    assert [n.kind for n in graph.nodes] == [KIND.MEMCPY, KIND.EVENT_RECORD, KIND.WAIT_EVENT, KIND.GRAPH, KIND.HOST, KIND.EMPTY,
                                             KIND.MEMSET, KIND.MEMCPY]
    run(graph)
    assert result.tolist() == [9] * 4 + [6] * 28
    assert calls == [1]
    assert event.query()


def test_memory_of_a_graph(kernels, ints):
    graph = drv.Graph()
    memory = graph.mem_alloc(128)
    assert memory.kind == KIND.MEM_ALLOC and memory.parameters["size"] >= 128
    node = memory.memset(memory.gpudata, 7, 32, width=4)
    node = node.kernel(kernels["add"], (memory, np.int32(1)), block=BLOCK)
    node = node.memcpy(ints, memory.gpudata, 128)
    assert node.mem_free(memory).kind == KIND.MEM_FREE
    executable = graph.instantiate()
    for _ in range(3):
        executable.launch()
    assert (ints.get() == 8).all()


def test_parameters(kernels, ints):
    graph = drv.Graph()
    kernel = graph.kernel(kernels["add"], (ints, np.int32(1)), block=(8, 2, 1), grid=(2, 1, 1), shared=16)
    assert kernel.parameters == {"function": "add", "grid": (2, 1, 1), "block": (8, 2, 1), "shared": 16}
    fill = graph.memset(ints, 3, 4, width=2)
    assert fill.parameters == {"dest": int(ints.gpudata), "value": 3, "count": 4, "width": 2}
    copy = graph.memcpy(ints, ints.gpudata, 16)
    assert copy.parameters == {"dest": int(ints.gpudata), "src": int(ints.gpudata), "size": 16}
    assert graph.empty().parameters == {}


def test_dot(kernels, ints):
    graph = drv.Graph()
    graph.memset(ints, 0).kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK, grid=(4, 1, 1))
    text = graph.dot()
    assert text.startswith("digraph") and "n0 -> n1;" in text
    assert "function add" in text and "grid 4,1,1" in text and "block 32,1,1" in text


def test_a_clone_has_its_own_nodes(kernels, ints):
    graph = drv.Graph()
    node = graph.kernel(kernels["add"], (ints, np.int32(1)), block=BLOCK)
    clone = graph.clone()
    same = clone.find_in_clone(node)
    assert same in clone.nodes and same != node
    same.kernel(kernels["twice"], (ints,), block=BLOCK)
    assert len(graph.nodes) == 1 and len(clone.nodes) == 2
    run(clone)
    assert (ints.get() == 2).all()


def test_a_node_of_another_graph_is_rejected(kernels, ints):
    graph, other = drv.Graph(), drv.Graph()
    strange = other.empty()
    for add in (lambda: graph.empty(after=[strange]), lambda: graph.memset(ints, 0, after=[strange]),
                lambda: graph.kernel(kernels["twice"], (ints,), block=BLOCK, after=[strange]),
                lambda: graph.child_graph(drv.Graph(), after=[strange])):
        with pytest.raises(drv.LogicError, match="another graph"):
            add()
    assert graph.nodes == []
    graph.empty()
    executable = graph.instantiate()
    with pytest.raises(drv.LogicError, match="another graph"):
        executable[strange].disable()


def test_a_graph_cannot_contain_itself(context):
    graph = drv.Graph()
    with pytest.raises(drv.LogicError, match="itself"):
        graph.child_graph(graph)


WRONG = {
    "a handler": (TypeError, lambda g, k, a: g.kernel(k["add"], (drv.In(np.zeros(32, np.int32)), np.int32(1)), block=BLOCK)),
    "too few": (TypeError, lambda g, k, a: g.kernel(k["add"], (a,), block=BLOCK)),
    "a size": (TypeError, lambda g, k, a: g.kernel(k["add"], (a, np.int64(1)), block=BLOCK)),
    "no block": (TypeError, lambda g, k, a: g.kernel(k["add"], (a, np.int32(1)))),
    "after what is no node": (TypeError, lambda g, k, a: g.empty(after=[a])),
    "a width": (ValueError, lambda g, k, a: g.memset(a, 0, 1, width=3)),
    "a value": (ValueError, lambda g, k, a: g.memset(a, 300, 1, width=1)),
    "no memory": (TypeError, lambda g, k, a: g.memset("a", 0, 1)),
    "no event": (TypeError, lambda g, k, a: g.event_record(None)),
    "no function": (TypeError, lambda g, k, a: g.host_function(3)),
    "no graph": (TypeError, lambda g, k, a: g.child_graph(None)),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments_add_nothing(kernels, ints, what):
    error, add = WRONG[what]
    graph = drv.Graph()
    with pytest.raises(error):
        add(graph, kernels, ints)
    assert graph.nodes == []


# ---- executable graphs


@pytest.fixture
def chain(kernels, ints):
    graph = drv.Graph()
    fill = graph.memset(ints, 1, width=4)
    add = fill.kernel(kernels["add"], (ints, np.int32(2)), block=BLOCK)
    return graph, fill, add


def results(executable, ints):
    executable.launch()
    return set(ints.get().tolist())


def test_arguments_of_a_kernel_node_are_updated(chain, ints, kernels):
    graph, fill, add = chain
    executable = graph.instantiate()
    other = gpuarray.zeros(32, np.int32)
    executable[add].update(args=(ints, np.int32(5)))
    assert results(executable, ints) == {6}
    executable[add].update(args=(other, np.int32(5)))
    assert results(executable, ints) == {1} and set(other.get().tolist()) == {5}
    executable[add].update(args=(ints, np.int32(5)), block=(16, 1, 1))
    assert results(executable, ints) == {1, 6}
    assert results(graph.instantiate(), ints) == {3}  # the graph has not changed
    with pytest.raises(TypeError):
        executable[add].update(args=(ints,))
    with pytest.raises(TypeError):
        executable[add].update(args=(drv.In(np.zeros(32, np.int32)), np.int32(1)))


def test_fills_and_copies_are_updated(chain, ints):
    graph, fill, add = chain
    executable = graph.instantiate()
    executable[fill].update(value=8)
    assert results(executable, ints) == {10}
    other, copied = gpuarray.zeros(32, np.int32) + 4, drv.Graph()
    copy = copied.memcpy(ints, other)
    executable = copied.instantiate()
    executable[copy].update(size=16)
    ints.fill(0)
    executable.launch()
    assert ints.get().tolist() == [4] * 4 + [0] * 28


def test_nodes_are_disabled_and_enabled(chain, ints):
    graph, fill, add = chain
    executable = graph.instantiate()
    assert executable[add].is_enabled
    executable[add].disable()
    assert not executable[add].is_enabled
    assert results(executable, ints) == {1}
    executable[add].enable()
    assert results(executable, ints) == {3}


def test_a_whole_graph_is_updated(chain, kernels, ints):
    graph, fill, add = chain
    executable = graph.instantiate()
    other = drv.Graph()
    other.memset(ints, 10, width=4).kernel(kernels["add"], (ints, np.int32(20)), block=BLOCK)
    executable.update(other)
    assert results(executable, ints) == {30}


def test_an_update_says_which_node_differs_and_how(chain, kernels, ints):
    graph, fill, add = chain
    executable = graph.instantiate()
    other = drv.Graph()
    other.memset(ints, 10, width=4).memcpy(ints, ints, 4)
    with pytest.raises(drv.GraphUpdateError, match="node 1.*is of another kind"):
        executable.update(other)
    more = drv.Graph()
    more.memset(ints, 1, width=4).kernel(kernels["add"], (ints, np.int32(2)), block=BLOCK).empty()
    with pytest.raises(drv.GraphUpdateError, match="different nodes or edges"):
        executable.update(more)
    assert issubclass(drv.GraphUpdateError, drv.LogicError)
    assert results(executable, ints) == {3}


def test_upload(chain, ints):
    stream = drv.Stream()
    executable = chain[0].instantiate(upload=stream)
    executable.upload(stream)
    executable.launch(stream=stream)
    stream.synchronize()
    assert set(ints.get().tolist()) == {3}


def test_launch_checks_its_arguments(chain):
    executable = chain[0].instantiate()
    for wrong in (lambda: executable.launch(1, 2), lambda: executable.launch(queue=None), lambda: executable.launch("s")):
        with pytest.raises(TypeError):
            wrong()


def test_an_empty_graph_runs(context):
    executable = drv.Graph().instantiate()
    executable.launch()
    drv.Context.synchronize()
