"""Nodes and edges of graphs that are asked about, added and removed; attributes of kernel nodes."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE


@pytest.fixture
def graph(context):
    return drv.Graph()


@pytest.fixture
def nothing(context):
    return drv.module_from_buffer(SCALE).get_function("nothing")


def test_roots_and_neighbours(graph):
    first, other = graph.empty(), graph.empty()
    last = graph.empty(after=(first, other))
    assert set(graph.roots) == {first, other}
    assert set(last.dependencies) == {first, other} and last.dependents == []
    assert first.dependencies == [] and first.dependents == [last]


def test_dependencies_are_added_and_removed(graph):
    result = drv.managed_zeros(1, np.int32)
    address = result.base.get_device_pointer()
    ones, twos = graph.memset(address, 1, 1, width=4), graph.memset(address, 2, 1, width=4)
    ones.add_dependency(twos)
    assert graph.edges == [(twos, ones)] and graph.roots == [twos]
    graph.instantiate().launch()
    drv.Context.synchronize()
    assert result[0] == 1
    with pytest.raises(drv.LogicError, match="waits for that one already"):
        ones.add_dependency(twos)
    with pytest.raises(drv.LogicError):
        twos.add_dependency(ones)  # a circle
        graph.instantiate()
    if (ones, twos) in graph.edges:
        twos.remove_dependency(ones)
    ones.remove_dependency(twos)
    assert graph.edges == []
    with pytest.raises(drv.LogicError, match="does not wait"):
        ones.remove_dependency(twos)


def test_edges_between_graphs_are_refused(graph):
    here, there = graph.empty(), drv.Graph().empty()
    for call in (here.add_dependency, here.remove_dependency):
        with pytest.raises(drv.LogicError, match="another graph"):
            call(there)
        with pytest.raises(TypeError):
            call(None)


def test_a_condition_reads_its_number_after_a_new_dependency(graph):
    condition, result = drv.managed_zeros(2, np.int32), drv.managed_zeros(1, np.int32)
    node = graph.if_then(condition.base)
    with node as body:
        body.memset(result.base.get_device_pointer(), 7, 1, width=4)
    node.add_dependency(graph.memset(condition.base.get_device_pointer(), 1, 1, width=4))
    graph.instantiate().launch()
    drv.Context.synchronize()
    assert result[0] == 7


def test_removed_nodes(graph):
    memory = drv.mem_alloc(4)
    kept, gone = graph.memset(memory, 1, 4), graph.memset(memory, 2, 4)
    run = graph.instantiate()
    gone.remove()
    assert graph.nodes == [kept]
    for use in (lambda: gone.handle, lambda: gone.kind, lambda: gone.parameters, gone.remove, lambda: gone.dependencies,
                lambda: kept.add_dependency(gone), lambda: graph.empty(after=gone), lambda: run[gone].disable()):
        with pytest.raises(drv.LogicError, match="was removed"):
            use()
    run.launch()  # still has it
    drv.Context.synchronize()
    assert drv.from_device(memory, 4, np.uint8).tolist() in ([1] * 4, [2] * 4)
    later = [graph.empty() for _ in range(20)]  # the driver may use the handle again
    assert len({node.handle for node in later}) == 20
    with pytest.raises(drv.LogicError, match="was removed"):
        gone.handle


def test_a_removed_copy_releases_its_memory(graph):
    data, memory = bytearray(4), drv.mem_alloc(4)
    node = graph.memcpy(memory, data)
    with pytest.raises(BufferError):
        data.extend(b"x")
    node.remove()
    del node
    gc.collect()
    for _ in range(200):
        try:
            data.extend(b"x")
            break
        except BufferError:
            import time

            time.sleep(0.01)
    assert len(data) == 5


def test_nodes_that_cannot_be_removed(graph):
    child = drv.Graph()
    child.empty()
    for node in (graph.child_graph(child), graph.if_then(drv.managed_zeros(1, np.int32).base)):
        with pytest.raises(drv.LogicError, match="graphs inside"):
            node.remove()
    allocation = graph.mem_alloc(64)
    with pytest.raises(drv.LogicError):
        allocation.remove()


def test_a_loop_whose_last_node_was_removed_ends(graph):
    """The node that reads the condition at the end of the body is added anew."""
    counter = drv.managed_zeros(1, np.int32)
    counter[0] = 1
    loop = graph.while_loop(counter.base)
    body = loop.body
    body.memset(counter.base.get_device_pointer(), 0, 1, width=4)
    first = graph.instantiate()
    first.launch()
    drv.Context.synchronize()
    del first
    setter = body.nodes[-1]
    try:
        setter.remove()
    except drv.LogicError:
        pytest.skip("the driver does not let nodes of bodies be removed")
    counter[0] = 1
    graph.instantiate().launch()
    drv.Context.synchronize()
    assert counter[0] == 0


def test_ids(graph):
    node = graph.empty()
    run = graph.instantiate()
    if drv.get_driver_version() < 13010 and not drv.driver_info().is_cpu_device:
        for ask in (lambda: graph.id, lambda: run.id, lambda: node.local_id, lambda: node.tools_id):
            with pytest.raises(drv.RuntimeError, match="CUDA 13.1"):
                ask()
    else:
        assert graph.id != drv.Graph().id and run.id >= 0 and node.tools_id >= 0
        assert node.local_id != graph.empty().local_id


def test_flags(graph):
    graph.empty()
    assert graph.instantiate().flags == 0
    node = graph.mem_alloc(64)
    graph.mem_free(node, after=node)
    assert graph.instantiate().flags & drv.graph_instantiate_flags.AUTO_FREE_ON_LAUNCH


def test_the_drivers_dot(graph, tmp_path):
    graph.memset(drv.mem_alloc(4), 1, 4)
    file = tmp_path / "graph.dot"
    graph.write_debug_dot(file, drv.graph_debug_dot_flags.VERBOSE)
    assert file.read_text().startswith("digraph")
    with pytest.raises(drv.Error, match="no such folder"):
        graph.write_debug_dot(tmp_path / "no such folder" / "x")


def test_attributes_of_a_kernel(graph, nothing):
    one = graph.kernel(nothing, block=(1, 1, 1), attributes={"priority": -1})
    other = graph.kernel(nothing, block=(1, 1, 1))
    assert one.get_attribute("priority") == -1
    assert one.get_attribute(drv.launch_attribute.COOPERATIVE) == 0
    other.copy_attributes(one)
    assert other.get_attribute("priority") == -1
    other.set_attribute("priority", 0)
    assert (other.get_attribute("priority"), one.get_attribute("priority")) == (0, -1)
    graph.instantiate().launch()
    drv.Context.synchronize()


def test_attributes_that_are_refused(graph, nothing):
    kernel, empty = graph.kernel(nothing, block=(1, 1, 1)), graph.empty()
    for use in (lambda: empty.get_attribute("priority"), lambda: empty.set_attribute("priority", 0), lambda: empty.copy_attributes(kernel),
                lambda: kernel.copy_attributes(empty)):
        with pytest.raises(drv.LogicError, match="only a kernel node"):
            use()
    with pytest.raises(ValueError, match="no attribute"):
        kernel.get_attribute("x")
    with pytest.raises(TypeError):
        kernel.set_attribute("priority", "x")


def test_events_of_nodes(graph):
    first, second = drv.Event(), drv.Event()
    node = graph.event_record(first)
    run = graph.instantiate()
    run.launch()
    drv.Context.synchronize()
    run[node].update(event=second)
    before = drv.Event().record()
    run.launch()
    drv.Context.synchronize()
    assert second.time_since(before) >= 0
    node.update(event=second)
    later = graph.instantiate()
    del second
    gc.collect()
    later.launch()
    drv.Context.synchronize()
    wait = graph.event_wait(first)
    wait.update(event=before)
    graph.instantiate().launch()
    drv.Context.synchronize()
    for wrong in ({}, {"event": first, "copy": drv.Memcpy2D()}):
        with pytest.raises(TypeError, match="one of copy, event, operations"):
            node.update(**wrong)
    with pytest.raises(drv.LogicError, match="has an event"):
        graph.empty().update(event=first)


def test_memory_operations(graph):
    words = drv.pagelocked_zeros(3, np.uint32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    base = int(words.base.get_device_pointer())
    operations = drv.MemoryOperations().write_value32(base, 1).wait_value32(base, 1)
    node = graph.memory_operations(operations)
    operations.write_value32(base, 9)  # not in the node
    assert node.kind == drv.graph_node_kind.BATCH_MEM_OP
    assert node.get_memory_operations().texts() == [f"write_value32({base}, 1, 0)", f"wait_value32({base}, 1, 0)"]
    assert node.parameters["count"] == 2 and node.parameters["operation 1"].startswith("wait_value32")
    assert "memory operations" in graph.dot()
    run = graph.instantiate()
    run.launch()
    drv.Context.synchronize()
    assert words.tolist() == [1, 0, 0]
    run[node].update(operations=drv.MemoryOperations().write_value32(base + 4, 2).wait_value32(base + 4, 2))
    run.launch()
    drv.Context.synchronize()
    assert words.tolist() == [1, 2, 0]
    node.update(operations=drv.MemoryOperations().write_value32(base + 8, 3))
    graph.instantiate().launch()
    drv.Context.synchronize()
    assert words.tolist() == [1, 2, 3]
    with pytest.raises(drv.LogicError, match="1 to 256"):
        graph.memory_operations(drv.MemoryOperations())
    with pytest.raises(drv.LogicError, match="only a node of memory operations"):
        graph.empty().get_memory_operations()
    with pytest.raises(drv.LogicError, match="only a node of memory operations"):
        graph.empty().update(operations=operations)
    with pytest.raises(TypeError):
        graph.memory_operations(3)


def test_a_graph_keeps_the_words_of_its_operations(graph):
    memory, result = drv.to_device(np.zeros(1, np.uint32)), drv.managed_zeros(1, np.uint32)
    node = graph.memory_operations(drv.MemoryOperations().write_value32(memory, 5))
    graph.memcpy(result.base, memory, 4, after=node)
    address = int(memory)
    run = graph.instantiate()
    memory.free()
    assert address not in {int(drv.mem_alloc(4)) for _ in range(8)}
    run.launch()
    drv.Context.synchronize()
    assert result[0] == 5


def test_external_events_in_captures(context):
    stream, before, reached = drv.Stream(), drv.Event(), drv.Event()
    result = drv.managed_zeros(1, np.int32)
    with stream.capture() as graph:
        stream.wait_for_external_event(before)
        drv.memset_d32_async(result.base.get_device_pointer(), 7, 1, stream)
        reached.record_external(stream)
    assert [node.kind for node in graph.nodes] == [drv.graph_node_kind.WAIT_EVENT, drv.graph_node_kind.MEMSET, drv.graph_node_kind.EVENT_RECORD]
    run = graph.instantiate()
    before.record()
    run.launch(stream)
    reached.synchronize()
    assert result[0] == 7
    del before, reached
    gc.collect()
    run.launch(stream)
    stream.synchronize()


def test_external_events_without_a_capture(context):
    stream, event = drv.Stream(), drv.Event()
    event.record_external(stream)
    drv.Stream().wait_for_external_event(event)
    assert event.synchronize().query()
    event.record_external()
    with pytest.raises(TypeError):
        stream.wait_for_external_event(None)
