"""Memory: allocations, pools, page-locked and managed arrays, and their attributes."""

import device_values
import external
import numpy as np
import pycuda.driver as drv
from table import SIZE, Reads, row

# ---- device memory

row("driver.mem_alloc", bytes=SIZE)
row("driver.mem_alloc_async", bytes=SIZE, stream=drv.Stream)
row("driver.mem_alloc_pitch", width=SIZE, height=4, access_size=4)
ONLY_ITS_SIZE = dict.fromkeys((
    "strided array", "reversed array", "array with gaps between rows", "broadcast array", "array of objects", "structured array with objects",
    "memoryview with gaps", "reversed memoryview", "array on the device"))
row("driver.mem_alloc_like", ary=Reads(), then=lambda memory, _: drv.memcpy_htod(memory, bytes(SIZE)), but={"ary": ONLY_ITS_SIZE})

NOT_SHARED = dict.fromkeys((
    "managed allocation", "managed array", "managed array of two axes", "view of a managed array", "mapped page locked address",
    "mapped registered address", "stream ordered allocation", "virtual memory"), drv.LogicError)
row("driver.mem_get_address_range", devptr=Reads())
HAS_NO_ATTRIBUTES = {"virtual memory": drv.LogicError} if device_values.has_virtual_memory() else {}
row("driver.mem_set_sync_memops", devptr=Reads(), sync=True, but={"devptr": HAS_NO_ATTRIBUTES})
row("driver.mem_export_dma_buf", devptr=Reads(), nbytes=SIZE, fails=drv.LogicError)
row("driver.mem_get_ipc_handle", devptr=Reads(), but={"devptr": NOT_SHARED})
row("driver.IPCMemoryHandle", ipc_handle=Reads(), flags=1, fails=drv.Error)

for kind, make in (("DeviceAllocation", lambda: drv.mem_alloc(SIZE)), ("ManagedAllocation", lambda: drv.managed_empty(SIZE, np.uint8).base),
                   ("PooledDeviceAllocation", lambda: drv.DeviceMemoryPool().allocate(SIZE)),
                   ("StreamOrderedAllocation", lambda: drv.mem_alloc_async(SIZE))):
    row(f"driver.{kind}.as_buffer", on=make, size=SIZE, offset=0)


class Holder(drv.PointerHolderBase):
    def get_pointer(self):
        return 4096


row("driver.PointerHolderBase.as_buffer", on=Holder, size=SIZE, offset=0)
row("driver.VirtualMemory.as_buffer", on=lambda: drv.VirtualMemory(SIZE), size=SIZE, offset=0)
DEVICE = lambda: drv.Device(0)  # noqa: E731
row("driver.StreamOrderedPool", location=1, id=0, max_size=0, handle_type=0, managed=False)
for name in ("default_of", "current_of"):
    row(f"driver.StreamOrderedPool.{name}", device=DEVICE)
row("driver.StreamOrderedPool.make_current", on=lambda: drv.StreamOrderedPool.default_of(drv.Device(0)), device=DEVICE)
for name in ("default_at", "current_at"):
    row(f"driver.StreamOrderedPool.{name}", location=1, id=0, managed=False)
row("driver.StreamOrderedPool.make_current_at", on=lambda: drv.StreamOrderedPool.default_of(drv.Device(0)), location=1, id=0, managed=False)
row("driver.StreamOrderedPool.allocate", on=drv.StreamOrderedPool, bytes=SIZE, stream=drv.Stream)
row("driver.StreamOrderedPool.get_attribute", on=drv.StreamOrderedPool, attribute=1)
row("driver.StreamOrderedPool.set_attribute", on=drv.StreamOrderedPool, attribute=4, value=SIZE)
row("driver.StreamOrderedPool.trim", on=drv.StreamOrderedPool, bytes_to_keep=0)
row("driver.StreamOrderedPool.get_access", on=drv.StreamOrderedPool, device=DEVICE)
row("driver.StreamOrderedPool.set_access", on=drv.StreamOrderedPool, device=DEVICE, access=3)
row("driver.StreamOrderedPool.import_descriptor", descriptor=-1, fails=drv.Error)
row("driver.StreamOrderedPool.export_pointer", devptr=Reads(), fails=drv.Error)
row("driver.StreamOrderedPool.import_pointer", on=drv.StreamOrderedPool, handle=Reads(), fails=drv.Error)


