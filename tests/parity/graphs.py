"""A walk through capture and graphs; Graphs.java takes the same steps in the same order.

Standard output is what a program sees: values and errors. Standard error, with PYCUDA_TRACE=1, is what the driver sees.
"""

import numpy as np

import pycuda.driver as drv
from scenario import SCALE, fails, show

N = 32


def values(memory):
    return " ".join(f"{value:.1f}" for value in drv.from_device(memory, 3, np.float32))


def captured(scale, stream, memory):
    with stream.capture() as graph:
        drv.memset_d32_async(memory, 0x3f800000, N, stream)
        scale(memory, np.float32(3), np.uint32(N), block=(32, 1, 1), stream=stream)
        fails("a wait in a capture", stream.synchronize)
        fails("an allocation in a capture", lambda: drv.mem_alloc(16))
    show("nodes", len(graph.nodes), "edges", len(graph.edges))
    run = graph.instantiate(stream)
    run.launch(stream)
    run.launch(stream)
    stream.synchronize()
    show("captured", values(memory))
    return graph, run


def built(scale, stream, memory, flag):
    graph = drv.Graph()
    fill = graph.memset(memory, 0x40000000, N, width=4)
    last = fill.kernel(scale, (memory, np.float32(5), np.uint32(N)), block=(32, 1, 1))
    graph.empty(after=[fill, last])
    show("kinds", *(int(node.kind) for node in graph.nodes))
    show("kernel", last.parameters["function"], *last.parameters["block"])
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    show("built", values(memory))
    run[last].update(args=(memory, np.float32(7), np.uint32(N)))
    run[fill].disable()
    show("enabled", run[fill].is_enabled, run[last].is_enabled)
    run.launch(stream)
    stream.synchronize()
    show("updated", values(memory))
    clone = graph.clone()
    show("clone", len(clone.nodes), clone.find_in_clone(last).parameters["function"])
    fails("a node of another graph", lambda: clone.empty(after=[last]))
    other = drv.Graph()
    other.memset(memory, 0, N, width=4)
    fails("an update to another graph", lambda: run.update(other))
    return [graph, run, clone, other]


def conditional(scale, stream, memory, flag):
    drv.memset_d32(flag, 1, 1)
    graph = drv.Graph()
    loop = graph.memset(memory, 0x3f800000, N, width=4).while_loop(flag)
    loop.body.kernel(scale, (memory, np.float32(2), np.uint32(N)), block=(32, 1, 1)).memset(flag, 0, 1, width=4)
    show("condition", loop.parameters["condition"], len(loop.bodies))
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    show("looped", values(memory))
    return [graph, run]


def main():
    drv.init()
    context = drv.Device(0).make_context()
    scale = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    stream = drv.Stream()
    memory, flag = drv.mem_alloc(4 * N), drv.mem_alloc(4)
    kept = [captured(scale, stream, memory), built(scale, stream, memory, flag), conditional(scale, stream, memory, flag)]
    show("made", len(kept))
    context.pop()


if __name__ == "__main__":
    main()
