"""Streams that signal semaphores of another interface, and wait for them; nodes of graphs that do."""

import gc
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from external import TYPES, is_open, memory_file, semaphore
from pycuda import _driver


def live():
    gc.collect()
    return _driver._live_handles("external semaphore")


def reaches(condition):
    """Whether it holds within some seconds."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_timeline_gets_the_value(context):
    stream, (timeline, word) = drv.Stream(), semaphore()
    assert timeline.handle_type == TYPES.TIMELINE_SEMAPHORE_FD and timeline.handle
    stream.signal_semaphore(timeline, 2**63 + 5)
    stream.synchronize()
    assert word[0] == 2**63 + 5


def test_a_wait_for_a_timeline(context):
    stream, done, (timeline, word) = drv.Stream(), gpuarray.zeros(1, np.uint32), semaphore()
    stream.wait_for_semaphore(timeline, 3)
    drv.memset_d32_async(done.gpudata, 1, 1, stream)
    word[0] = 2  # not enough
    time.sleep(0.05)
    assert not stream.is_done()
    word[0] = 4
    stream.synchronize()
    assert done.get()[0] == 1 and word[0] == 4


def test_a_binary_semaphore(context):
    """Each signal ends one wait."""
    one, other, (binary, word) = drv.Stream(), drv.Stream(), semaphore(TYPES.OPAQUE_FD)
    one.signal_semaphore(binary)
    one.synchronize()
    assert word[0] == 1
    other.wait_for_semaphore(binary)
    other.synchronize()
    assert word[0] == 0
    other.wait_for_semaphore(binary)
    time.sleep(0.05)
    assert not other.is_done()
    one.signal_semaphore(binary, 99)  # it has no value
    other.synchronize()
    assert word[0] == 0


def test_several_by_one_call(context):
    stream, (one, first), (two, second), (binary, third) = drv.Stream(), semaphore(), semaphore(), semaphore(TYPES.OPAQUE_FD)
    values = drv.SemaphoreValues().add(one, 5).add(two, 6).add(binary)
    assert values.count == 3
    stream.signal_semaphores(values)
    stream.synchronize()
    assert (first[0], second[0], third[0]) == (5, 6, 1)
    second[0] = 0
    stream.wait_for_semaphores(values)
    time.sleep(0.05)
    assert not stream.is_done()
    second[0] = 6
    stream.synchronize()
    assert third[0] == 0


def test_without_any_it_is_a_no_op(context):
    stream = drv.Stream()
    stream.signal_semaphores(drv.SemaphoreValues())
    stream.wait_for_semaphores(drv.SemaphoreValues())
    stream.synchronize()


def test_earlier_work_is_complete_when_it_signals(context):
    stream, data, (timeline, word) = drv.Stream(), drv.managed_zeros(1 << 20, np.uint32), semaphore()
    drv.memset_d32_async(data.base.get_device_pointer(), 7, data.size, stream)
    stream.signal_semaphore(timeline, 1)
    assert reaches(lambda: word[0] == 1)
    assert (data == 7).all()
    stream.synchronize()


SIGNAL = """
import mmap, os, sys, numpy as np
import pycuda.autoinit
import pycuda.driver as drv
descriptor = int(sys.argv[1])
stream = drv.Stream()
timeline = drv.ExternalSemaphore(descriptor, drv.external_semaphore_handle_type.TIMELINE_SEMAPHORE_FD)
stream.wait_for_semaphore(timeline, 1)
stream.signal_semaphore(timeline, 2)
stream.synchronize()
"""


def test_two_processes(context):
    descriptor, view = memory_file(8)
    theirs = os.dup(descriptor)
    os.set_inheritable(theirs, True)
    stream, timeline = drv.Stream(), drv.ExternalSemaphore(descriptor, TYPES.TIMELINE_SEMAPHORE_FD)
    child = subprocess.Popen([sys.executable, "-c", SIGNAL, str(theirs)], pass_fds=[theirs])
    os.close(theirs)
    stream.signal_semaphore(timeline, 1)
    stream.wait_for_semaphore(timeline, 2)
    assert child.wait(60) == 0
    stream.synchronize()
    assert view.view(np.uint64)[0] == 2


# ---- imports


def test_the_descriptor_belongs_to_the_driver_after_the_import(context):
    descriptor, _ = memory_file(8)
    kept = drv.ExternalSemaphore(descriptor)
    assert kept.handle_type == TYPES.OPAQUE_FD and not is_open(descriptor)


def test_a_failed_import_leaves_the_descriptor_to_the_program(context):
    descriptor, _ = memory_file(4)
    with pytest.raises(drv.LogicError, match=f"file descriptor {descriptor}, which still belongs to the program"):
        drv.ExternalSemaphore(descriptor)
    assert is_open(descriptor)
    os.close(descriptor)
    with pytest.raises(ValueError, match="expected a file descriptor, not -3"):
        drv.ExternalSemaphore(-3)


@pytest.mark.parametrize("kind", [kind for kind in TYPES.__members__ if not kind.endswith("_FD")])
def test_handles_that_are_no_descriptors(context, kind):
    with pytest.raises(drv.LogicError, match=f"{kind} is not a file descriptor"):
        drv.ExternalSemaphore(0, TYPES[kind])


# ---- lifetimes


def test_queued_work_keeps_it(context):
    before = live()
    stream, (timeline, word) = drv.Stream(), semaphore()
    stream.wait_for_semaphore(timeline, 1)
    del timeline
    assert live() == before + 1
    word[0] = 1
    stream.synchronize()
    assert reaches(lambda: live() == before)


def test_values_keep_it(context):
    before = live()
    values = drv.SemaphoreValues().add(semaphore()[0], 1)
    assert live() == before + 1
    del values
    assert live() == before


def test_its_context_has_ended(device, context):
    memory_file(8)
    child = device.make_context()
    timeline, _ = semaphore()
    child.pop()
    child.detach()
    stream = drv.Stream()
    for use in (lambda: timeline.handle, lambda: stream.signal_semaphore(timeline, 1), lambda: stream.wait_for_semaphore(timeline, 1),
                lambda: drv.Graph().signal_semaphores(drv.SemaphoreValues().add(timeline))):
        with pytest.raises(drv.LogicError):
            use()


def test_threads_signal(context):
    (timeline, word), failures = semaphore(), []

    def work():
        context.push()
        try:
            stream = drv.Stream()
            for k in range(50):
                stream.signal_semaphore(timeline, k)
            stream.synchronize()
        except BaseException as error:  # noqa: B036
            failures.append(error)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and word[0] == 49


# ---- graphs


def test_nodes(context):
    graph, stream, done, (timeline, word) = drv.Graph(), drv.Stream(), gpuarray.zeros(1, np.uint32), semaphore()
    wait = graph.wait_for_semaphores(drv.SemaphoreValues().add(timeline, 1))
    fill = wait.memset(done, 1, 1, width=4)
    signal = fill.signal_semaphores(drv.SemaphoreValues().add(timeline, 2))
    assert wait.kind == drv.graph_node_kind.EXT_SEMAS_WAIT and signal.kind == drv.graph_node_kind.EXT_SEMAS_SIGNAL
    assert wait.parameters == {"count": 1, "semaphores": timeline.handle, "values": 1}
    assert "signal semaphores" in graph.dot() and "wait for semaphores" in graph.dot()
    run = graph.instantiate()
    run.launch(stream)
    time.sleep(0.05)
    assert word[0] == 0 and not stream.is_done()
    word[0] = 1
    stream.synchronize()
    assert word[0] == 2 and done.get()[0] == 1


def test_updates(context):
    graph, (one, first), (two, second) = drv.Graph(), semaphore(), semaphore()
    node = graph.signal_semaphores(drv.SemaphoreValues().add(one, 1))
    run = graph.instantiate()
    node.update(semaphores=drv.SemaphoreValues().add(two, 2).add(one, 3))
    assert node.parameters == {"count": 2, "semaphores": (two.handle, one.handle), "values": (2, 3)}
    run.launch()
    drv.Context.synchronize()
    assert (first[0], second[0]) == (1, 0)
    run[node].update(semaphores=drv.SemaphoreValues().add(two, 7))
    run.launch()
    drv.Context.synchronize()
    assert (first[0], second[0]) == (1, 7)
    with pytest.raises(drv.LogicError, match="an update keeps their number"):
        run[node].update(semaphores=drv.SemaphoreValues().add(two, 7).add(one, 7))
    graph.instantiate().launch()
    drv.Context.synchronize()
    assert (first[0], second[0]) == (3, 2)


def test_nodes_refuse(context):
    timeline, _ = semaphore()
    graph, values = drv.Graph(), drv.SemaphoreValues().add(timeline)
    with pytest.raises(drv.LogicError):
        graph.signal_semaphores(drv.SemaphoreValues())
    empty = graph.empty()
    with pytest.raises(drv.LogicError, match="only a node that signals semaphores or waits for them has semaphores"):
        empty.update(semaphores=values)
    with pytest.raises(TypeError):
        graph.signal_semaphores(timeline)
    with pytest.raises(drv.LogicError):
        drv.Graph().wait_for_semaphores(values, after=empty)


def test_a_graph_keeps_them(context):
    before = live()
    graph, (timeline, word) = drv.Graph(), semaphore()
    node = graph.signal_semaphores(drv.SemaphoreValues().add(timeline, 1))
    del timeline
    run = graph.instantiate()
    other, word2 = semaphore()
    run[node].update(semaphores=drv.SemaphoreValues().add(other, 9))
    del other
    assert live() == before + 2
    copy = graph.clone().instantiate()
    run.launch()
    copy.launch()
    drv.Context.synchronize()
    assert (word[0], word2[0]) == (1, 9)
    del graph, node, run, copy
    assert reaches(lambda: live() == before)


def test_captures(context):
    before = live()
    stream, (timeline, word) = drv.Stream(), semaphore()
    with stream.capture() as graph:
        stream.signal_semaphore(timeline, 1)
        stream.wait_for_semaphores(drv.SemaphoreValues().add(timeline, 1))
    assert [node.kind for node in graph.nodes] == [drv.graph_node_kind.EXT_SEMAS_SIGNAL, drv.graph_node_kind.EXT_SEMAS_WAIT]
    assert word[0] == 0
    del timeline
    assert live() == before + 1
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    assert word[0] == 1
