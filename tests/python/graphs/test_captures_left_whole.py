"""Calls that a program may make in a capture ask the driver more than the program does: that must not end the capture."""

import threading

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from gate import Gate
from pycuda.compiler import SourceModule

N = 32


def in_a_capture_of_another_thread(work):
    """Runs `work` here while another thread captures in the mode in which the driver refuses unsafe calls of all threads. The graph, launched, fills
    an array, which is returned."""
    begun, done, filled, context = threading.Event(), threading.Event(), gpuarray.zeros(N, np.int32), drv.Context.get_current()

    def capture():
        context.push()
        try:
            stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
            with stream.capture(mode="global") as graph:
                drv.memset_d32_async(filled.gpudata, 7, N, stream)
                begun.set()
                done.wait(60)
            graph.instantiate().launch(stream)
            stream.synchronize()
        finally:
            begun.set()
            drv.Context.pop()

    drv.Context.synchronize()
    thread = threading.Thread(target=capture)
    thread.start()
    begun.wait(60)
    try:
        work()
    finally:
        done.set()
        thread.join()
    return filled.get()


def all_streams_wait():
    """Memory that a held stream used before is given out again, and its address is read: from then on whatever begins waits for that use."""
    pool, held = drv.DeviceMemoryPool(), Gate(drv.Stream(drv.stream_flags.NON_BLOCKING)).close()
    memory = pool.allocate(64)
    drv.memset_d32_async(memory, 1, 16, held.stream)
    memory.free()
    again = pool.allocate(64)
    int(again)
    held.open()


def test_a_stream_created_in_a_capture_leaves_it_whole(stream):
    filled = gpuarray.zeros(N, np.int32)
    all_streams_wait()
    with stream.capture(mode="global") as graph:
        drv.memset_d32_async(filled.gpudata, 7, N, stream)
        drv.Stream(drv.stream_flags.NON_BLOCKING)
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert (filled.get() == 7).all()


def test_a_stream_created_in_another_threads_capture_leaves_it_whole(stream):
    all_streams_wait()
    assert (in_a_capture_of_another_thread(lambda: drv.Stream(drv.stream_flags.NON_BLOCKING)) == 7).all()


def test_texture_references_in_another_threads_capture_leave_it_whole(stream):
    module = SourceModule("texture<float, 1> line; __global__ void read(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }")
    line, read, out = module.get_texref("line"), module.get_function("read"), gpuarray.zeros(8, np.float32)
    images = [gpuarray.to_gpu(np.full(8, k, np.float32)) for k in range(3)]

    def work():
        for image in images:
            image.bind_to_texref(line)
            read(out, block=(8, 1, 1), texrefs=[line], stream=stream)

    work()
    assert (in_a_capture_of_another_thread(work) == 7).all()
    stream.synchronize()
    assert (out.get() == 2).all()


def virtual_memory():
    return drv.VirtualMemory(4096, 1 << 22)


def stream_ordered_memory():
    return drv.mem_alloc_async(64, drv.Stream())


def a_pools_memory():
    return drv.StreamOrderedPool().allocate(64, drv.Stream())


def a_graphs_memory():
    stream = drv.Stream()
    with stream.capture(mode="relaxed") as graph:
        memory = drv.mem_alloc_async(64, stream)
    run = graph.instantiate()
    run.launch(stream)
    return memory, run


def test_objects_end_on_other_threads_at_any_moment(context):
    """Also when a capture begins while their end waits for the device. They are made between captures: drivers refuse that in some of them."""
    filled, stream, stop = gpuarray.zeros(N, np.int32), drv.Stream(), threading.Event()
    between_captures = threading.Lock()

    def drops(make):
        context.push()
        while not stop.is_set():
            with between_captures:
                made = make()
            del made
        drv.Context.pop()

    makers = [virtual_memory, stream_ordered_memory, a_pools_memory, a_graphs_memory]
    threads = [threading.Thread(target=drops, args=(make,)) for make in makers]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3000):
            with between_captures, stream.capture(mode="global"):
                drv.memset_d32_async(filled.gpudata, 7, N, stream)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
