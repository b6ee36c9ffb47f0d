"""What graphs say to wrong arguments, and arguments that may be written in several ways."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest


class Graphs:
    def __init__(self, kernels):
        self.add = kernels["add"]
        self.memory, self.flag = gpuarray.zeros(32, np.int32), gpuarray.zeros((), np.int32)
        self.graph, self.looped, self.empty = drv.Graph(), drv.Graph(), drv.Graph()
        self.node = self.graph.kernel(self.add, (self.memory, np.int32(1)), block=(32, 1, 1))
        self.run = self.graph.instantiate()
        self.loop = self.looped.while_loop(self.flag)

    def freed_twice(self):
        graph = drv.Graph()
        node = graph.mem_alloc(100)
        node.mem_free(node).mem_free(node)

    def left_out(self):
        node = self.empty.empty()
        self.empty.instantiate()[node].disable()

    def function_in_a_body(self):
        self.loop.body.host_function(len)
        self.looped.instantiate()


WRONG = {
    "geometry": (lambda g: g.graph.kernel(g.add, (g.memory, np.int32(1)), block=(1, 1, 65)), drv.Error,
                 r"kernel 'add', grid \(1, 1, 1\), block \(1, 1, 65\).*a block has threads along z: 1 to 64, not 65"),
    "after an int": (lambda g: g.graph.empty(after=5), TypeError, "after: expected a GraphNode or several, not int"),
    "copy beyond memory": (lambda g: g.graph.memcpy(g.memory, g.memory, 1 << 40), drv.Error, "1099511627776 bytes x 1 x 1"),
    "size of an address": (lambda g: g.graph.memset(int(g.memory.gpudata), 0), TypeError, "size of the memory is not known from int"),
    "too much memory": (lambda g: g.graph.mem_alloc(1 << 60), drv.Error, "asked for 1152921504606846976 bytes"),
    "freed twice": (Graphs.freed_twice, drv.Error, "0x.*: expected memory that a node before it allocates and no other node frees"),
    "condition of floats": (lambda g: g.graph.if_then(gpuarray.zeros((), np.float32)), TypeError, "a condition is an int32 in device memory, not float32"),
    "condition of int64": (lambda g: g.graph.while_loop(gpuarray.zeros(3, np.int64)), TypeError, "int32 in device memory, not int64"),
    "not a node": (lambda g: g.run[0], TypeError, "expected a GraphNode of the graph that this was made of, not int"),
    "update without arguments": (lambda g: g.run[g.node].update(), TypeError, r"update of a kernel needs its arguments, args="),
    "empty node left out": (Graphs.left_out, drv.Error, "only kernels, copies and fills can be left out"),
    "clone with conditions": (lambda g: g.looped.clone(), drv.Error, "a graph with conditions cannot be cloned"),
    "child with conditions": (lambda g: g.graph.child_graph(g.looped), drv.Error, "the child graph has conditions"),
    "body": (lambda g: g.loop.body.instantiate(), drv.Error, "runs with its graph only"),
    "function in a body": (Graphs.function_in_a_body, drv.Error, "bodies of conditions only kernels, copies, fills"),
    "node of no clone": (lambda g: g.graph.find_in_clone(g.node), drv.Error, "does not belong to the graph that this one was cloned from"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(kernels, context, name, is_cpu_device):
    call, error, message = WRONG[name]
    graphs = Graphs(kernels)
    if error is drv.Error and not is_cpu_device:
        try:  # a driver may take it, or refuse it later
            call(graphs)
        except drv.Error as raised:
            print(raised)
        return
    with pytest.raises(error, match=message):
        call(graphs)


def test_a_capture_says_what_it_expects(stream):
    for wrong, error, message in (
            (lambda: stream.begin_capture("eager"), ValueError, "'thread_local', 'global' or 'relaxed', not 'eager'"),
            (lambda: stream.begin_capture(to=5), TypeError, "adds to a Graph or, with None, to a new one, not to int"),
            (lambda: drv.Stream.from_handle(0).begin_capture(), drv.LogicError, "the default stream cannot be captured")):
        with pytest.raises(error, match=message):
            wrong()
    assert not stream.is_capturing()


def test_nodes_to_wait_for(context):
    graph = drv.Graph()
    first = graph.empty()
    second = graph.empty(after=first)
    third = second.empty(after=[first, second, second])
    assert set(graph.edges) == {(first, second), (second, third), (first, third)} and len(graph.edges) == 3
