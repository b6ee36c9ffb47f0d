"""Operations of the sweep on graphs and their nodes."""

import os

import numpy as np
import pycuda.driver as drv
from kernels import SCALE
from operations import row


class Graphs:
    def __init__(self):
        self.scale = drv.module_from_buffer(SCALE.encode()).get_function("scale")
        self.memory, self.flag = drv.mem_alloc(16), drv.mem_alloc(4)
        self.stream = drv.Stream()  # one stream, so that a launch is ordered after one whose wait has failed

    def result(self, executable):
        executable.launch(self.stream)
        self.stream.synchronize()
        return drv.from_device(self.memory, 4, np.float32).tolist()

    def one(self):
        graph = drv.Graph()
        return graph, graph.memset(self.memory, 0x3f800000, 4, width=4)

    def kernel(self, after, factor):
        return after.kernel(self.scale, (self.memory, np.float32(factor), np.int32(4)), block=(4, 1, 1))

    def captured(self):
        stream = drv.Stream()
        with stream.capture() as graph:
            drv.memset_d32_async(self.memory, 0x3f800000, 4, stream)
            self.scale(self.memory, np.float32(3), np.int32(4), block=(4, 1, 1), stream=stream)
        return self.result(graph.instantiate(upload=stream))

    def built(self):
        graph, fill = self.one()
        self.kernel(fill, 3).event_record(drv.Event()).host_function(len).empty().memcpy(self.memory, self.memory, 16)
        return self.result(graph.clone().instantiate()), graph.dot()

    def in_memory_of_its_own(self):
        graph, fill = self.one()
        event = drv.Event(drv.event_flags.DISABLE_TIMING)
        memory = fill.mem_alloc(1000)
        copied = memory.memcpy(memory.gpudata, self.memory, 16).event_record(event).event_wait(event).memcpy(self.memory, memory.gpudata, 16)
        freed = copied.mem_free(memory)
        return self.result(graph.instantiate()), memory.parameters["size"], freed.kind, "1000 bytes" in graph.dot()

    def with_a_child(self):
        child, _ = self.one()
        graph = drv.Graph()
        node = graph.child_graph(child)
        self.kernel(node, 3)
        return self.result(graph.instantiate()), len(node.bodies)

    def branched(self):
        drv.memset_d32(self.flag, 1, 1)
        graph, fill = self.one()
        then = fill.if_then(self.flag)
        self.kernel(then.body, 2)
        both = then.if_else(self.flag)
        self.kernel(both.bodies[0], 3)
        self.kernel(both.bodies[1], 5)
        several = both.switch(self.flag, 2)
        self.kernel(several.bodies[0], 7)
        self.kernel(several.bodies[1], 11)
        return self.result(graph.instantiate())

    def rearranged(self):
        """Edges and nodes that are added, asked for and removed."""
        graph, fill = self.one()
        node, other = self.kernel(graph, 3), self.kernel(graph, 100)
        node.add_dependency(fill)
        edges = len(fill.dependents), len(node.dependencies), len(graph.roots)
        other.remove()
        other = graph.empty(after=node)
        other.remove_dependency(node)
        node.copy_attributes(node)
        node.set_attribute("priority", node.get_attribute("priority"))
        graph.write_debug_dot(os.devnull)
        run = graph.instantiate()
        return edges, run.flags, self.result(run)

    def with_memory_operations(self):
        graph, fill = self.one()
        node = fill.memory_operations(drv.MemoryOperations().write_value32(self.memory, 1))
        node.update(operations=drv.MemoryOperations().write_value32(self.memory, 2))
        event = node.event_record(drv.Event())
        event.update(event=drv.Event())
        run = graph.instantiate()
        run[node].update(operations=drv.MemoryOperations().write_value32(self.memory, 0x40000000))
        run[event].update(event=drv.Event())
        return node.get_memory_operations().count, self.result(run)

    def with_attributes(self):
        graph, fill = self.one()
        fill.kernel(self.scale, (self.memory, np.float32(3), np.int32(4)), block=(4, 1, 1), cooperative=True, attributes={"priority": 0, "mem_sync_domain": 0})
        return self.result(graph.instantiate())

    def switched_off_and_on(self):
        graph, fill = self.one()
        node = self.kernel(fill, 3)
        run = graph.instantiate()
        run[fill].update(value=0x40000000)  # 2.0f
        run[node].disable()
        without, was_enabled = self.result(run), run[node].is_enabled
        run[node].enable()
        return without, was_enabled, self.result(run)

    def cloned(self):
        graph, fill = self.one()
        clone = graph.clone()
        self.kernel(clone.find_in_clone(fill), 3)
        return self.result(clone.instantiate()), len(graph.nodes)

    def looped(self):
        drv.memset_d32(self.flag, 1, 1)
        graph, fill = self.one()
        body = fill.while_loop(self.flag).body
        self.kernel(body, 2).memset(self.flag, 0, 1, width=4)
        return self.result(graph.instantiate())

    def updated(self):
        graph, fill = self.one()
        node = self.kernel(fill, 3)
        run = graph.instantiate()
        run[node].update(args=(self.memory, np.float32(5), np.int32(4)))
        first = self.result(run)
        other, fill = self.one()
        self.kernel(fill, 7)
        run.update(other)
        return first, self.result(run)

    def copied_from_elsewhere(self):
        graph = drv.Graph()
        node = graph.memcpy(self.memory, np.arange(4, dtype=np.float32))
        run = graph.instantiate()
        first = self.result(run)
        run[node].update(src=np.full(4, 9, np.float32))
        return first, self.result(run)

    def copied_by_array(self):
        descriptor = drv.ArrayDescriptor()
        descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 4, 0, drv.array_format.FLOAT, 1
        array, copy = drv.Array(descriptor), drv.Memcpy2D()
        copy.set_src_host(np.arange(4, dtype=np.float32))
        copy.set_dst_array(array)
        copy.width_in_bytes, copy.height = 16, 1
        graph = drv.Graph()
        node = graph.memcpy_nd(copy)
        node.memcpy(self.memory, array, 16)
        run = graph.instantiate()
        first = self.result(run)
        copy.set_src_host(np.full(4, 9, np.float32))
        node.update(copy=copy)
        array.free()
        run.update(graph)
        return first, self.result(run)


row("Stream.capture", lambda g: g.captured(), Graphs)
row("Graph", lambda g: g.built(), Graphs)
row("Graph.while_loop", lambda g: g.looped(), Graphs)
row("ExecutableGraph.update", lambda g: g.updated(), Graphs)
row("Graph.memcpy_nd", lambda g: g.copied_by_array(), Graphs)
row("ExecutableNode.update.memcpy", lambda g: g.copied_from_elsewhere(), Graphs)
row("Graph.mem_alloc", lambda g: g.in_memory_of_its_own(), Graphs)
row("Graph.child_graph", lambda g: g.with_a_child(), Graphs)
row("Graph.conditions", lambda g: g.branched(), Graphs)
row("Graph.kernel.attributes", lambda g: g.with_attributes(), Graphs)
row("GraphNode.remove", lambda g: g.rearranged(), Graphs)
row("Graph.memory_operations", lambda g: g.with_memory_operations(), Graphs)
row("Graph.find_in_clone", lambda g: g.cloned(), Graphs)
row("ExecutableNode.disable", lambda g: g.switched_off_and_on(), Graphs)
