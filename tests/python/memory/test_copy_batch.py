"""Batches of copies: bytes, rectangles and boxes, by one driver call."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest

pytestmark = pytest.mark.skipif(drv.get_driver_version() < 13000, reason="batches need a driver of CUDA 13.0")
ORDER = drv.memcpy_src_access_order


def test_copies_between_all_kinds_of_memory(context):
    stream = drv.Stream()
    values = np.arange(64, dtype=np.uint8)
    device, pinned, managed, pageable = drv.to_device(values), drv.pagelocked_zeros(64, np.uint8), drv.managed_zeros(64, np.uint8), np.zeros(64, np.uint8)
    other, third = drv.mem_alloc(64), drv.mem_alloc(64)
    batch = drv.CopyBatch().add(pinned.ctypes.data, device, 64).add(managed.base, device, 32).add(other, int(device) + 16, 48)
    batch.add(third, values.ctypes.data, 64, ORDER.DURING_API_CALL).add(pageable.ctypes.data, device, 64, ORDER.ANY, drv.memcpy_flags.PREFER_OVERLAP_WITH_COMPUTE)
    assert batch.count == 5
    batch.queue(stream)
    stream.synchronize()
    assert (pinned == values).all() and (pageable == values).all()
    assert managed[:32].tolist() == values[:32].tolist() and not managed[32:].any()
    assert drv.from_device(other, 48, np.uint8).tolist() == values[16:].tolist()
    assert drv.from_device(third, 64, np.uint8).tolist() == values.tolist()


def test_random_batches_beside_single_copies(context):
    rng, stream, size = np.random.default_rng(3), drv.Stream(), 4096
    sources, destination = drv.to_device(rng.integers(0, 256, size, dtype=np.uint8)), drv.to_device(np.zeros(size, np.uint8))
    expected, host = np.zeros(size, np.uint8), drv.from_device(sources, size, np.uint8)
    for _ in range(20):
        cuts = np.sort(rng.choice(np.arange(1, size), 40, replace=False))
        batch = drv.CopyBatch()
        for begin, end in zip(cuts[:-1], cuts[1:]):  # which no other copy of the batch writes
            at = int(rng.integers(0, size - (end - begin) + 1))
            batch.add(int(destination) + int(begin), int(sources) + at, int(end - begin), rng.choice([ORDER.STREAM, ORDER.ANY]))
            expected[begin:end] = host[at:at + end - begin]
        batch.queue(stream)
        stream.synchronize()
        assert (drv.from_device(destination, size, np.uint8) == expected).all()


def test_a_batch_is_in_the_streams_order(context):
    stream, a, b = drv.Stream(), drv.mem_alloc(1 << 20), drv.mem_alloc(1 << 20)
    batch = drv.CopyBatch().add(b, a, 1 << 20)
    for value in range(1, 20):
        drv.memset_d8_async(a, value, 1 << 20, stream)
        batch.queue(stream)
        drv.memset_d8_async(a, 0, 1 << 20, stream)
    stream.synchronize()
    assert set(drv.from_device(b, 1 << 20, np.uint8)) == {19}


def array_of(width, height, format, depth=0):
    shape = drv.ArrayDescriptor3D() if depth else drv.ArrayDescriptor()
    shape.width, shape.height, shape.format, shape.num_channels = width, height, format, 1
    if depth:
        shape.depth = depth
    return drv.Array(shape)


def rectangle(source, destination, width, height, **pitches):
    copy = drv.Memcpy2D()
    for side, value in (("src", source), ("dst", destination)):
        kind = "array" if isinstance(value, drv.Array) else "host" if isinstance(value, np.ndarray) else "device"
        getattr(copy, f"set_{side}_{kind}")(value)
    copy.width_in_bytes, copy.height = width, height
    for name, value in pitches.items():
        setattr(copy, name, value)
    return copy


def test_rectangles_with_bytes(context):
    stream = drv.Stream()
    image = np.arange(6 * 8, dtype=np.uint16).reshape(6, 8)
    device, out, line = drv.to_device(image), np.zeros((3, 4), np.uint16), drv.mem_alloc(16)
    array = array_of(8, 6, drv.array_format.UNSIGNED_INT16)
    to_array = rectangle(image, array, 16, 6, src_pitch=16)
    part = rectangle(device, out, 8, 3, src_pitch=16, src_x_in_bytes=4, src_y=2, dst_pitch=8)
    batch = drv.CopyBatch().add(line, device, 16).add_box(to_array).add_box(part)
    assert batch.count == 3
    batch.queue(stream)
    back = np.zeros((6, 8), np.uint16)
    drv.CopyBatch().add_box(rectangle(array, back, 16, 6, dst_pitch=16)).queue(stream)
    stream.synchronize()
    assert (out == image[2:5, 2:6]).all() and (back == image).all()
    assert drv.from_device(line, 8, np.uint16).tolist() == image[0].tolist()


def test_boxes(context):
    stream, cube = drv.Stream(), np.arange(3 * 4 * 5, dtype=np.float32).reshape(3, 4, 5)
    array = array_of(5, 4, drv.array_format.FLOAT, 3)
    copy = drv.Memcpy3D()
    copy.set_src_host(cube)
    copy.set_dst_array(array)
    copy.width_in_bytes, copy.height, copy.depth, copy.src_pitch, copy.src_height = 20, 4, 3, 20, 4
    back, part = drv.Memcpy3D(), np.zeros((2, 2, 2), np.float32)
    back.set_src_array(array)
    back.set_dst_host(part)
    back.src_x_in_bytes, back.src_y, back.src_z = 8, 1, 1
    back.width_in_bytes, back.height, back.depth, back.dst_pitch, back.dst_height = 8, 2, 2, 8, 2
    drv.CopyBatch().add_box(copy).queue(stream)
    drv.CopyBatch().add_box(back).queue(stream)
    stream.synchronize()
    assert (part == cube[1:3, 1:3, 2:4]).all()


def test_ends_of_boxes_live_until_the_work_is_done(context):
    stream, target = drv.Stream(), np.zeros(1 << 20, np.uint8)
    batch = drv.CopyBatch().add_box(rectangle(drv.to_device(np.full(1 << 20, 7, np.uint8)), target, 1 << 10, 1 << 10, src_pitch=1 << 10, dst_pitch=1 << 10))
    gc.collect()
    batch.queue(stream)
    del batch
    gc.collect()
    stream.synchronize()
    assert (target == 7).all()


def test_the_empty_batch(context):
    batch = drv.CopyBatch()
    assert batch.count == 0
    batch.queue(drv.Stream())


def test_wrong_arguments(context):
    stream, memory = drv.Stream(), drv.mem_alloc(64)
    half = int(memory) + 32
    for batch, message in ((drv.CopyBatch().add(memory, half, 0), "copy 1 of 1: 0 bytes"), (drv.CopyBatch().add(memory, half, 16, flags=77), "1 copy;"),
                           (drv.CopyBatch().add(memory, half, 32).add(memory, half, 33), "copy 2 of 2: 33 bytes from 0x.*, which has 32 bytes from there on, to 0x")):
        with pytest.raises(drv.LogicError, match=message):
            batch.queue(stream)
    for make in (lambda: drv.CopyBatch().add(memory, 0, 16), lambda: drv.CopyBatch().add("memory", memory, 16), lambda: drv.CopyBatch().add(memory, memory, -1),
                 lambda: drv.CopyBatch().add(memory, memory, 16, 9), lambda: drv.CopyBatch().add_box(memory), lambda: drv.CopyBatch().add(memory, memory, 16).queue(None),
                 lambda: drv.CopyBatch().add_box(drv.Memcpy2D())):
        with pytest.raises((TypeError, ValueError, OverflowError, drv.LogicError)):
            make().queue(stream)
    with pytest.raises(ValueError, match="bytes"):
        drv.CopyBatch().add_box(rectangle(memory, np.zeros(8, np.uint8), 64, 1))


def test_one_wrong_copy_leaves_the_later_ones_undone(context):
    stream, a, b = drv.Stream(), drv.to_device(np.ones(64, np.uint8)), drv.to_device(np.zeros(64, np.uint8))
    with pytest.raises(drv.LogicError):
        drv.CopyBatch().add(b, a, 32).add(int(b) + 32, int(a) + 32, 0).queue(stream)
    stream.synchronize()
    assert not drv.from_device(int(b) + 32, 32, np.uint8).any()


def test_texels_are_not_split(context):
    array = array_of(8, 6, drv.array_format.UNSIGNED_INT16)
    with pytest.raises(drv.LogicError, match="whole texels, here of 2 bytes"):
        drv.CopyBatch().add_box(rectangle(array, np.zeros((6, 3), np.uint8), 3, 6, dst_pitch=3)).queue(drv.Stream())
    array.free()
    with pytest.raises(drv.LogicError):
        drv.CopyBatch().add_box(rectangle(array, np.zeros((6, 16), np.uint8), 16, 6, dst_pitch=16))


def test_a_captured_stream_takes_it_into_the_graph_or_refuses_it(context, is_cpu_device):
    """cuda.h does not say which: the CPU device refuses it. Both must leave the stream usable."""
    stream, source, destination = drv.Stream(), drv.to_device(np.arange(64, dtype=np.uint8)), drv.to_device(np.zeros(64, np.uint8))
    address = int(destination)
    try:
        with stream.capture() as graph:
            drv.CopyBatch().add(destination, source, 64).queue(stream)
    except drv.LogicError as error:
        assert "captur" in str(error)
        taken = False
    else:
        taken = True
        run = graph.instantiate()
        del graph, source  # the graph keeps the memory
        gc.collect()
        run.launch(stream)
    stream.synchronize()
    assert drv.from_device(address, 64, np.uint8).tolist() == (list(range(64)) if taken else [0] * 64)
    assert not (taken and is_cpu_device)
    drv.CopyBatch().add(destination, destination, 1).queue(stream)
    stream.synchronize()
