"""Updates of copies between host memory, device memory and arrays; graphs that kernels may launch."""

import gc
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from conftest import gone

N = 16


def numbers(first):
    return np.arange(first, first + N, dtype=np.int32)


def row_of(values):
    """An array of one row."""
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = N, 0, drv.array_format.SIGNED_INT32, 1
    array = drv.Array(descriptor)
    copy = drv.Memcpy2D()
    copy.set_src_host(values)
    copy.set_dst_array(array)
    copy.width_in_bytes, copy.height = values.nbytes, 1
    copy(aligned=True)
    return array


def contents(array):
    values = np.zeros(N, np.int32)
    drv.memcpy_atoh(values, array, 0)
    return values


def launched(run):
    run.launch()
    drv.Context.synchronize()


def test_a_copy_to_the_device_is_updated(ints):
    graph = drv.Graph()
    node = graph.memcpy(ints, numbers(0))
    run = graph.instantiate()
    run[node].update(src=numbers(100))
    launched(run)
    assert (ints.get()[:N] == numbers(100)).all()
    other = drv.mem_alloc(4 * N)
    run[node].update(dest=other)  # the source stays
    launched(run)
    assert (drv.from_device(other, N, np.int32) == numbers(100)).all()
    run[node].update(dest=ints, src=numbers(7), size=8)
    drv.memset_d8(ints.gpudata, 0, ints.nbytes)
    launched(run)
    assert ints.get()[:3].tolist() == [7, 8, 0]


def test_a_copy_to_the_host_is_updated(ints):
    ints.fill(3)
    first, second = np.zeros(N, np.int32), np.zeros(N, np.int32)
    graph = drv.Graph()
    node = graph.memcpy(first, ints)
    run = graph.instantiate()
    run[node].update(dest=second)
    launched(run)
    assert (second == 3).all() and not first.any()
    read_only = np.zeros(N, np.int32)
    read_only.flags.writeable = False
    with pytest.raises((TypeError, ValueError, BufferError)):
        run[node].update(dest=read_only)
    with pytest.raises(ValueError, match="destination"):
        run[node].update(dest=np.zeros(1, np.int32))
    launched(run)
    assert (second == 3).all()


def test_host_memory_of_an_update_is_kept(ints):
    graph = drv.Graph()
    node = graph.memcpy(ints, numbers(0))
    run = graph.instantiate()
    kept = []
    for first in (10, 20, 30):
        source = numbers(first)
        kept.append(weakref.ref(source))
        run[node].update(src=source)
        del source
        gc.collect()
        launched(run)
        assert (ints.get()[:N] == numbers(first)).all()
    assert gone(lambda: [ref() is None for ref in kept] == [True, True, False])
    del run
    assert gone(lambda: kept[-1]() is None)


def test_an_update_after_a_launch_keeps_the_memory_it_uses(ints, kernels, stream):
    """A running launch copies the memory from when it was queued, whatever is updated and released after it."""
    gate = drv.pagelocked_zeros(1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    held = drv.to_device(np.zeros(1, np.int32))
    graph = drv.Graph()
    node = graph.memcpy(ints, numbers(0))
    run = graph.instantiate()
    run[node].update(src=numbers(1))
    kernels["wait_for"](np.intp(gate.base.get_device_pointer()), held, block=(1, 1, 1), stream=stream)
    run.launch(stream)
    run[node].update(src=numbers(2))
    gc.collect()
    gate[0] = 1
    stream.synchronize()
    assert (ints.get()[:N] == numbers(1)).all()
    run.launch(stream)
    stream.synchronize()
    assert (ints.get()[:N] == numbers(2)).all()


def test_arrays_of_a_captured_copy_are_exchanged(context):
    stream, source, dest = drv.Stream(), row_of(numbers(0)), drv.mem_alloc(4 * N)
    copy = drv.Memcpy2D()
    copy.set_src_array(source)
    copy.set_dst_device(dest)
    copy.width_in_bytes, copy.height = 4 * N, 1
    with stream.capture() as graph:
        copy(stream)
    (node,) = graph.nodes
    run = graph.instantiate()
    other = row_of(numbers(50))
    run[node].update(src=other)
    del other
    gc.collect()
    launched(run)
    assert (drv.from_device(dest, N, np.int32) == numbers(50)).all()


def test_kinds_of_ends_cannot_change(ints):
    graph = drv.Graph()
    node = graph.memcpy(ints, numbers(0))
    run = graph.instantiate()
    for wrong in (row_of(numbers(0)), drv.mem_alloc(4 * N)):
        with pytest.raises(drv.LogicError, match="ends stay"):
            run[node].update(src=wrong)
    launched(run)
    assert (ints.get()[:N] == numbers(0)).all()


def test_a_graph_for_device_launch(ints, kernels, stream):
    graph = drv.Graph()
    graph.memset(ints, 1, width=4).kernel(kernels["add"], (ints, np.int32(2)), block=(32, 1, 1))
    if drv.driver_info().is_cpu_device:
        with pytest.raises(drv.LogicError, match="kernels cannot launch graphs on the CPU device"):
            graph.instantiate(stream, device_launch=True)
        return
    run = graph.instantiate(stream, device_launch=True)
    run.launch(stream)  # the host can launch it, too
    stream.synchronize()
    assert (ints.get() == 3).all() and run.handle
    with pytest.raises(drv.LogicError, match="the graph may have kernels"):
        other = drv.Graph()
        other.host_function(len)
        other.instantiate(device_launch=True)
