"""DLPack: exporting arrays and memory to other libraries, and importing theirs. NumPy is the other library here."""

import ctypes
import gc
import sys
import threading

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda import _driver

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = (1, 0), (2, 0), (3, 0), (13, 0)
DTYPES = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", "d", "F", "D"]


def to_numpy(exporter):
    """Import into NumPy: without a copy for host memory."""
    return np.from_dlpack(exporter) if exporter.__dlpack_device__()[0] != CUDA[0] else np.from_dlpack(Capsule(exporter, dl_device=CPU))


class Capsule:
    """An exporter of a capsule from another object."""

    def __init__(self, exporter, device=None, **arguments):
        self.capsule = exporter.__dlpack__(**{"max_version": (1, 0), **arguments})
        self.device = device or arguments.get("dl_device") or exporter.__dlpack_device__()

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


def live():
    gc.collect()
    return drv.DeviceMemoryPool.of_current_context().active_blocks


def test_device(is_cpu_device):
    device = CPU if is_cpu_device else CUDA
    assert gpuarray.zeros(3, np.int32).__dlpack_device__() == device
    assert gpuarray.zeros(0, np.int32).__dlpack_device__() == device
    assert drv.mem_alloc(16).__dlpack_device__() == device
    assert drv.pagelocked_empty(4, np.int32).base.__dlpack_device__() == (CPU if is_cpu_device else CUDA_HOST)
    assert drv.aligned_empty(4, np.int32).base.__dlpack_device__() == CPU
    assert drv.managed_empty(4, np.int32).base.__dlpack_device__() == (CPU if is_cpu_device else CUDA_MANAGED)
    assert drv.pagelocked_empty(4, np.int32).__dlpack_device__() == CPU  # a numpy.ndarray, which reports it


@pytest.mark.parametrize("code", DTYPES)
def test_every_type_to_numpy_and_back(code):
    host = np.arange(6).astype(code).reshape(2, 3)
    array = gpuarray.to_gpu(host)
    seen = to_numpy(array)
    assert seen.dtype == host.dtype and np.array_equal(seen, host)
    back = gpuarray.from_dlpack(array)
    assert back.ptr == array.ptr and back.dtype == host.dtype and back.strides == array.strides
    assert np.array_equal(back.get(), host)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = gpuarray.to_gpu(np.arange(4).astype(ml_dtypes.bfloat16))
    back = gpuarray.from_dlpack(array)
    assert back.dtype == ml_dtypes.bfloat16 and back.get().tolist() == [0, 1, 2, 3]
    assert gpuarray.from_dlpack(Capsule(array, dl_device=CPU), copy=True).get().tolist() == [0, 1, 2, 3]


def test_bfloat16_without_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    memory = drv.mem_alloc(16)
    with pytest.raises(BufferError, match="ml_dtypes"):
        gpuarray.from_dlpack(Lying(CUDA, _driver._native.dlpack_export(int(memory), (3,), (1,), (4, 16), CUDA, None, True, 0)))


@pytest.mark.parametrize("view", [
    lambda a: a[::2], lambda a: a[::3, 1:2], lambda a: a.T, lambda a: a[1:, 2:], lambda a: a[0, 0, ...], lambda a: a[:0],
    lambda a: a[None, :, None],
], ids=["step", "steps", "transposed", "offset", "0-d", "empty", "newaxis"])
def test_views(view):
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    array = gpuarray.to_gpu(host)
    assert np.array_equal(to_numpy(view(array)), view(host))
    back = gpuarray.from_dlpack(view(array))
    assert back.shape == view(host).shape and np.array_equal(back.get(), view(host))
    if back.size:
        back.fill(5)
        view(host)[...] = 5
        assert np.array_equal(array.get(), host)


def test_arrays_with_negative_strides_are_copied_on_request():
    array = gpuarray.arange(6, dtype=np.float32).reshape(2, 3)[:, ::-1]
    with pytest.raises(BufferError, match="copy=True"):
        array.__dlpack__()
    assert gpuarray.from_dlpack(Capsule(array, copy=True)).get().tolist() == [[2, 1, 0], [5, 4, 3]]
    assert gpuarray.from_dlpack(np.arange(4.0)[::-1], copy=True).get().tolist() == [3, 2, 1, 0]


def test_host_memory_is_shared_with_numpy():
    for array in drv.pagelocked_zeros(4, np.int32), drv.aligned_zeros(4, np.int32), drv.managed_zeros(4, np.int32):
        seen = np.from_dlpack(array.base).view(np.int32)
        array[2] = 7
        assert seen.tolist() == [0, 0, 7, 0]
        del array  # NumPy's array keeps the memory alive
        assert seen.tolist() == [0, 0, 7, 0]


