"""Streams of other libraries, which have __cuda_stream__, are accepted wherever a stream is."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from kernels import SCALE


class Foreign:
    """A stream of another library."""

    def __init__(self, stream):
        self.stream = stream

    def __cuda_stream__(self):
        return 0, self.stream.handle


class WithProperty:
    """The form that some libraries used to have."""

    def __init__(self, stream):
        self.__cuda_stream__ = 0, stream.handle


@pytest.fixture
def stream(context):
    return drv.Stream()


@pytest.fixture(params=[Foreign, WithProperty])
def foreign(request, stream):
    return request.param(stream)


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


def test_our_streams_implement_the_protocol(stream):
    assert stream.__cuda_stream__() == (0, stream.handle)


def test_launches(scale, foreign, stream):
    y = drv.to_device(np.ones(8, np.float32))
    scale(y, np.float32(2), np.int32(8), block=(8, 1, 1), stream=foreign)
    scale.prepare("Pfi").prepared_async_call((1, 1), (8, 1, 1), foreign, y, 2, 8)
    stream.synchronize()
    assert (drv.from_device(y, 8, np.float32) == 4).all()


def test_the_launch_is_on_the_stream(scale, context):
    """The default stream would not wait for this one."""
    import threading

    gate, stream = threading.Event(), drv.Stream(drv.stream_flags.NON_BLOCKING)
    y = drv.to_device(np.ones(8, np.float32))
    stream.add_callback(gate.wait)
    scale(y, np.float32(2), np.int32(8), block=(8, 1, 1), stream=Foreign(stream))
    drv.Event().record().synchronize()
    assert (drv.from_device(y, 8, np.float32) == 1).all()
    gate.set()
    stream.synchronize()
    assert (drv.from_device(y, 8, np.float32) == 2).all()


def test_in_and_out(scale, foreign, stream):
    for y in (np.ones(8, np.float32), drv.pagelocked_zeros(8, np.float32) + np.float32(1), drv.pagelocked_empty(8, np.float32)):
        y[:] = 1
        scale(drv.InOut(y), np.float32(2), np.int32(8), block=(8, 1, 1), stream=foreign)
        stream.synchronize()
        assert (y == 2).all()


def test_hooks_receive_the_object(scale, foreign):
    seen = []

    class Looks(drv.InOut):
        def pre_call(self, stream):
            seen.append(stream)
            super().pre_call(stream)

    scale(Looks(np.ones(8, np.float32)), np.float32(2), np.int32(8), block=(8, 1, 1), stream=foreign)
    assert seen == [foreign]


def test_copies_fills_and_events(foreign, stream):
    host, memory = drv.pagelocked_zeros(8, np.uint32), drv.mem_alloc(32)
    drv.memset_d32_async(memory, 7, 8, foreign)
    drv.memcpy_dtoh_async(host, memory, foreign)
    event = drv.Event().record(foreign)
    event.synchronize()
    assert (host == 7).all()
    pool = drv.DeviceMemoryPool()
    pooled = pool.allocate(32, foreign)
    drv.memcpy_dtod_async(pooled, memory, 32, stream=foreign)
    copy = drv.Memcpy2D()
    copy.set_src_device(pooled)
    copy.set_dst_host(host)
    copy.width_in_bytes, copy.height, copy.src_pitch, copy.dst_pitch = 16, 2, 16, 16
    host[:] = 0
    copy(foreign)
    stream.synchronize()
    assert (host == 7).all()


def test_arrays(foreign, stream):
    a = gpuarray.to_gpu_async(np.arange(8, dtype=np.float32), stream=foreign)
    b = gpuarray.empty_like(a).fill(2, stream=foreign)
    result = np.zeros(8, np.float32)
    total = gpuarray.sum(a, stream=foreign).get_async(stream=foreign)
    b.get_async(stream=foreign, ary=result)
    stream.synchronize()
    assert total == 28 and (result == 2).all()
    assert (a[::2].get_async(stream=foreign) is not None)


def test_the_default_stream(scale, context):
    class Default:
        def __cuda_stream__(self):
            return 0, 0

    y = drv.to_device(np.ones(8, np.float32))
    scale(y, np.float32(2), np.int32(8), block=(8, 1, 1), stream=Default())
    z = np.ones(8, np.float32)
    scale(drv.InOut(z), np.float32(2), np.int32(8), block=(8, 1, 1), stream=Default())
    drv.Context.synchronize()
    assert (drv.from_device(y, 8, np.float32) == 2).all() and (z == 2).all()


@pytest.mark.parametrize("given, error, message", [
    (None, TypeError, "must give"), ((0,), TypeError, "must give"), ((0, 1.5), TypeError, "must give"), ([0, 0], TypeError, "must give"),
    ((1, 0), ValueError, "version 1"), ((1 << 70, 0), ValueError, "version"), ((0, 1 << 70), OverflowError, "too large|too big")])
def test_invalid_results_of_the_protocol(context, given, error, message):
    class Wrong:
        def __cuda_stream__(self):
            return given

    with pytest.raises(error, match=message):
        drv.memset_d8_async(0, 0, 0, Wrong())


def test_objects_other_than_streams(scale, context):
    class Raises:
        @property
        def __cuda_stream__(self):
            raise KeyError("not now")

    with pytest.raises(KeyError, match="not now"):
        drv.Event().record(Raises())
    for wrong in (5, "stream", object()):
        with pytest.raises(TypeError, match="stream must be a Stream, an object with __cuda_stream__, or None"):
            scale(0, np.float32(2), np.int32(0), block=(8, 1, 1), stream=wrong)
        with pytest.raises(TypeError, match="stream must be a Stream"):
            drv.memset_d8_async(0, 0, 0, wrong)
    with pytest.raises(TypeError, match="expected a stream or None"):
        drv.Memcpy3D()(object())
