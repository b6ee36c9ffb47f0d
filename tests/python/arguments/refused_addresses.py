"""The values that a parameter for a device address must reject, with the exceptions."""

import numpy as np
import pycuda.driver as drv
from device_values import (
    DEVICE, Broken, Holder, allocated, device_allocation, gpuarray, managed, pooled_allocation, stream_ordered_allocation,
)
from kinds import Unusable
from other_values import in_ended_context
from pycuda.gpuarray import GPUArray

refused = DEVICE.refused
ended_allocation = in_ended_context(drv.mem_alloc)
ended_array = in_ended_context(lambda size: GPUArray(size, np.uint8, allocator=drv.mem_alloc))


@refused(TypeError)
def none(content):
    return None


@refused(TypeError)
def a_str(content):
    return "0x1000"


@refused(TypeError)
def some_bytes(content):
    return b"\0" * 8


@refused(TypeError)
def a_float(content):
    return float(allocated(content))


@refused(TypeError)
def numpy_float(content):
    return np.float64(allocated(content))


@refused(TypeError)
def a_list(content):
    return [allocated(content)]


@refused(TypeError)
def array_in_host_memory(content):
    return np.frombuffer(content, np.uint8)


@refused(TypeError)
def array_of_one_address(content):
    return np.array([allocated(content)])


@refused(TypeError)
def page_locked_array(content):
    return drv.pagelocked_zeros(len(content), np.uint8, mem_flags=drv.host_alloc_flags.DEVICEMAP)


@refused(TypeError)
def page_locked_allocation(content):
    return page_locked_array(content).base


@refused(TypeError)
def dlpack_only(content):
    memory, _ = device_allocation(content)
    return type("Tensor", (), {"__dlpack__": memory.__dlpack__, "__dlpack_device__": memory.__dlpack_device__})()


@refused(TypeError)
def a_class(content):
    return drv.DeviceAllocation


@refused(TypeError)
def a_stream(content):
    return drv.Stream()


@refused(OverflowError)
def negative_int(content):
    return -1


@refused(OverflowError)
def int_of_65_bits(content):
    return 1 << 64


@refused(OverflowError)
def numpy_negative_int(content):
    return np.int64(-8)


@refused(drv.LogicError)
def freed_allocation(content):
    memory, _ = device_allocation(content)
    memory.free()
    return memory


@refused(drv.LogicError)
def freed_pooled_allocation(content):
    memory, _ = pooled_allocation(content)
    memory.free()
    return memory


@refused(drv.LogicError)
def freed_stream_ordered_allocation(content):
    memory, _ = stream_ordered_allocation(content)
    memory.free()
    return memory


@refused(drv.LogicError)
def freed_managed_allocation(content):
    array = managed(content)
    array.base.free()
    return array.base


@refused(drv.LogicError)
def gpuarray_of_freed_memory(content):
    array, _ = gpuarray(content)
    array.gpudata.free()
    return array


@refused(drv.LogicError)
def holder_of_freed_memory(content):
    return Holder(freed_allocation(content))


@refused(drv.LogicError)
def allocation_of_an_ended_context(content):
    return ended_allocation(len(content))


@refused(drv.LogicError)
def gpuarray_of_an_ended_context(content):
    return ended_array(len(content))


@refused(NotImplementedError)
def holder_without_get_pointer(content):
    return type("Mine", (drv.PointerHolderBase,), {})()


@refused(TypeError)
def holder_that_gives_none(content):
    return Holder(None)


@refused(RecursionError)
def holder_that_gives_itself(content):
    holder = Holder(None)
    holder.pointer = holder
    return holder


@refused(TypeError)
def holder_whose_base_is_not_initialised(content):
    return type("Mine", (drv.PointerHolderBase,), {"__init__": lambda self: None, "get_pointer": lambda self: 0})()


@refused(Unusable)
def gpudata_that_raises(content):
    def gpudata(self):
        raise Unusable

    return type("Mine", (), {"gpudata": property(gpudata)})()


@refused(Unusable)
def index_that_raises(content):
    def index(self):
        raise Unusable

    return type("Mine", (), {"__index__": index})()


@refused(TypeError)
def gpudata_that_is_a_str(content):
    return Broken("address")


@refused((TypeError, KeyError))
def cuda_array_interface_without_data(content):
    return type("Foreign", (), {"__cuda_array_interface__": {"shape": (1,), "typestr": "|u1", "version": 3}})()


@refused(TypeError)
def cuda_array_interface_that_is_none(content):
    return type("Foreign", (), {"__cuda_array_interface__": None})()