def test_device_code_can_access_pagelocked_arrays():
    host = drv.pagelocked_zeros((2, 3), np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    array = gpuarray.from_dlpack(host)
    array += 3
    drv.Context.synchronize()
    assert host.tolist() == [[3, 3, 3], [3, 3, 3]]
    managed = drv.managed_zeros(3, np.float32)
    array = gpuarray.from_dlpack(managed.base).view(np.float32)
    array.fill(2.5)
    drv.Context.synchronize()
    assert managed.tolist() == [2.5] * 3


def test_pageable_host_memory_is_copied_on_request():
    host = np.arange(6, dtype=np.int16).reshape(2, 3)[:, ::-1]
    with pytest.raises(BufferError, match="copy=True"):
        gpuarray.from_dlpack(host)
    copy = gpuarray.from_dlpack(host, copy=True)
    assert np.array_equal(copy.get(), host)
    assert copy.base is None


def test_copy_returns_another_array():
    array = gpuarray.arange(4, dtype=np.int32)
    copy = gpuarray.from_dlpack(array, copy=True)
    exported = gpuarray.from_dlpack(Capsule(array, copy=True))
    array.fill(9)
    assert copy.get().tolist() == exported.get().tolist() == [0, 1, 2, 3]


def test_the_memory_lives_as_long_as_its_consumer():
    before = live()
    array = gpuarray.arange(1000, dtype=np.int32)
    consumer = gpuarray.from_dlpack(array[10:20])
    del array
    assert live() == before + 1
    assert consumer.get().tolist() == list(range(10, 20))
    view = consumer[::2]
    del consumer
    assert live() == before + 1 and view.get().tolist() == [10, 12, 14, 16, 18]
    del view
    assert live() == before


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (2, 5)])
def test_a_capsule_that_is_never_consumed(version):
    before = live()
    array = gpuarray.zeros(10, np.int32)
    capsule = array.__dlpack__(max_version=version)
    name = "dltensor" if version is None or version[0] == 0 else "dltensor_versioned"
    assert f'"{name}"' in repr(capsule)
    del array
    assert live() == before + 1
    del capsule
    assert live() == before


def test_a_capsule_is_consumed_once():
    array = gpuarray.zeros(10, np.int32)
    for version in None, (1, 0):
        capsule = array.__dlpack__(max_version=version)
        first = gpuarray.from_dlpack(capsule)
        with pytest.raises(BufferError, match="taken already"):
            gpuarray.from_dlpack(capsule)
        assert first.ptr == array.ptr


def test_the_consumer_may_be_released_on_any_thread():
    """A deleter that is called without the GIL, as C++ libraries do."""

    class Managed(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("dtype", ctypes.c_uint8 * 4),
                    ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64), ("owner", ctypes.c_void_p),
                    ("deleter", ctypes.c_void_p)]

    before = live()
    array = gpuarray.zeros(10, np.int32)
    capsule = array.__dlpack__()
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address, used = api.PyCapsule_GetPointer(capsule, b"dltensor"), b"used_dltensor"
    api.PyCapsule_SetName(capsule, used)
    del array, capsule
    assert live() == before + 1
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(Managed.from_address(address).deleter)  # releases the GIL
    thread = threading.Thread(target=deleter, args=(address,))
    thread.start()
    thread.join()
    assert live() == before


def test_exit_with_capsules_and_consumers(run_python):
    done = run_python("""
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
array = gpuarray.arange(10, dtype=np.int32)
kept = [array.__dlpack__(), gpuarray.from_dlpack(array), np.from_dlpack(array) if array.__dlpack_device__() == (1, 0) else None]
kept.append(kept)
print(kept[1].get()[3])
""", PYTHONWARNINGS="ignore")  # without PYCUDA_DRIVER there may be a warning that there is no GPU
    assert (done.stdout, done.stderr, done.returncode) == ("3\n", "", 0)


def test_read_only_memory_is_copied_on_request():
    host = drv.pagelocked_zeros(3, np.float32)
    host.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        gpuarray.from_dlpack(host)
    assert gpuarray.from_dlpack(host, copy=True).get().tolist() == [0, 0, 0]


def test_streams(is_cpu_device):
    array = gpuarray.empty(1 << 16, np.float32)
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    array.fill(3, stream=stream)
    if is_cpu_device:  # the host reads the memory, so all work must be done
        assert np.from_dlpack(array)[-1] == 3
        with pytest.raises(BufferError, match="stream must be None"):
            array.__dlpack__(stream=1)
        array.__dlpack__(stream=-1)
        return
    for consumer in None, 1, 2, -1, stream.handle:
        array.__dlpack__(stream=consumer)
    with pytest.raises(ValueError, match="ambiguous"):
        array.__dlpack__(stream=0)
    assert (gpuarray.from_dlpack(array) + 1).get()[-1] == 4


