"""The kinds of values that work where a parameter takes a device address; refused_addresses.py has the others.

A kind is a function that receives the bytes the memory must contain. It returns the value to pass and the address of those bytes.
"""

import numpy as np
import pycuda.driver as drv
from kinds import Kinds
from pycuda.gpuarray import GPUArray, to_gpu

DEVICE = Kinds()
accepted = DEVICE.accepted


def peek(address, nbytes):
    """The bytes at a device address."""
    out = bytearray(nbytes)
    if nbytes:
        drv.memcpy_dtoh(out, int(address))
    return bytes(out)


def filled(memory, content):
    if content:
        drv.memcpy_htod(int(memory), content)
    return memory, int(memory)


def keeping(value, owner):
    """The value, with its memory kept alive as long as the cell."""
    DEVICE.kept.append(owner)
    return value


# ---- memory of every kind


@accepted
def device_allocation(content):
    return filled(drv.mem_alloc(len(content)), content)


@accepted
def pooled_allocation(content):
    return filled(drv.DeviceMemoryPool.of_current_context().allocate(len(content)), content)


@accepted
def stream_ordered_allocation(content):
    memory = drv.mem_alloc_async(len(content))
    drv.Context.synchronize()
    return filled(memory, content)


def has_virtual_memory():
    drv.init()
    return drv.Device(0).get_attribute(drv.device_attribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)


@accepted
def virtual_memory(content):
    if not has_virtual_memory():
        return device_allocation(content)
    return filled(drv.VirtualMemory(len(content), 1 << 22), content)


@accepted
def pitched_allocation(content):
    return filled(drv.mem_alloc_pitch(len(content), 1, 4)[0], content)


def managed(content):
    array = drv.managed_empty(len(content), np.uint8)
    array[:] = np.frombuffer(content, np.uint8)
    return array


@accepted
def managed_allocation(content):
    array = managed(content)
    return array.base, int(array.base)


@accepted
def managed_array(content):
    array = managed(content)
    return array, int(array.base)


@accepted
def managed_array_of_two_axes(content):
    array = managed(content)
    return array.reshape(-1, 4), int(array.base)


@accepted
def view_of_a_managed_array(content):
    array = managed(bytes(16) + content)
    return array[16:], int(array.base) + 16


@accepted
def mapped_page_locked_address(content):
    array = drv.pagelocked_empty(len(content), np.uint8, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    array[:] = np.frombuffer(content, np.uint8)
    return keeping(array.base.get_device_pointer(), array), array.base.get_device_pointer()


@accepted
def mapped_registered_address(content):
    array = drv.register_host_memory(drv.aligned_zeros(4096, np.uint8), drv.mem_host_register_flags.DEVICEMAP)
    array[:len(content)] = np.frombuffer(content, np.uint8)
    return keeping(array.base.get_device_pointer(), array), array.base.get_device_pointer()


@accepted
def gpuarray(content):
    array = to_gpu(np.frombuffer(content, np.uint8))
    return array, array.ptr


@accepted
def gpuarray_of_four_byte_elements(content):
    array = to_gpu(np.frombuffer(content, np.float32))
    return array, array.ptr


@accepted
def view_of_a_gpuarray(content):
    array = to_gpu(np.frombuffer(bytes(16) + content, np.uint8))
    return array[16:], array.ptr + 16


@accepted
def subclass_of_gpuarray(content):
    class Mine(GPUArray):
        pass

    array = Mine(len(content), np.uint8)
    return filled(array.gpudata, content) and array, array.ptr


# ---- addresses, and objects that hold one


def allocated(content):
    memory, address = device_allocation(content)
    return keeping(address, memory)


@accepted
def an_int(content):
    address = allocated(content)
    return address, address


@accepted
def address_inside_an_allocation(content):
    address = allocated(bytes(16) + content) + 16
    return address, address


@accepted
def numpy_intp(content):
    address = allocated(content)
    return np.intp(address), address


@accepted
def numpy_uint64(content):
    address = allocated(content)
    return np.uint64(address), address


@accepted
def subclass_of_int(content):
    address = allocated(content)
    return type("Address", (int,), {})(address), address


@accepted
def object_with_index(content):
    address = allocated(content)
    return type("Address", (), {"__index__": lambda self: address})(), address


class Holder(drv.PointerHolderBase):
    def __init__(self, pointer):
        super().__init__()
        self.pointer = pointer

    def get_pointer(self):
        return self.pointer


@accepted
def pointer_holder(content):
    address = allocated(content)
    return Holder(address), address


@accepted
def pointer_holder_of_an_allocation(content):
    memory, address = device_allocation(content)
    return Holder(memory), address


class Broken:
    """A class as in kernel_tuner and programs around torch: only gpudata is valid."""

    def __init__(self, gpudata):
        self.gpudata = gpudata

    def get_pointer(self):
        raise AssertionError("get_pointer must not be called if there is gpudata")


@accepted
def holder_of_a_gpudata_address(content):
    address = allocated(content)
    return Broken(address), address


@accepted
def holder_of_a_gpudata_allocation(content):
    memory, address = device_allocation(content)
    return Broken(memory), address


class BrokenHolder(drv.PointerHolderBase):
    """The same for a pointer type that the program defines."""

    def __init__(self, gpudata):
        super().__init__()
        self.gpudata = gpudata

    def get_pointer():  # noqa: N805  written as in such a program
        return 0


@accepted
def pointer_holder_with_gpudata(content):
    address = allocated(content)
    return BrokenHolder(address), address


@accepted
def cuda_array_interface(content):
    address = allocated(content)
    interface = {"shape": (len(content),), "typestr": "|u1", "data": (address, False), "version": 3, "strides": None}
    return type("Foreign", (), {"__cuda_array_interface__": interface})(), address


@accepted
def cuda_array_interface_beside_broken_gpudata(content):
    address = allocated(content)
    interface = {"shape": (len(content),), "typestr": "|u1", "data": (address, False), "version": 3, "strides": None}
    return type("Foreign", (), {"__cuda_array_interface__": interface, "gpudata": "broken"})(), address
