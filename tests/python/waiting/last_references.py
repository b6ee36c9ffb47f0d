"""Objects that can each hold the last reference to a context: created in the current context, by kind."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from kernels import SCALE
from pycuda.compiler import DynamicModule


def _pooled():
    return drv.DeviceMemoryPool().allocate(10)


def _array_memory():
    descriptor = drv.ArrayDescriptor()
    descriptor.width = descriptor.height = 4
    descriptor.format, descriptor.num_channels = drv.array_format.FLOAT, 1
    return drv.Array(descriptor)


def _structured_copy():
    copy = drv.Memcpy2D()
    copy.set_src_array(_array_memory())
    return copy


def _module():
    return drv.module_from_buffer(SCALE.encode())


def _prepared():
    function = _module().get_function("scale")
    return function.prepare("Pfi")


def _handler():
    handler = drv.In(np.zeros(3))
    handler.get_device_alloc()
    return handler


def _texture_reference():
    reference = drv.TextureReference()
    reference.set_array(_array_memory())
    return reference


def _view():
    return gpuarray.zeros((4, 4), np.float32)[1:, ::2]


def _allocated_by(pool):
    return gpuarray.empty(10, np.float32, allocator=pool.allocate)


def _cycle():
    array = gpuarray.empty(10, np.float32)
    array.me = array
    return array


KINDS = {
    "context": drv.Context.get_current,
    "stream": drv.Stream,
    "event": drv.Event,
    "DeviceAllocation": lambda: drv.mem_alloc(10),
    "pitched": lambda: drv.mem_alloc_pitch(16, 4, 4)[0],
    "stream-ordered": lambda: drv.mem_alloc_async(100),
    "page-locked": lambda: drv.pagelocked_empty(10, np.float32),
    "managed": lambda: drv.managed_empty(10, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL),
    "registered": lambda: drv.register_host_memory(drv.aligned_empty(4096, np.float32)),
    "pool block": _pooled,
    "default pool's block": lambda: _handler().dev_alloc,
    "host pool's block": lambda: drv.PageLockedMemoryPool().allocate(10, np.float32),
    "device pool": drv.DeviceMemoryPool,
    "page-locked pool": drv.PageLockedMemoryPool,
    "In": _handler,
    "array": lambda: gpuarray.zeros(10, np.float32),
    "array of a pool": lambda: _allocated_by(drv.DeviceMemoryPool()),
    "view": _view,
    "array in a cycle": _cycle,
    "dlpack": lambda: drv.mem_alloc(16).__dlpack__() if hasattr(drv.DeviceAllocation, "__dlpack__") else gpuarray.zeros(4, np.int32).__dlpack__(),
    "buffer": lambda: memoryview(drv.managed_empty(10, np.uint8, mem_flags=drv.mem_attach_flags.GLOBAL)),
    "module": _module,
    "function": lambda: _module().get_function("scale"),
    "prepared function": _prepared,
    "DynamicModule": DynamicModule,
    "Array": _array_memory,
    "texture reference": _texture_reference,
    "Memcpy2D": _structured_copy,
}
