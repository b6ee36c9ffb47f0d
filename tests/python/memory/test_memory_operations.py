"""Streams that write words of memory, and wait for them."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pytest

WIDTHS = {32: np.uint32, 64: np.uint64}


def words_of(dtype, count):
    """Words that the host can write while a stream waits, and their address."""
    words = drv.pagelocked_zeros(count, dtype, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    return words, int(words.base.get_device_pointer())


def two_words(device, bits):
    if bits == 64 and not device.can_use_64_bit_stream_mem_ops:
        pytest.skip("the device has no operations on words of 64 bits")
    return words_of(WIDTHS[bits], 2)


@pytest.mark.parametrize("bits", WIDTHS)
def test_a_write(device, context, bits):
    stream, (words, base) = drv.Stream(), two_words(device, bits)
    value = (1 << bits) - 3
    getattr(stream, f"write_value{bits}")(base + bits // 8, value)
    stream.synchronize()
    assert words.tolist() == [0, value]


@pytest.mark.parametrize("bits", WIDTHS)
def test_a_wait_ends_when_the_host_writes(device, context, bits):
    stream, (words, base) = drv.Stream(), two_words(device, bits)
    getattr(stream, f"wait_value{bits}")(base, 2)
    drv.memset_d8_async(base + bits // 8, 1, 1, stream)
    assert not stream.is_done()
    words[0] = 1  # not enough
    assert not stream.is_done()
    words[0] = 3
    stream.synchronize()
    assert words[1] == 1


FLAGS = drv.stream_wait_value_flags


@pytest.mark.parametrize("flags, value, still_waits, ends", [
    (FLAGS.GEQ, 5, 4, 6), (FLAGS.GEQ, 2**32 - 1, 2**32 - 2, 3), (FLAGS.EQ, 5, 6, 5), (FLAGS.AND, 6, 9, 2)])
def test_comparisons(context, flags, value, still_waits, ends):
    waiting, writing, (words, base) = drv.Stream(), drv.Stream(), words_of(np.uint32, 1)
    words[0] = still_waits
    waiting.wait_value32(base, value, flags)
    assert not waiting.is_done()
    writing.write_value32(base, ends)
    waiting.synchronize()


def test_nor(device, context):
    if not device.can_use_stream_wait_value_nor:
        pytest.skip("the device has no such comparison")
    stream, (words, base) = drv.Stream(), words_of(np.uint32, 1)
    words[0] = 0xFFFF0000
    stream.wait_value32(base, 0x0000FFFF, FLAGS.NOR)
    assert not stream.is_done()
    words[0] = 0
    stream.synchronize()


def test_page_locked_and_device_memory(context):
    stream = drv.Stream()
    host, base = words_of(np.uint32, 1)
    stream.write_value32(base, 7)
    memory = drv.to_device(np.zeros(1, np.uint32))
    stream.write_value32(memory, 8)
    stream.synchronize()
    assert (host[0], drv.from_device(memory, 1, np.uint32)[0]) == (7, 8)


@pytest.mark.parametrize("made", [lambda: drv.managed_zeros(1, np.uint32).base, lambda: drv.mem_alloc_async(4, drv.Stream())])
def test_memory_that_is_refused(context, made):
    """As an H200's driver refuses it, in a graph only at the launch."""
    word = made()
    context.synchronize()
    for queued in (lambda: drv.Stream().write_value32(word, 1), lambda: drv.Stream().wait_value32(word, 0), drv.MemoryOperations().write_value32(word, 1).queue,
                   lambda: launched(drv.MemoryOperations().write_value32(word, 1))):
        with pytest.raises(drv.LogicError, match="invalid argument"):
            queued()


def launched(operations):
    graph = drv.Graph()
    graph.memory_operations(operations)
    graph.instantiate().launch()


def test_wrong_arguments(context):
    stream, memory = drv.Stream(), drv.mem_alloc(64)
    with pytest.raises(drv.LogicError, match="the word at 0x"):
        stream.write_value32(int(memory) + 1, 1)
    with pytest.raises(drv.LogicError, match="flags 77"):
        stream.wait_value32(memory, 1, 77)
    for wrong in (-1, 1 << 32):
        with pytest.raises((OverflowError, ValueError)):
            stream.write_value32(memory, wrong)
    with pytest.raises(TypeError):
        stream.write_value32(memory, 1.5)
    with pytest.raises(TypeError):
        stream.write_value32(None, 1)
    memory.free()
    with pytest.raises(drv.LogicError):
        stream.write_value32(memory, 1)


def test_a_batch(device, context):
    words, base = words_of(np.uint32, 4)
    stream = drv.Stream()
    operations = drv.MemoryOperations()
    assert operations.write_value32(base, 1) is operations
    operations.wait_value32(base, 1).write_value32(base + 4, 2).wait_value32(base + 8, 3, FLAGS.EQ).write_value32(base + 12, 4)
    assert operations.count == 5
    assert operations.texts()[3] == f"wait_value32({base + 8}, 3, 1)"
    operations.queue(stream)
    assert not stream.is_done()
    words[2] = 3
    stream.synchronize()
    assert words.tolist() == [1, 2, 3, 4]
    operations.queue()  # again, on the default stream: all waits have ended
    context.synchronize()


def test_batches_that_the_driver_refuses(context):
    drv.MemoryOperations().queue()  # nothing
    many, memory = drv.MemoryOperations(), drv.mem_alloc(4)
    for _ in range(257):
        many.write_value32(memory, 1)
    with pytest.raises(drv.LogicError, match="257 operations"):
        many.queue()
    with pytest.raises(TypeError):
        many.queue(3)


def test_a_batch_is_not_split_by_a_wrong_operation(context):
    words, base = words_of(np.uint32, 1)
    with pytest.raises(drv.LogicError):
        drv.MemoryOperations().write_value32(base, 1).write_value32(base + 1, 1).queue()
    context.synchronize()
    assert words[0] == 0


def test_captured_operations_keep_their_memory(context):
    """The graph keeps memory that the program frees, as of every captured call."""
    stream, pool = drv.Stream(), drv.DeviceMemoryPool()
    memory, pooled, result = drv.to_device(np.zeros(1, np.uint32)), pool.allocate(4), drv.managed_zeros(2, np.uint32)
    with stream.capture() as graph:
        stream.write_value32(memory, 5)
        drv.MemoryOperations().write_value32(pooled, 6).queue(stream)
        drv.memcpy_dtod_async(result.base, memory, 4, stream)
        drv.memcpy_dtod_async(result.base.get_device_pointer() + 4, pooled, 4, stream)
    address, other = int(memory), int(pooled)
    run = graph.instantiate()
    memory.free()
    del memory, pooled
    gc.collect()
    taken = [drv.mem_alloc(4) for _ in range(4)] + [pool.allocate(4) for _ in range(4)]
    assert not {address, other} & {int(block) for block in taken}
    run.launch()
    context.synchronize()
    assert result.tolist() == [5, 6]


def test_two_threads(context):
    """Two streams pass a counter on, each queued by its own thread."""
    (words, base), rounds = words_of(np.uint32, 2), 50

    def play(mine, other, start):
        context.push()
        try:
            stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
            for n in range(1, rounds + 1):
                stream.wait_value32(other, n - start)
                stream.write_value32(mine, n)
            stream.synchronize()
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=play, args=(base, base + 4, 1)), threading.Thread(target=play, args=(base + 4, base, 0))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words.tolist() == [rounds, rounds]
