"""Device arrays for parameters that take an address: which kinds are accepted, and how errors describe them."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda import _driver

DATA = np.arange(12, dtype=np.float32)


class Holder(drv.PointerHolderBase):
    """Allocates its memory when its address is requested."""

    def get_pointer(self):
        return drv.to_device(DATA)


class WithGpudata:
    def __init__(self):
        self.gpudata = drv.to_device(DATA)


class Foreign:
    """Another library's array."""

    def __init__(self, data=DATA, read_only=False, **changes):
        self.memory = drv.to_device(np.ascontiguousarray(data))
        self.__cuda_array_interface__ = {"shape": data.shape, "typestr": data.dtype.str, "strides": None, "version": 3,
                                         "data": (int(self.memory), read_only)} | changes


def managed(data=DATA):
    array = drv.managed_empty(data.shape, data.dtype)
    array[...] = data
    return array


def as_address(kind):
    """An address as an integer of this kind, and the object that keeps its memory alive."""
    memory = drv.to_device(DATA)
    return kind(int(memory)), memory


KINDS = {
    "DeviceAllocation": lambda: (drv.to_device(DATA), None),
    "int": lambda: as_address(int),
    "np.intp": lambda: as_address(np.intp),
    "np.uint64": lambda: as_address(np.uint64),
    "pooled": lambda: (gpuarray.to_gpu(DATA).gpudata, None),
    "GPUArray": lambda: (gpuarray.to_gpu(DATA), None),
    "PointerHolderBase": lambda: (Holder(), None),
    "gpudata": lambda: (WithGpudata(), None),
    "interface": lambda: (Foreign(), None),
    "managed": lambda: (managed(), None),
    "managed slice": lambda: (managed(np.tile(DATA, 2))[12:], None),
    "managed allocation": lambda: (managed().base, None),
}


def rectangle(copy):
    copy.width_in_bytes, copy.height = 16, 3
    if hasattr(copy, "depth"):
        copy.depth = 1
    return copy


@pytest.mark.parametrize("copy_class", [drv.Memcpy2D, drv.Memcpy3D, drv.Memcpy3DPeer])
@pytest.mark.parametrize("setter", ["device", "unified"])
@pytest.mark.parametrize("kind", KINDS)
def test_ends_of_structured_copies(context, kind, setter, copy_class):
    given, keep = KINDS[kind]()
    there, back = drv.mem_alloc(DATA.nbytes), np.zeros_like(DATA)
    copy = rectangle(copy_class())
    getattr(copy, f"set_src_{setter}")(given)
    copy.set_dst_device(there)
    copy()
    drv.memcpy_dtoh(back, there)
    assert (back == DATA).all()
    if kind == "PointerHolderBase":
        return  # each request for its address allocates other memory
    drv.memcpy_htod(there, -DATA)
    copy.set_src_device(int(there))
    getattr(copy, f"set_dst_{setter}")(given)
    copy()
    context.synchronize()
    drv.memcpy_dtoh(back, given)
    assert (back == -DATA).all() and keep is not back


@pytest.mark.parametrize("copy_class", [drv.Memcpy2D, drv.Memcpy3D, drv.Memcpy3DPeer])
@pytest.mark.parametrize("make", [np.empty, drv.pagelocked_empty, drv.managed_empty], ids=["plain", "page-locked", "managed"])
@pytest.mark.parametrize("shape", [(12,), (3, 4), (1, 3, 4)])
def test_unified_ends_in_host_memory(context, shape, make, copy_class):
    source, result, there = make(shape, np.float32), make(shape, np.float32), drv.mem_alloc(DATA.nbytes)
    source[...] = DATA.reshape(shape)
    copy = rectangle(copy_class())
    copy.set_src_unified(source)
    copy.set_dst_device(there)
    copy()
    copy = rectangle(copy_class())
    copy.set_src_device(there)
    copy.set_dst_unified(result)
    copy()
    context.synchronize()
    assert (result == source).all()
    copy.height = 4
    with pytest.raises(ValueError, match="destination, which has 48"):
        copy()


def test_unified_ends_that_are_rejected(context):
    copy, fixed = drv.Memcpy2D(), DATA.copy()
    fixed.flags.writeable = False
    copy.set_src_unified(fixed)
    with pytest.raises(ValueError, match="read-only"):
        copy.set_dst_unified(fixed)
    for refused in (None, "text", 1.5):
        with pytest.raises(TypeError, match="expected a device address"):
            copy.set_src_unified(refused)
    with pytest.raises(ValueError, match="strided"):
        copy.set_src_unified(DATA[::2])


