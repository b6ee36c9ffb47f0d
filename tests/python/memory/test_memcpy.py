"""Linear copies and fills."""

import numpy as np
import pycuda.driver as drv
import pytest


@pytest.fixture
def data():
    return np.arange(64, dtype=np.int32).reshape(8, 8)


def test_round_trip(context, data):
    memory = drv.mem_alloc(data.nbytes)
    back = np.empty_like(data)
    drv.memcpy_htod(memory, data)
    drv.memcpy_dtoh(back, memory)
    assert (back == data).all()
    drv.memcpy_htod(dest=memory, src=data[::-1].copy())
    drv.memcpy_dtoh(dest=back, src=memory)
    assert (back == data[::-1]).all()


def test_asynchronous_round_trip(context, data):
    memory, stream, back = drv.mem_alloc(data.nbytes), drv.Stream(), np.empty_like(data)
    drv.memcpy_htod_async(memory, data, stream)
    drv.memcpy_dtoh_async(back, memory, stream=stream)
    stream.synchronize()
    assert (back == data).all()
    drv.memcpy_htod_async(memory, data)
    drv.memcpy_dtoh_async(back, memory, None)
    context.synchronize()
    assert (back == data).all()


def test_device_to_device(context, data):
    source, target = drv.to_device(data), drv.mem_alloc(data.nbytes)
    drv.memcpy_dtod(target, source, data.nbytes)
    assert (drv.from_device_like(target, data) == data).all()
    drv.memset_d8(target, 0, data.nbytes)
    stream = drv.Stream()
    drv.memcpy_dtod_async(int(target) + 4, int(source), data.nbytes - 4, stream=stream)
    stream.synchronize()
    assert (drv.from_device(target, 63, np.int32, order="C") == [0, *range(62)]).all()


def test_a_part_addressed_by_an_integer(context, data):
    memory = drv.to_device(data)
    row = np.empty(8, np.int32)
    drv.memcpy_dtoh(row, int(memory) + 32)
    assert (row == data[1]).all()


def test_contiguous_memory_of_either_order(context, data):
    memory = drv.mem_alloc(data.nbytes)
    drv.memcpy_htod(memory, np.asfortranarray(data))
    assert (drv.from_device(memory, (8, 8), np.int32) == data.T).all()
    back = np.empty_like(data, order="F")
    drv.memcpy_dtoh(back, memory)
    assert (back == data).all()


@pytest.mark.parametrize("copy", [lambda m, a: drv.memcpy_htod(m, a), lambda m, a: drv.memcpy_dtoh(a, m),
                                  lambda m, a: drv.memcpy_htod_async(m, a), lambda m, a: drv.memcpy_dtoh_async(a, m)])
def test_strided_memory_is_rejected(context, data, copy):
    with pytest.raises(ValueError, match="strided"):
        copy(drv.mem_alloc(data.nbytes), data[:, ::2])
    with pytest.raises(TypeError, match="buffer interface.*int"):
        copy(drv.mem_alloc(data.nbytes), 3)


def test_read_only_destination_is_rejected(context, data):
    memory = drv.to_device(data)
    data.flags.writeable = False
    for destination in (data, b"sixteen bytes of"):
        with pytest.raises(ValueError, match="read-only"):
            drv.memcpy_dtoh(destination, memory)
    drv.memcpy_htod(memory, data)  # reading is allowed


def test_invalid_addresses(context, data):
    with pytest.raises(drv.LogicError):
        drv.memcpy_htod(1 << 52, data)
    memory = drv.mem_alloc(16)
    with pytest.raises(drv.LogicError):
        drv.memcpy_htod(memory, np.zeros(1 << 24, np.uint8))


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_memset(context, bits):
    dtype = np.dtype(f"u{bits // 8}")
    fill, fill_async = getattr(drv, f"memset_d{bits}"), getattr(drv, f"memset_d{bits}_async")
    value, memory = 2 ** bits - 2, drv.to_device(np.zeros(10, dtype))
    fill(memory, value, 7)
    assert list(drv.from_device(memory, 10, dtype)) == [value] * 7 + [0] * 3
    stream = drv.Stream()
    fill_async(dest=memory, data=np.uint8(5), count=10, stream=stream)
    stream.synchronize()
    assert list(drv.from_device(memory, 10, dtype)) == [5] * 10
    with pytest.raises(OverflowError):
        fill(memory, 2 ** bits, 1)


def test_streams_are_checked(context, data):
    with pytest.raises(TypeError, match="stream must be a Stream, an object with __cuda_stream__, or None, not int"):
        drv.memcpy_htod_async(drv.mem_alloc(data.nbytes), data, 5)


def test_missing_arguments(context):
    with pytest.raises(TypeError):
        drv.memcpy_htod(drv.mem_alloc(16))
