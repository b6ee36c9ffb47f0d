"""Arrays over page-locked, aligned, registered and managed memory."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver

from kernels import SCALE

KINDS = {
    "pagelocked": (drv.PagelockedHostAllocation, "page-locked allocation"),
    "aligned": (drv.AlignedHostAllocation, None),
    "managed": (drv.ManagedAllocation, "managed allocation"),
}
STRUCTURE = np.dtype([("a", "i2"), ("b", "f8", (3,))], align=True)


def functions(kind):
    return [getattr(drv, f"{kind}_{name}") for name in ("empty", "zeros", "empty_like", "zeros_like")]


@pytest.fixture(params=KINDS)
def kind(request, context):
    return request.param


@pytest.mark.parametrize("shape, order", [((3, 4), "C"), ((3, 4), "F"), (5, "C"), ((), "C"), ((0, 3), "C"), (np.int64(7), "F"), ([2, 3, 4], "F")])
@pytest.mark.parametrize("dtype", [np.float32, "c16", bool, STRUCTURE, "S5", "M8[s]", ("f4", (2,))])
def test_shapes_orders_and_types_match_numpy(kind, shape, order, dtype):
    empty, zeros, empty_like, zeros_like = functions(kind)
    wanted = np.zeros(shape, dtype, order)
    for array in (empty(shape, dtype, order), zeros(shape, dtype=dtype, order=order), empty_like(wanted), zeros_like(wanted)):
        assert type(array) is np.ndarray and type(array.base) is KINDS[kind][0]
        assert (array.shape, array.dtype) == (wanted.shape, wanted.dtype)
        assert array.strides == wanted.strides or array.size == 0
        assert array.flags.writeable
    np.testing.assert_array_equal(zeros(shape, dtype, order), wanted)
    np.testing.assert_array_equal(zeros_like(wanted), wanted)


def test_like_keeps_the_order_of_axes(kind):
    _, _, empty_like, _ = functions(kind)
    model = np.zeros((2, 3, 4)).transpose(1, 2, 0)
    assert empty_like(model).strides == np.empty_like(model).strides

    class Sub(np.ndarray):
        pass

    assert type(empty_like(np.zeros(3).view(Sub))) is np.ndarray


def test_arguments_that_are_not_arrays(kind):
    empty = functions(kind)[0]
    for arguments, error in (((-1, "f4"), ValueError), (((2, -3), "f4"), ValueError), ((1.5, "f4"), TypeError), ((3, object), TypeError),
                             ((3, "nonsense"), TypeError), ((3, "f4", "A"), ValueError), ((3, "f4", None), ValueError)):
        with pytest.raises(error):
            empty(*arguments)
    with pytest.raises((drv.MemoryError, MemoryError, OverflowError)):
        empty((1 << 62, 1 << 62), "f4")
    with pytest.raises((drv.MemoryError, MemoryError)):
        empty(1 << 60, "u1")


@pytest.mark.parametrize("kind", ["pagelocked", "managed"])
def test_views_keep_memory_alive(context, kind):
    what = KINDS[kind][1]
    array = functions(kind)[1](100, np.int32)
    view = array[10:20].reshape(2, 5)
    del array
    gc.collect()
    assert _driver._live_handles(what) == 1
    assert view.sum() == 0
    del view
    assert _driver._live_handles(what) == 0


def test_free(kind):
    base = functions(kind)[0](10, np.int32).base
    assert "of 40 bytes at 0x" in repr(base)
    base.free()
    assert "was freed" in repr(base)
    for use in (base.free, lambda: memoryview(base), base.get_device_pointer):
        with pytest.raises(drv.LogicError, match="was freed"):
            use()


# ---- page-locked


def test_pagelocked_flags(context):
    flags = drv.host_alloc_flags.PORTABLE | drv.host_alloc_flags.DEVICEMAP
    base = drv.pagelocked_empty(10, np.float32, mem_flags=flags).base
    assert base.get_flags() & flags == flags
    assert isinstance(base, drv.HostPointer)
    assert drv.pagelocked_zeros_like(np.zeros(3), flags).base.get_flags() & flags == flags
    with pytest.raises(drv.LogicError):
        drv.pagelocked_empty(10, np.float32, mem_flags=1 << 20)


def test_pagelocked_copies_asynchronously(context):
    stream = drv.Stream()
    host, back = drv.pagelocked_empty(1000, np.float32), drv.pagelocked_zeros(1000, np.float32)
    host[:] = np.arange(1000)
    device = drv.mem_alloc(host.nbytes)
    drv.memcpy_htod_async(device, host, stream)
    drv.memcpy_dtoh_async(back, device, stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, host)


def test_mapped_memory(context, device):
    if not device.can_map_host_memory:
        pytest.skip("the device maps no host memory")
    host = drv.pagelocked_zeros(16, np.uint8, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    drv.memset_d8(host.base.get_device_pointer(), 7, 16)
    context.synchronize()
    assert (host == 7).all()


def test_no_context_is_a_logic_error(context):
    context.pop()
    with pytest.raises(drv.LogicError, match="cuMemHostAlloc"):
        drv.pagelocked_empty(3, "f4")
    with pytest.raises(drv.LogicError, match="cuMemAllocManaged"):
        drv.managed_empty(3, "f4")
    context.push()


# ---- aligned and registered


@pytest.mark.parametrize("alignment", [1, 64, 4096, 1 << 16])
def test_alignment(context, alignment):
    assert drv.aligned_empty((3, 5), np.int8, alignment=alignment).__array_interface__["data"][0] % alignment == 0
    assert drv.aligned_zeros_like(np.zeros(5), alignment).__array_interface__["data"][0] % alignment == 0


def test_alignment_is_a_power_of_two(context):
    for alignment in (0, 3, 4097):
        with pytest.raises(ValueError, match="power of two"):
            drv.aligned_empty(10, np.int8, alignment=alignment)


@pytest.mark.parametrize("order", ["C", "F"])
def test_registered_memory_is_shared(context, order):
    array = drv.aligned_zeros((64, 32), np.float64, order)
    registered = drv.register_host_memory(array)
    assert type(registered.base) is drv.RegisteredHostMemory and isinstance(registered.base, drv.HostPointer)
    assert registered.base.base is array
    assert (registered.shape, registered.dtype, registered.strides) == (array.shape, array.dtype, array.strides)
    registered[3, 4] = 5
    assert array[3, 4] == 5
    with pytest.raises(AttributeError):
        registered.base.base = array
    assert _driver._live_handles("registered host memory") == 1
    registered.base.unregister()
    assert _driver._live_handles("registered host memory") == 0
    with pytest.raises(drv.LogicError, match="registered host memory was unregistered"):
        registered.base.unregister()
    drv.register_host_memory(array)  # again


def test_registered_memory_outlives_its_names(context):
    view = drv.register_host_memory(drv.aligned_zeros(4096, np.uint8))[100:200]
    gc.collect()
    view[:] = 1
    assert _driver._live_handles("registered host memory") == 1
    assert view.base.base.base.nbytes == 4096 or view.base.base.nbytes == 4096
    del view
    gc.collect()
    assert _driver._live_handles("registered host memory") == 0


def test_registered_memory_is_mapped(context, device):
    if not device.can_map_host_memory:
        pytest.skip("the device maps no host memory")
    registered = drv.register_host_memory(drv.aligned_zeros(4096, np.uint8), drv.mem_host_register_flags.DEVICEMAP)
    drv.memset_d8(registered.base.get_device_pointer(), 9, 4096)
    context.synchronize()
    assert (registered == 9).all()


def test_memory_that_cannot_be_registered(context):
    with pytest.raises(TypeError):
        drv.register_host_memory(bytearray(4096))
    with pytest.raises(ValueError, match="contiguous"):
        drv.register_host_memory(drv.aligned_zeros((64, 64), np.float32)[:, ::2])
    with pytest.raises(TypeError):
        drv.register_host_memory(np.array([object()]))
    read_only = drv.aligned_zeros(4096, np.uint8)
    read_only.flags.writeable = False
    assert not drv.register_host_memory(read_only).flags.writeable


# ---- managed


def test_managed_arrays_are_kernel_arguments(context):
    scale = drv.module_from_buffer(SCALE).get_function("scale")
    array = drv.managed_zeros(64, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL)
    array[:] = 1
    scale(array, np.float32(2), np.int32(64), block=(64, 1, 1))
    context.synchronize()
    assert (array == 2).all()
    # Views are passed as pointers to their start; so are the allocation itself and prepared arguments.
    scale(array[32:], np.float32(2), np.int32(32), block=(64, 1, 1))
    context.synchronize()
    assert array.tolist() == [2] * 32 + [4] * 32
    scale(array.base, np.float32(2), np.int32(64), block=(64, 1, 1))
    context.synchronize()
    assert array.tolist() == [4] * 32 + [8] * 32
    scale.prepare("Pfi").prepared_call((1, 1), (64, 1, 1), array[48:], 0.5, 16)
    context.synchronize()
    assert array.tolist() == [4] * 32 + [8] * 16 + [4] * 16


def test_managed_memory_is_an_address(context):
    array = drv.managed_zeros(16, np.uint8)
    base = array.base
    assert int(base) == base.get_device_pointer() == array.__array_interface__["data"][0]
    drv.memset_d8(array[4:], 3, 4)
    context.synchronize()
    assert array.tolist() == [0] * 4 + [3] * 4 + [0] * 8
    base.attach(drv.mem_attach_flags.GLOBAL)
    stream = drv.Stream()
    base.attach(drv.mem_attach_flags.SINGLE, stream=stream)
    base.attach(drv.mem_attach_flags.HOST, stream)
    with pytest.raises(drv.LogicError, match="SINGLE attaches the memory to a stream: pass one"):
        base.attach(drv.mem_attach_flags.SINGLE)
    stream.synchronize()


def test_managed_memory_is_prefetched(context, device):
    if not device.get_attribute(drv.device_attribute.CONCURRENT_MANAGED_ACCESS):
        pytest.skip("no prefetches")
    array = drv.managed_zeros(1024, np.float32)
    stream = drv.Stream()
    drv.mem_prefetch_async(array.base, array.nbytes, device=0, stream=stream)
    drv.mem_prefetch_async(array.base, array.nbytes, device=-1, stream=stream)
    drv.mem_prefetch_async(array.base, array.nbytes, device, stream)
    array.base.prefetch_async(device, stream)
    stream.synchronize()
    assert not array.any()
    with pytest.raises(drv.LogicError, match="cuMemPrefetchAsync failed"):
        drv.mem_prefetch_async(drv.mem_alloc(64), 64, 0)
    with pytest.raises(drv.Error):
        drv.mem_prefetch_async(array.base, array.nbytes, 1000)


def test_managed_memory_advice(context, device):
    memory = drv.managed_zeros(16, np.float32).base
    if device.get_attribute(drv.device_attribute.CONCURRENT_MANAGED_ACCESS):
        drv.mem_advise(memory, 64, drv.mem_advice.SET_PREFERRED_LOCATION, device)
        memory.advise(drv.mem_advice.SET_ACCESSED_BY, device=device)
    if not device.get_attribute(drv.device_attribute.CONCURRENT_MANAGED_ACCESS):
        pytest.skip("no advice")
    array = drv.managed_zeros(1024, np.float32)
    drv.mem_advise(array.base, array.nbytes, drv.mem_advice.SET_READ_MOSTLY)
    drv.mem_advise(array, array.nbytes, drv.mem_advice.SET_PREFERRED_LOCATION, device=0)
    array.base.advise(drv.mem_advice.SET_ACCESSED_BY, 0)
    array.base.advise(drv.mem_advice.UNSET_READ_MOSTLY)
    array.base.prefetch_async(0, stream=drv.Stream())
    drv.Context.synchronize()
    assert not array.any()
    with pytest.raises(drv.LogicError, match="cuMemAdvise failed"):
        drv.mem_advise(drv.mem_alloc(64), 64, drv.mem_advice.SET_READ_MOSTLY)
    with pytest.raises(drv.LogicError, match="cuMemAdvise failed"):
        drv.mem_advise(array.base, array.nbytes, 77)
    with pytest.raises(drv.Error):
        array.base.advise(drv.mem_advice.SET_ACCESSED_BY, 1000)
    with pytest.raises(TypeError):
        array.base.advise("often")


def test_freed_managed_arrays_are_rejected(context):
    scale = drv.module_from_buffer(SCALE).get_function("scale")
    array = drv.managed_zeros(64, np.float32)
    array.base.free()
    with pytest.raises(drv.LogicError, match="managed allocation was freed"):
        scale(array, np.float32(2), np.int32(0), block=(1, 1, 1))


def test_other_arrays_are_passed_by_value(context):
    scale = drv.module_from_buffer(SCALE).get_function("scale")
    with pytest.raises(TypeError, match="by value"):
        scale(drv.pagelocked_zeros(64, np.float32), np.float32(2), np.int32(0), block=(1, 1, 1))


def test_range_attributes(device, context):
    if not device.concurrent_managed_access:
        pytest.skip("the device takes no advice")
    attributes, array = drv.mem_range_attribute, drv.managed_zeros(1 << 20, np.uint8)

    def ask(attribute):
        return drv.mem_range_get_attribute(array.base, array.nbytes, attribute)

    assert (ask(attributes.READ_MOSTLY), ask(attributes.PREFERRED_LOCATION), ask(attributes.LAST_PREFETCH_LOCATION)) == (0, -2, -2)
    drv.mem_advise(array.base, array.nbytes, drv.mem_advice.SET_READ_MOSTLY)
    drv.mem_advise(array.base, array.nbytes, drv.mem_advice.SET_PREFERRED_LOCATION, device)
    drv.mem_prefetch_async(array.base, array.nbytes, -1)
    context.synchronize()
    assert (ask(attributes.READ_MOSTLY), ask(attributes.PREFERRED_LOCATION), ask(attributes.LAST_PREFETCH_LOCATION)) == (1, 0, -1)
    assert not drv.mem_range_is_accessed_by(array.base, array.nbytes, device)
    drv.mem_advise(array.base, array.nbytes, drv.mem_advice.SET_ACCESSED_BY, device)
    assert drv.mem_range_is_accessed_by(array.base, array.nbytes, device)
    assert not drv.mem_range_is_accessed_by(array.base, array.nbytes, -1)
    with pytest.raises(drv.LogicError, match="mem_range_is_accessed_by"):
        ask(attributes.ACCESSED_BY)
    with pytest.raises(drv.LogicError, match="attribute 77"):
        ask(77)
    with pytest.raises(drv.LogicError):
        drv.mem_range_get_attribute(drv.mem_alloc(64), 64, attributes.READ_MOSTLY)
    with pytest.raises(drv.LogicError):
        drv.mem_range_is_accessed_by(array.base, array.nbytes, 4096)