def test_structured_copies_keep_a_holders_memory_alive(context):
    copy, back = rectangle(drv.Memcpy2D()), np.zeros_like(DATA)
    copy.set_src_device(Holder())
    others = [drv.to_device(np.full_like(DATA, -1)) for _ in range(10)]
    copy.set_dst_host(back)
    copy()
    assert (back == DATA).all() and others


STRIDED = {
    "managed": lambda: managed()[::2],
    "managed reversed": lambda: managed()[::-1],
    "managed column": lambda: managed(DATA.reshape(3, 4))[:, 1],
    "GPUArray": lambda: gpuarray.to_gpu(DATA)[::2],
    "GPUArray columns": lambda: gpuarray.to_gpu(DATA.reshape(3, 4))[:, 1:3],
    "interface": lambda: Foreign(shape=(6,), strides=(8,)),
    "interface, columns": lambda: Foreign(shape=(3, 2), strides=(16, 4)),
}


@pytest.mark.parametrize("kind", STRIDED)
def test_strided_device_memory_is_rejected_by_flat_copies(context, kind):
    array, host, plain = STRIDED[kind](), np.zeros(6, np.float32), drv.mem_alloc(48)
    for call in (lambda: drv.memcpy_dtoh(host, array), lambda: drv.memcpy_htod(array, host),
                 lambda: drv.memcpy_dtod(plain, array, 24), lambda: drv.memcpy_dtod(array, plain, 24),
                 lambda: drv.memset_d32(array, 0, 6)):
        with pytest.raises(ValueError, match="strided"):
            call()
    copy = drv.Memcpy2D()
    copy.set_src_device(array)  # the program gives its pitch
    copy.set_dst_device(array)


DENSE = {
    "managed slice": lambda: managed()[2:8],
    "managed Fortran": lambda: managed(np.asfortranarray(DATA[2:8].reshape(2, 3))),
    "GPUArray slice": lambda: gpuarray.to_gpu(DATA)[2:8],
    "interface": lambda: Foreign(DATA[2:8], strides=(4,)),
    "interface Fortran": lambda: Foreign(DATA[2:8], shape=(2, 3), strides=(4, 8)),
    "interface, axis of 1": lambda: Foreign(DATA[2:8], shape=(6, 1), strides=(4, 400)),
}


@pytest.mark.parametrize("kind", DENSE)
def test_contiguous_device_memory(context, kind):
    array, host = DENSE[kind](), np.zeros(6, np.float32)
    drv.memcpy_dtoh(host, array)
    assert (np.sort(host) == DATA[2:8]).all()
    drv.memcpy_htod(array, -host)
    drv.memcpy_dtoh(host, array)
    assert (np.sort(-host) == DATA[2:8]).all()


def test_read_only_device_memory_is_rejected_as_a_destination(context):
    fixed = managed()
    fixed.flags.writeable = False
    other = drv.mem_alloc(48)
    for array in (fixed, Foreign(read_only=True)):
        drv.memcpy_dtod(other, array, 48)
        copy = drv.Memcpy2D()
        copy.set_src_device(array)
        for call in (lambda: drv.memcpy_htod(array, DATA), lambda: drv.memcpy_dtod(array, other, 48),
                     lambda: drv.memset_d8(array, 0, 48), lambda: copy.set_dst_device(array)):
            with pytest.raises(ValueError, match="read-only"):
                call()


def test_masked_arrays_are_rejected(context):
    array, host = Foreign(mask=Foreign(np.ones(12, np.bool_))), DATA.copy()
    for call in (lambda: drv.memcpy_dtoh(host, array), lambda: drv.Memcpy2D().set_src_device(array)):
        with pytest.raises(ValueError, match="mask"):
            call()


def test_swapped_arguments_are_reported(context):
    memory = drv.mem_alloc(48)
    with pytest.raises(TypeError, match="not numpy.ndarray, which is host memory.*destination of a copy comes first"):
        drv.memcpy_htod(DATA, memory)
    with pytest.raises(TypeError, match="DeviceAllocation, which is device memory.*destination of a copy comes first"):
        drv.memcpy_dtoh(memory, DATA.copy())


def test_buffers_keep_a_holders_memory_alive(context):
    before = _driver._live_handles("device allocation")
    view = Holder().as_buffer(48)
    assert (view.nbytes, _driver._live_handles("device allocation")) == (48, before + 1)
    del view
    assert _driver._live_handles("device allocation") == before