def test_another_device_than_requested(is_cpu_device):
    array = gpuarray.arange(3, dtype=np.int32)
    with pytest.raises(BufferError, match=r"not moved to device \(9, 0\)"):
        array.__dlpack__(dl_device=(9, 0))
    host = np.from_dlpack(Capsule(array, dl_device=CPU))
    assert host.tolist() == [0, 1, 2]
    if not is_cpu_device:
        with pytest.raises(BufferError, match="only as a copy"):
            array.__dlpack__(dl_device=CPU, copy=False)


def test_what_cannot_be_exported():
    with pytest.raises(BufferError, match="no type"):
        gpuarray.zeros(3, np.dtype([("x", np.int32)])).__dlpack__()
    # As wide as DLPack's float128, but other bits. On Windows they are doubles.
    for dtype in (np.longdouble, np.clongdouble) if np.dtype(np.longdouble).itemsize == 16 else ():
        with pytest.raises(BufferError, match="no type"):
            gpuarray.zeros(64, np.uint8).view(dtype).__dlpack__()
    array = gpuarray.zeros(4, np.dtype([("x", np.float32), ("y", np.int8)], align=False))
    with pytest.raises(BufferError):
        array.__dlpack__()
    memory = drv.mem_alloc(16)
    memory.free()
    for use in memory.__dlpack__, memory.__dlpack_device__, lambda: gpuarray.from_dlpack(memory):
        with pytest.raises(drv.LogicError):
            use()
    host = drv.pagelocked_zeros(3, np.float32).base
    host.free()
    with pytest.raises((drv.LogicError, BufferError)):
        host.__dlpack__()


class Lying:
    def __init__(self, device, given):
        self.device, self.given = device, given

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.given


def test_what_cannot_be_imported():
    with pytest.raises(TypeError, match="__dlpack__"):
        gpuarray.from_dlpack([1, 2])
    with pytest.raises(TypeError, match="must give a capsule"):
        gpuarray.from_dlpack(Lying(CPU, 3))
    with pytest.raises(BufferError, match="dltensor"):
        import datetime
        gpuarray.from_dlpack(datetime.datetime_CAPI)
    with pytest.raises(BufferError, match="cannot be reached"):
        gpuarray.from_dlpack(Lying(CUDA, _driver._native.dlpack_export(4096, (3,), (1,), (2, 32), CUDA, None, False, 0)))
    address = gpuarray.zeros(64, np.uint8)
    for problem, shape, kind, device in (("neither CUDA's", (3,), (2, 32), (10, 0)), ("no dtype", (3,), (9, 32), CUDA),
                                         ("no dtype", (3,), (2, 4), CUDA), ("no dtype", (3,), (2, 24), CUDA),
                                         ("no dtype", (3,), (2, 128), CUDA), ("no dtype", (3,), (5, 256), CUDA)):
        with pytest.raises(BufferError, match=problem):
            gpuarray.from_dlpack(Lying(device, _driver._native.dlpack_export(address.ptr, shape, (1,), kind, device, None, True, 0)))
    for shape in (-1,), (1 << 62,), (1,) * 40:
        capsule = _driver._native.dlpack_export(address.ptr, shape, (1,) * len(shape), (2, 64), CUDA, None, True, 0)
        with pytest.raises(ValueError):
            gpuarray.from_dlpack(Lying(CUDA, capsule))


def test_exporters_without_versions():
    class Old:
        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__(stream=stream)

    array = gpuarray.arange(5, dtype=np.int64)
    assert gpuarray.from_dlpack(Old(array)).get().tolist() == [0, 1, 2, 3, 4]


def test_memory_is_exported_as_bytes():
    memory = drv.to_device(np.arange(4, dtype=np.uint8))
    assert gpuarray.from_dlpack(memory).get().tolist() == [0, 1, 2, 3]
    pooled = drv.DeviceMemoryPool().allocate(8)
    drv.memset_d8(pooled, 6, 8)
    array = gpuarray.from_dlpack(pooled)
    del pooled
    assert array.get().tolist() == [6] * 8
    assert to_numpy(memory).tolist() == [0, 1, 2, 3]


def test_without_a_context():
    array = gpuarray.arange(3, dtype=np.int32)
    context = drv.Context.get_current()
    drv.Context.pop()
    try:
        with pytest.raises(drv.LogicError, match="no context is current"):
            gpuarray.from_dlpack(array)
    finally:
        context.push()
    assert gpuarray.from_dlpack(array).get().tolist() == [0, 1, 2]
