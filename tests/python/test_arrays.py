"""Arrays, structured copies, two-dimensional fills, copies between contexts."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver


def fetch(array, shape, dtype):
    """The contents of an Array with one channel."""
    result = np.empty(shape, dtype)
    copy = drv.Memcpy3D() if len(shape) == 3 else drv.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(result)
    copy.dst_pitch = copy.width_in_bytes = shape[-1] * result.itemsize
    copy.height = shape[-2]
    if len(shape) == 3:
        copy.dst_height, copy.depth = shape[1], shape[0]
    copy()
    return result


def descriptor(width, height=0, format=drv.array_format.FLOAT, num_channels=1):
    result = drv.ArrayDescriptor()
    result.width, result.height, result.format, result.num_channels = width, height, format, num_channels
    return result


def test_descriptors(context):
    array = drv.Array(descriptor(5, 3, drv.array_format.SIGNED_INT16, 2))
    two = array.get_descriptor()
    assert (two.width, two.height, two.format, two.num_channels) == (5, 3, drv.array_format.SIGNED_INT16, 2)
    assert isinstance(two.format, drv.array_format)
    three = drv.ArrayDescriptor3D()
    three.width, three.height, three.depth, three.num_channels = 4, 3, 2, 1
    three.format, three.flags = drv.array_format.FLOAT, drv.array3d_flags.SURFACE_LDST | drv.array3d_flags.LAYERED
    got = drv.Array(three).get_descriptor_3d()
    assert (got.width, got.height, got.depth, got.flags) == (4, 3, 2, 3)
    assert isinstance(array.handle, int) and array == array and array != drv.Array(three)
    with pytest.raises(OverflowError):
        two.width = -1
    with pytest.raises(TypeError):
        drv.Array(3)
    with pytest.raises(drv.LogicError, match="3 channels"):
        drv.Array(descriptor(4, 4, num_channels=3))


def test_free(context):
    array = drv.Array(descriptor(5, 3))
    array.free()
    with pytest.raises(drv.LogicError, match="array was freed"):
        array.free()
    with pytest.raises(drv.LogicError, match="array was freed"):
        array.get_descriptor()
    assert "was freed" in repr(array)


def test_linear_copies(context):
    data = np.arange(8, dtype=np.float32)
    one, other = drv.Array(descriptor(8)), drv.Array(descriptor(8))
    memory = drv.mem_alloc(32)
    drv.memcpy_htoa(one, 0, data)
    drv.memcpy_atoa(other, 16, one, 0, 16)
    drv.memcpy_atoa(other, 0, one, 16, 16)
    drv.memcpy_atod(memory, other, 0, 32)
    assert drv.from_device(memory, 8, np.float32).tolist() == [4, 5, 6, 7, 0, 1, 2, 3]
    drv.memcpy_dtoa(one, 4, memory, 8)
    result = np.empty_like(data)
    drv.memcpy_atoh(result, one, 0)
    assert result.tolist() == [0, 4, 5, 3, 4, 5, 6, 7]
    with pytest.raises(drv.LogicError):
        drv.memcpy_htoa(one, 4, data)


@pytest.mark.parametrize("order", ["C", "F"])
def test_matrix_to_array(context, order):
    matrix = np.arange(15, dtype=np.float32).reshape(3, 5)
    for source in (matrix, np.asfortranarray(matrix), np.repeat(matrix, 2, axis=1)[:, ::2]):
        array = drv.matrix_to_array(source, order)
        expected = matrix if order == "C" else matrix.T
        assert (fetch(array, expected.shape, np.float32) == expected).all()
    with pytest.raises(drv.LogicError, match="order"):
        drv.matrix_to_array(matrix, "A")
    with pytest.raises(drv.LogicError, match="2 dimensions"):
        drv.matrix_to_array(matrix[0], order)
    with pytest.raises(drv.LogicError, match="without elements"):
        drv.matrix_to_array(matrix[:0], order)
    with pytest.raises(TypeError, match="float64"):
        drv.matrix_to_array(matrix.astype(np.float64), order)
    doubles = drv.matrix_to_array(matrix.astype(np.float64), order, allow_double_hack=True).get_descriptor()
    assert (doubles.format, doubles.num_channels) == (drv.array_format.SIGNED_INT32, 2)


@pytest.mark.parametrize("dtype, format, channels", [
    (np.uint8, "UNSIGNED_INT8", 1), (np.int32, "SIGNED_INT32", 1), (np.float16, "HALF", 1), (np.float64, "SIGNED_INT32", 2),
    (np.complex64, "UNSIGNED_INT32", 2), (np.complex128, "SIGNED_INT32", 4)])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_np_to_array(context, dtype, format, channels, shape, order):
    data = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    array = drv.np_to_array(data, order)
    shown = array.get_descriptor_3d()
    assert (shown.format.name, shown.num_channels) == (format, channels)
    expected = data if order == "C" else data.T
    assert (fetch(array, expected.shape, dtype) == expected).all()
    surface = drv.np_to_array(data, order, allowSurfaceBind=True).get_descriptor_3d()
    layered = drv.array3d_flags.LAYERED if len(shape) == 2 else 0
    assert surface.flags == drv.array3d_flags.SURFACE_LDST | layered and surface.depth == (1 if layered else expected.shape[0])


class Flags:
    def __init__(self, flags):
        self.c_contiguous, self.f_contiguous = flags.c_contiguous, flags.f_contiguous


class OnDevice:
    """The attributes of a GPUArray that gpuarray_to_array uses."""

    def __init__(self, ary):
        self.shape, self.dtype, self.flags = ary.shape, ary.dtype, Flags(ary.flags)
        self.gpudata = drv.to_device(ary)


@pytest.mark.parametrize("order", ["C", "F"])
def test_gpuarray_to_array(context, order):
    data = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
    array = drv.gpuarray_to_array(OnDevice(np.asarray(data, order=order)), order)
    expected = data if order == "C" else data.T
    assert (fetch(array, expected.shape, np.float64) == expected).all()
    with pytest.raises(drv.LogicError, match="order"):
        drv.gpuarray_to_array(OnDevice(np.asarray(data, order="F" if order == "C" else "C")), order)


def test_channels(context):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    for source, order in [(pixels, "C"), (np.asfortranarray(pixels.T), "F")]:
        array = drv.make_multichannel_2d_array(source, order)
        shape = array.get_descriptor()
        assert (shape.width, shape.height, shape.num_channels) == (3, 2, 4)
        assert (fetch(array, (2, 12), np.uint8).ravel() == pixels.ravel()).all()


def test_dtype_to_array_format():
    assert drv.dtype_to_array_format(np.float32) is drv.array_format.FLOAT
    assert drv.dtype_to_array_format("i2") is drv.array_format.SIGNED_INT16
    with pytest.raises(TypeError, match="complex64"):
        drv.dtype_to_array_format(np.complex64)


def test_memcpy_2d(context):
    data = np.arange(60, dtype=np.uint8).reshape(6, 10)
    memory = drv.mem_alloc(16 * 8)
    result = np.zeros((3, 4), np.uint8)
    copy = drv.Memcpy2D()
    copy.set_src_host(data)
    copy.set_dst_device(memory)
    copy.src_pitch, copy.dst_pitch = 10, 16
    copy.src_x_in_bytes, copy.src_y, copy.width_in_bytes, copy.height = 2, 1, 4, 3
    copy(aligned=True)
    back = drv.Memcpy2D()
    back.set_src_unified(memory)
    back.set_dst_host(result)
    back.src_pitch, back.dst_pitch, back.width_in_bytes, back.height = 16, 4, 4, 3
    back(aligned=False)
    assert (result == data[1:4, 2:6]).all()
    assert (back.src_pitch, back.src_y) == (16, 0) and isinstance(back.src_pitch, int)
    with pytest.raises(ValueError, match="destination"):
        back.height = 4
        back()
    with pytest.raises(drv.LogicError, match="source is not set"):
        drv.Memcpy2D()()


def test_copies_keep_their_ends_alive(context):
    stream = drv.Stream()
    result = np.zeros((8, 8), np.float32)
    data = np.arange(64, dtype=np.float32).reshape(8, 8)
    array = drv.Array(descriptor(8, 8))
    into = drv.Memcpy2D()
    into.set_src_host(data.copy())
    into.set_dst_array(array)
    into.src_pitch = into.width_in_bytes = 32
    into.height = 8
    out = drv.Memcpy3D()
    out.set_src_array(array)
    out.set_dst_host(result)
    out.dst_pitch = out.width_in_bytes = 32
    out.height = out.dst_height = 8
    out.depth = 1
    into(stream)
    out(stream)
    del into, out, array
    gc.collect()
    stream.synchronize()
    assert (result == data).all()


def test_a_buffer_stays_exported(context):
    data = bytearray(16)
    copy = drv.Memcpy2D()
    copy.set_src_host(data)
    with pytest.raises(BufferError):
        data.extend(b"more")
    copy.set_src_host(b"other")
    _driver.Context.synchronize()  # runs the code that releases references
    data.extend(b"more")
    with pytest.raises(ValueError, match="read-only"):
        copy.set_dst_host(b"constant")
    with pytest.raises(TypeError):
        copy.set_src_host(3)


def test_fills_of_rows(context):
    stream = drv.Stream()
    memory = drv.mem_alloc(64)
    for bits, dtype in [(8, np.uint8), (16, np.uint16), (32, np.uint32)]:
        for is_async in (False, True):
            drv.memset_d8(memory, 0, 64)
            fill = getattr(drv, f"memset_d2d{bits}" + ("_async" if is_async else ""))
            fill(memory, 16, 7, 2, 3, *([stream] if is_async else []))
            stream.synchronize()
            rows = drv.from_device(memory, (4, 16 // np.dtype(dtype).itemsize), dtype)
            assert (rows[:3, :2] == 7).all() and rows.sum() == 42


def test_copies_between_contexts(context, device):
    data = np.arange(4, dtype=np.int32)
    here = drv.to_device(data)
    other = drv.Device(drv.Device.count() - 1).make_context()
    there = drv.mem_alloc(16)
    try:
        drv.memcpy_peer(there, here, 16, dest_context=other, src_context=context)
        assert (drv.from_device(there, 4, np.int32) == data).all()
        drv.memset_d32(there, 5, 4)
        drv.memcpy_peer_async(here, there, 16)
        drv.Context.synchronize()
        copy = drv.Memcpy3DPeer()
        copy.set_src_device(here)
        copy.set_src_context(context)
        copy.set_dst_device(there)
        copy.set_dst_context(other)
        copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 8
        copy.src_height = copy.dst_height = copy.height = 2
        copy.depth = 1
        drv.memset_d32(there, 0, 4)
        copy()
        assert (drv.from_device(there, 4, np.int32) == 5).all()
    finally:
        del there
        other.pop()
    assert (drv.from_device(here, 4, np.int32) == 5).all()