def image():
    shape = drv.ArrayDescriptor3D()
    shape.width = shape.height = 4
    shape.format, shape.num_channels = drv.array_format.FLOAT, 1
    return shape


NO_SPARSE_ARRAYS = drv.LogicError if drv.driver_info().is_cpu_device else None
row("driver.PhysicalMemory", size=SIZE, location=1, id=0, handle_type=0)
row("driver.PhysicalMemory.import_descriptor", descriptor=-1, size=SIZE, fails=drv.Error)
row("driver.PhysicalMemory.of_address", devptr=Reads(), size=SIZE, fails=drv.LogicError, but={"devptr": {"virtual memory": ...}})
row("driver.PhysicalMemory.granularity", which=0, device=0)
row("driver.PhysicalMemory.tile_pool", size=SIZE, device=0, fails=NO_SPARSE_ARRAYS)
row("driver.ExternalMemory", descriptor=-1, size=SIZE, dedicated=False, handle_type=drv.external_memory_handle_type.OPAQUE_FD, fails=ValueError)
row("driver.ExternalMemory.map_buffer", on=lambda: external.memory(SIZE)[0], offset=0, size=SIZE)
row("driver.ExternalMemory.map_mipmapped_array", on=lambda: external.memory(1 << 16)[0], descriptor=image, levels=1, offset=0)
row("driver.ExternalBuffer.as_buffer", on=lambda: external.memory(SIZE)[0].map_buffer(), size=SIZE, offset=0)
row("driver.VirtualMemory", size=SIZE, reserve=1 << 22, handle_type=0)
row("driver.VirtualMemory.resize", on=drv.VirtualMemory, size=SIZE)
row("driver.VirtualMemory.map", on=drv.VirtualMemory, memory=lambda: drv.PhysicalMemory(SIZE))
row("driver.VirtualMemory.set_access", on=drv.VirtualMemory, device=DEVICE, access=3)
row("driver.VirtualMemory.get_access", on=drv.VirtualMemory, device=DEVICE)

# ---- tensor maps

OPTIONS = {"element_strides": (1,), "interleave": 0, "swizzle": 0, "l2_promotion": 0, "fill": 0}
PIXELS = {"dtype": np.uint8, "shape": (1, 4, 16), "strides": (64, 16), **OPTIONS, "element_strides": (1, 1, 1)}
row("driver.TensorMap.tiled", memory=Reads(), box=(16,), dtype=np.uint8, shape=(SIZE,), strides=(), **OPTIONS)
row("driver.TensorMap.im2col", memory=Reads(), lower_corner=(0,), upper_corner=(0,), channels_per_pixel=16, pixels_per_column=4, **PIXELS)
row("driver.TensorMap.im2col_wide", memory=Reads(), lower_corner=0, upper_corner=0, channels_per_pixel=16, pixels_per_column=4, mode=0,
    **{**PIXELS, "swizzle": 3}, fails=drv.Error if drv.driver_info().is_cpu_device else None)  # NVIDIA's driver creates it for any GPU
row("driver.TensorMap.with_allocation_class", on=lambda: drv.TensorMap.tiled(drv.mem_alloc(SIZE), (16,), dtype=np.uint8, shape=(SIZE,)),
    allocation_class=1)
row("driver.TensorMap.replace_address", on=lambda: drv.TensorMap.tiled(drv.mem_alloc(SIZE), (16,), dtype=np.uint8, shape=(SIZE,)), memory=Reads())
row("driver.StreamOrderedAllocation.free_async", on=lambda: drv.mem_alloc_async(SIZE), stream=drv.Stream)

# ---- managed memory


def managed():
    return drv.managed_zeros(SIZE, np.uint8).base


