"""Graphs: calls that add nodes to a graph or behind a node, executable graphs, and captures."""

import os

import numpy as np
import pycuda.driver as drv
from kernels import SCALE
from kinds import shared
from other_values import NO_OBJECT, made, values
from rows_code import ARGUMENTS, ATTRIBUTES, nothing
from rows_contexts import semaphore_values
from table import SIZE, Reads, Writes, row


def behind():
    return drv.Graph().empty()


def rectangle():
    copy = drv.Memcpy2D()
    copy.set_src_host(bytes(SIZE))
    copy.set_dst_device(drv.mem_alloc(SIZE))
    copy.width_in_bytes, copy.height = SIZE // 4, 4
    return copy


@shared
def original():
    graph = drv.Graph()
    graph.empty()
    return graph


@shared
def word():
    return drv.mem_alloc(4)


def operations():
    return drv.MemoryOperations().write_value32(word(), 1)


@shared
def crossroads():
    """A graph whose nodes get edges."""
    graph = drv.Graph()
    graph.empty()
    return graph


def launch(node, _):
    node.graph.instantiate().launch()


# ---- memory that a graph allocates: the node, and the graph in which it is freed

ALLOCATED = []


def allocation():
    ALLOCATED.append(drv.Graph().mem_alloc(SIZE))
    return ALLOCATED[-1]


def allocating():
    return ALLOCATED.pop() if ALLOCATED else behind()


NO_MEMORY = [*values("x", 1.5, [1], None), *made(an_object=object), *made(drv.LogicError, node_without_memory=behind)]
CLUSTERS = values("x", 1.5, (-1, 1, 1))
MODES = [*values("no such mode", 1.5, [1], None, 99, 2**70), *made(an_object=object)]

#: A condition is an int32, where the memory has a dtype.
OTHER_ELEMENTS = dict.fromkeys((
    "gpuarray", "gpuarray of four byte elements", "view of a gpuarray", "subclass of gpuarray", "gpuarray of freed memory",
    "gpuarray of an ended context", "managed array", "managed array of two axes", "view of a managed array"), TypeError)

for owner, on in (("Graph", drv.Graph), ("GraphNode", behind)):
    def node(name, *, on=on, then=launch, owner=owner, **values):
        row(f"driver.{owner}.{name}", on=on, then=then, after=[], **values)

    node("kernel", function=nothing, args=(), block=(1, 1, 1), grid=(1, 1, 1), shared=0, cooperative=False, cluster=None, attributes=None,
         wrong={"args": [*ARGUMENTS, *values(3, None)], "cluster": CLUSTERS, "attributes": ATTRIBUTES})
    node("memcpy", dest=Writes("src"), src=Reads(), size=SIZE, takes={"dest": "_Destination | _Pointer", "src": "_Source | _Pointer"})
    node("memcpy_nd", copy=rectangle)
    node("memset", dest=Writes(b"\7" * SIZE), value=7, count=SIZE, width=1)
    node("mem_alloc", size=SIZE)
    node("mem_free", memory=allocation, on=(lambda: allocating().graph) if owner == "Graph" else allocating, wrong={"memory": NO_MEMORY})
    node("memory_operations", operations=operations)
    node("signal_semaphores", semaphores=semaphore_values)
    node("wait_for_semaphores", semaphores=semaphore_values)
    node("event_record", event=drv.Event)
    node("event_wait", event=drv.Event)
    node("host_function", function=lambda: len)
    node("child_graph", child=original)
    node("empty")
    node("if_then", condition=Reads(), but={"condition": OTHER_ELEMENTS})
    node("if_else", condition=Reads(), but={"condition": OTHER_ELEMENTS})
    node("while_loop", condition=Reads(), then=None, but={"condition": OTHER_ELEMENTS})  # would loop forever
    node("switch", condition=Reads(), branches=2, but={"condition": OTHER_ELEMENTS})

row("driver.Graph.find_in_clone", on=lambda: original().clone(), original=lambda: original().nodes[0])
row("driver.Graph.instantiate", on=drv.Graph, upload=drv.Stream, device_launch=False)

# ---- executable graphs


def executable():
    return original().instantiate()


def scaling():
    """The only node of an executable graph, a kernel."""
    graph = drv.Graph()
    scale = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    node = graph.kernel(scale, (drv.mem_alloc(SIZE), np.float32(1), np.int32(0)), block=(1, 1, 1))
    return graph.instantiate()[node]


row("driver.GraphNode.update", on=lambda: drv.Graph().event_record(drv.Event()), copy=None, event=drv.Event, operations=None, semaphores=None,
    then=lambda _, given: launch(given.self, given), wrong=dict.fromkeys(("copy", "host_function", "kernel", "dest"), values("x", 3, 1.5, [1])))
row("driver.Stream.add_capture_dependencies", on=drv.Stream, nodes=lambda: [crossroads().nodes[0]], fails=drv.LogicError,
    wrong={"nodes": [*NO_OBJECT, *values(None, [3], [None])]})  # the stream is not captured
row("driver.GraphNode.add_dependency", on=lambda: crossroads().empty(), node=lambda: crossroads().nodes[0])
row("driver.GraphNode.remove_dependency", on=lambda: crossroads().empty(), node=lambda: crossroads().nodes[0], fails=drv.LogicError)  # there is no such edge
KEPT = {"attribute": values(None, 1.5, "no such", [1]), "value": [*values("x", [], may_be_taken=True), *made(an_object=object)]}
row("driver.GraphNode.get_attribute", on=lambda: drv.Graph().kernel(nothing(), block=(1, 1, 1)), attribute="priority", wrong=KEPT)
row("driver.GraphNode.set_attribute", on=lambda: drv.Graph().kernel(nothing(), block=(1, 1, 1)), attribute="priority", value=0, wrong=KEPT)
row("driver.GraphNode.copy_attributes", on=lambda: drv.Graph().kernel(nothing(), block=(1, 1, 1)),
    source=lambda: drv.Graph().kernel(nothing(), block=(1, 1, 1)))
row("driver.Graph.write_debug_dot", on=original, path=os.devnull, flags=0)
row("driver.ExecutableGraph", graph=original, upload=drv.Stream, device_launch=False)
row("driver.ExecutableGraph.launch", on=executable, stream=drv.Stream)
row("driver.ExecutableGraph.upload", on=executable, stream=drv.Stream)
row("driver.ExecutableGraph.update", on=executable, graph=original)
row("driver.ExecutableNode.update", on=scaling, args=lambda: (drv.mem_alloc(SIZE), np.float32(2), np.int32(0)),
    wrong={"args": [*ARGUMENTS, *values(3, "x")]})

# ---- captures


def captured(capture, _):
    with capture:
        pass


row("driver.Stream.capture", on=drv.Stream, mode="thread_local", to=drv.Graph, then=captured, wrong={"mode": MODES})
row("driver.Stream.begin_capture", on=drv.Stream, mode="thread_local", to=drv.Graph, then=lambda _, given: given.self.end_capture(), wrong={"mode": MODES})