UNMANAGED = dict.fromkeys((
    "device allocation", "pooled allocation", "stream ordered allocation", "virtual memory", "pitched allocation", "mapped page locked address",
    "mapped registered address", "gpuarray", "gpuarray of four byte elements", "view of a gpuarray", "subclass of gpuarray", "an int",
    "address inside an allocation", "numpy intp", "numpy uint64", "subclass of int", "object with index", "pointer holder",
    "pointer holder of an allocation", "holder of a gpudata address", "holder of a gpudata allocation", "pointer holder with gpudata", "cuda array interface",
    "cuda array interface beside broken gpudata"), drv.LogicError)
row("driver.mem_range_get_attribute", devptr=Reads(default="managed allocation"), count=SIZE, attribute=drv.mem_range_attribute.READ_MOSTLY,
    but={"devptr": UNMANAGED})
row("driver.mem_range_is_accessed_by", devptr=Reads(default="managed allocation"), count=SIZE, device=0, but={"devptr": UNMANAGED})
row("driver.mem_range_get_locations", devptr=Reads(default="managed allocation"), count=SIZE, region=SIZE, sampling=1, but={"devptr": UNMANAGED})
row("driver.mem_advise", devptr=Reads(default="managed allocation"), count=SIZE, advice=drv.mem_advice.SET_READ_MOSTLY, device=0, but={"devptr": UNMANAGED})
row("driver.MemoryRanges.add", on=drv.MemoryRanges, devptr=Reads(default="managed allocation"), nbytes=SIZE, then=lambda ranges, _: ranges.prefetch(0, drv.Stream()),
    but={"devptr": UNMANAGED})
row("driver.MemoryRanges.prefetch", on=drv.MemoryRanges, device=0, stream=drv.Stream)
row("driver.MemoryRanges.discard", on=drv.MemoryRanges, stream=drv.Stream)
row("driver.MemoryRanges.discard_and_prefetch", on=drv.MemoryRanges, device=0, stream=drv.Stream)
row("driver.mem_prefetch_async", devptr=Reads(default="managed allocation"), count=SIZE, device=0, stream=drv.Stream, but={"devptr": UNMANAGED})
row("driver.ManagedAllocation.attach", on=managed, flags=drv.mem_attach_flags.GLOBAL, stream=drv.Stream)
row("driver.ManagedAllocation.advise", on=managed, advice=drv.mem_advice.SET_READ_MOSTLY, device=0)
row("driver.ManagedAllocation.prefetch_async", on=managed, device=0, stream=drv.Stream)

# ---- page-locked, aligned and managed arrays

for kind, flags in (("pagelocked", "mem_flags"), ("aligned", "alignment"), ("managed", "mem_flags")):
    value = {"aligned": 64, "managed": 1, "pagelocked": 0}[kind]
    for content in ("empty", "zeros"):
        row(f"driver.{kind}_{content}", shape=(2, 3), dtype=np.float32, order="F", **{flags: value})
        row(f"driver.{kind}_{content}_like", array=lambda: np.ones((2, 3)), **{flags: value})
row("driver.register_host_memory", ary=lambda: drv.aligned_zeros(4096, np.uint8), flags=0)

# ---- pools

row("driver.DeviceMemoryPool.bin_number", on=drv.DeviceMemoryPool, size=100)
row("driver.DeviceMemoryPool.alloc_size", on=drv.DeviceMemoryPool, bin=10)
row("driver.DeviceMemoryPool.allocate", on=drv.DeviceMemoryPool, size=100, stream=drv.Stream)
row("driver.PageLockedMemoryPool", allocator=drv.PageLockedAllocator)
row("driver.PageLockedMemoryPool.bin_number", on=drv.PageLockedMemoryPool, size=100)
row("driver.PageLockedMemoryPool.alloc_size", on=drv.PageLockedMemoryPool, bin=10)
row("driver.PageLockedMemoryPool.allocate", on=drv.PageLockedMemoryPool, shape=(2, 3), dtype=np.float32, order="F")
row("driver.PageLockedAllocator.__call__", on=drv.PageLockedAllocator, size=100)
