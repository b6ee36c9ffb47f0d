"""The operations whose every driver call is made to fail once: name, set-up, operation.

The set-up creates what the operation needs, anew for every fault. After the fault the operation is tried again on the same
objects, and must then return what it returns without a fault; so it must leave the objects unchanged.
"""

import os

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from kernels import SCALE
from pycuda.compiler import DynamicSourceModule

#: name: (set-up, operation on the set-up's result)
OPERATIONS = {}


def row(name, operation, setup=lambda: None):
    OPERATIONS[name] = setup, operation


def bytes_of(memory, count=16):
    return drv.from_device(memory, count, np.uint8).tolist()


# ---- devices, contexts, streams, events


def own_context(_):
    context = drv.Device(0).make_context()
    context.pop()


def pushed(context):
    context.push()
    try:
        return drv.mem_get_info()[1]
    finally:
        drv.Context.pop()


def popped_context():
    context = drv.Device(0).make_context()
    drv.Context.pop()
    return context


row("Device", lambda _: drv.Device(0).name())
row("Device.by_pci_bus_id", lambda bus: drv.Device(bus).handle, lambda: drv.Device(0).pci_bus_id())
row("Device.pci_bus_id", lambda device: device.pci_bus_id(), lambda: drv.Device(0))
row("Device.count", lambda _: drv.Device.count())
row("Device.attributes", lambda device: (device.compute_capability(), device.total_memory(), device.max_threads_per_block), lambda: drv.Device(0))
row("Device.can_access_peer", lambda device: device.can_access_peer(device), lambda: drv.Device(0))
row("Device.links", lambda device: (device.uuid(), device.get_primary_context_flags(), device.get_host_atomic_capabilities(drv.atomic_operation.CAS),
    device.max_linear_texture_width(drv.array_format.FLOAT, 1)), lambda: drv.Device(0))
row("Device.graph_memory", lambda device: (device.trim_graph_memory(), device.reset_graph_memory(drv.graph_mem_attribute.USED_MEM_HIGH),
    device.get_graph_memory(drv.graph_mem_attribute.USED_MEM_HIGH)), lambda: drv.Device(0))
row("Device.primary_context_flags", lambda device: device.set_primary_context_flags(device.get_primary_context_flags()), lambda: drv.Device(0))
row("Device.make_context", own_context)
def core_dumps(_):
    with drv.CoreDumps() as dumps:
        dumps.flags, dumps.file = 16, "dump"
        return dumps.flags, dumps.file, drv.CoreDumps(drv.Context.get_current()).enabled


def in_primary_context(operation):
    """The operation, called with a green context of the primary context, which is current during the call."""
    primary = drv.Device(0).retain_primary_context()
    primary.push()
    try:
        return operation(drv.GreenContext(drv.SMResource(drv.Device(0)).split(1, groups=1)[0]))
    finally:
        drv.Context.pop()


def on_green_stream(green):
    stream, event, host = green.create_stream(), drv.Event(), np.arange(16, dtype=np.uint8)
    memory = drv.mem_alloc(16)
    drv.memcpy_htod_async(memory, host, stream)
    green.record_event(event)
    green.wait_for_event(event)
    green.synchronize()
    return bytes_of(memory), green.sm_resource.sm_count


def in_converted_context(green):
    context = green.as_context()
    context.push()
    try:
        drv.Stream().synchronize()
        return bytes_of(drv.to_device(np.arange(16, dtype=np.uint8)))
    finally:
        drv.Context.pop()


row("SMResource.of_context", lambda context: drv.SMResource.of_context(context).sm_count, drv.Context.get_current)
row("SMResource.split_into", lambda _: [part.sm_count for part in drv.SMResource(drv.Device(0)).split_into(drv.SMGroups().add(1))])
row("SMResource.of_stream", lambda stream: drv.SMResource.of_stream(stream).sm_count, drv.Stream)
row("Device.on_over_budget", lambda device: device.on_over_budget(print).unregister(), lambda: drv.Device(0))
row("CoreDumps", core_dumps)
row("CoreDumps.on_start", lambda _: drv.CoreDumps.on_start(print).unregister())
row("SMResource.split", lambda _: [part.sm_count for part in drv.SMResource(drv.Device(0)).split(1)])
row("GreenContext", lambda _: in_primary_context(on_green_stream))
row("GreenContext.as_context", lambda _: in_primary_context(in_converted_context))
row("Device.retain_primary_context", lambda device: device.retain_primary_context().get_api_version(), lambda: drv.Device(0))
row("Context.push", pushed, popped_context)
row("Context.limits", lambda _: drv.Context.set_limit(drv.limit.STACK_SIZE, drv.Context.get_limit(drv.limit.STACK_SIZE)))
row("Context.cache_config", lambda _: drv.Context.set_cache_config(drv.Context.get_cache_config()))
row("Context.shared_config", lambda _: drv.Context.set_shared_config(drv.Context.get_shared_config()))
row("Context.get_stream_priority_range", lambda _: drv.Context.get_stream_priority_range())
row("Context.get_device", lambda _: drv.Context.get_device().handle)
row("Context.synchronize", lambda _: drv.Context.synchronize())
row("Context.id", lambda context: context.id > 0, drv.Context.get_current)
row("Context.flags", lambda _: drv.Context.set_flags(drv.Context.get_flags()))
row("Context.reset_persisting_l2_cache", lambda _: drv.Context.reset_persisting_l2_cache())
row("Context.get_execution_affinity", lambda _: drv.Context.get_execution_affinity())
row("mem_get_info", lambda _: drv.mem_get_info()[1])
row("mem_get_address_range", lambda memory: drv.mem_get_address_range(memory)[1], lambda: drv.mem_alloc(1000))
row("driver_log", lambda _: (drv.driver_log_position() >= 0, len(drv.driver_log(drv.driver_log_position())), drv.write_driver_log(os.devnull)))
row("get_driver_version", lambda _: drv.get_driver_version())

row("Stream", lambda _: drv.Stream().is_done())
row("Stream.non_blocking", lambda _: drv.Stream(drv.stream_flags.NON_BLOCKING, -1).priority)
row("Stream.queries", lambda stream: (stream.flags, stream.priority, stream.is_done(), stream.synchronize()), drv.Stream)
row("Stream.id", lambda stream: (stream.id > 0, stream.device.handle), drv.Stream)
row("Stream.attributes", lambda both: (both[0].set_attribute("synchronization_policy", 2), both[1].copy_attributes(both[0]),
    both[1].get_attribute("synchronization_policy")), lambda: (drv.Stream(), drv.Stream()))
row("Stream.write_value32", lambda both: (both[0].write_value32(both[1], 7), both[0].wait_value32(both[1], 7), both[0].synchronize(), bytes_of(both[1], 4)),
    lambda: (drv.Stream(), drv.to_device(np.zeros(4, np.uint8))))
row("Stream.write_value64", lambda both: (both[0].write_value64(both[1], 7), both[0].wait_value64(both[1], 7), both[0].synchronize(), bytes_of(both[1], 8)),
    lambda: (drv.Stream(), drv.to_device(np.zeros(8, np.uint8))))
row("MemoryOperations.queue", lambda both: (drv.MemoryOperations().write_value32(both[1], 7).queue(both[0]), both[0].synchronize(), bytes_of(both[1], 4)),
    lambda: (drv.Stream(), drv.to_device(np.zeros(4, np.uint8))))
row("CopyBatch.queue", lambda both: (drv.CopyBatch().add(int(both[1]) + 4, both[1], 4).queue(both[0]), both[0].synchronize(), bytes_of(both[1], 8)),
    lambda: (drv.Stream(), drv.to_device(np.arange(8, dtype=np.uint8))))
row("MemoryRanges.prefetch", lambda both: (ranges := drv.MemoryRanges().add(both[1].base, 40), ranges.prefetch(0, both[0]), ranges.discard(both[0]),
    ranges.discard_and_prefetch(0, both[0]), both[0].synchronize())[1:], lambda: (drv.Stream(), drv.managed_zeros(10, np.float32)))
row("Stream.external_events", lambda both: (both[1].record_external(both[0]), both[0].wait_for_external_event(both[1]), both[0].synchronize()),
    lambda: (drv.Stream(), drv.Event()))
row("Stream.wait_for_event", lambda both: both[0].wait_for_event(both[1]), lambda: (drv.Stream(), drv.Event().record()))
row("Stream.add_callback", lambda stream: (stream.add_callback(lambda: None), stream.synchronize()), drv.Stream)
row("Event", lambda _: drv.Event(drv.event_flags.DISABLE_TIMING).record().synchronize().query())
row("Event.on_stream", lambda both: both[1].record(both[0]).synchronize().query(), lambda: (drv.Stream(), drv.Event()))
row("Event.time_since", lambda both: both[1].time_since(both[0]) >= 0, lambda: (drv.Event().record().synchronize(), drv.Event().record().synchronize()))
row("profiler", lambda _: (drv.start_profiler(), drv.stop_profiler()))
row("Event.ipc_handle", lambda event: len(event.ipc_handle()), lambda: drv.Event(drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING))


# ---- memory


def pool_of(count):
    pool = drv.DeviceMemoryPool()
    blocks = [pool.allocate(1000) for _ in range(count)]
    del blocks
    return pool


def take_and_count(pool):
    block = pool.allocate(1000)
    return pool.active_blocks, pool.active_bytes, len(block)


def free_twice(memory):
    first = drv.mem_alloc(100)
    first.free()
    return len(bytes_of(memory))


def grown_by_a_piece():
    memory = drv.VirtualMemory(reserve=1 << 23)
    memory.map(drv.PhysicalMemory(1000))
    return memory.size


row("mem_alloc", lambda _: drv.mem_alloc(1000) is not None)
row("DeviceAllocation.free", free_twice, lambda: drv.to_device(np.zeros(16, np.uint8)))
row("mem_alloc_pitch", lambda _: drv.mem_alloc_pitch(100, 10, 4)[1])
row("to_device", lambda data: bytes_of(drv.to_device(data)), lambda: np.arange(16, dtype=np.uint8))
row("mem_alloc_async", lambda stream: bytes_of(drv.mem_alloc_async(64, stream))[:0], drv.Stream)
row("StreamOrderedAllocation.free_async", lambda stream: drv.mem_alloc_async(64, stream).free_async(stream), drv.Stream)
row("StreamOrderedPool", lambda _: drv.StreamOrderedPool(max_size=1 << 24).get_attribute(drv.mem_pool_attribute.USED_MEM_CURRENT))
row("StreamOrderedPool.allocate", lambda both: bytes_of(both[0].allocate(64, both[1]))[:0], lambda: (drv.StreamOrderedPool(), drv.Stream()))
row("StreamOrderedPool.attributes", lambda pool: (pool.set_attribute(drv.mem_pool_attribute.RELEASE_THRESHOLD, 1 << 20), pool.trim(),
    pool.get_access(drv.Device(0)), pool.set_access(drv.Device(0))), drv.StreamOrderedPool)
row("StreamOrderedPool.make_current", lambda pool: (pool.make_current(drv.Device(0)), drv.StreamOrderedPool.current_of(drv.Device(0)) is not None),
    lambda: drv.StreamOrderedPool.default_of(drv.Device(0)))
row("PhysicalMemory.of_address", lambda memory: drv.PhysicalMemory.of_address(memory, 1000).size, lambda: drv.VirtualMemory(1000))
row("StreamOrderedPool.at", lambda _: [getattr(drv.StreamOrderedPool, name)(drv.mem_location_type.DEVICE, 0).handle > 0 for name in ("default_at", "current_at")])
row("StreamOrderedPool.make_current_at", lambda pool: pool.make_current_at(drv.mem_location_type.DEVICE, 0), lambda: drv.StreamOrderedPool.default_of(drv.Device(0)))
row("mem_set_sync_memops", lambda memory: drv.mem_set_sync_memops(memory, True), lambda: drv.mem_alloc(1000))
row("PhysicalMemory", lambda _: drv.PhysicalMemory(1000).size)
row("VirtualMemory", lambda _: len(bytes_of(drv.VirtualMemory(1000, 1 << 23))))
row("VirtualMemory.resize", lambda memory: (memory.resize(1 << 22), memory.resize(1000), memory.size), lambda: drv.VirtualMemory(1000, 1 << 23))
row("TensorMap.tiled", lambda array: drv.TensorMap.tiled(array, (4, 8)).address != 0, lambda: gpuarray.zeros((8, 16), np.float32))
row("TensorMap.im2col", lambda array: drv.TensorMap.im2col(array, (0,), (0,), 16, 4).address != 0, lambda: gpuarray.zeros((1, 8, 16), np.float32))
row("TensorMap.replace_address", lambda map: map.replace_address(map.memory).address != 0,
    lambda: drv.TensorMap.tiled(gpuarray.zeros((8, 16), np.float32), (4, 8)))
row("VirtualMemory.map", lambda _: grown_by_a_piece(), lambda: None)
row("VirtualMemory.access", lambda memory: (memory.set_access(drv.Device(0)), memory.get_access(drv.Device(0))), lambda: drv.VirtualMemory(1000, 1 << 23))
row("mem_get_ipc_handle", lambda memory: len(drv.mem_get_ipc_handle(memory)), lambda: drv.mem_alloc(64))
row("pagelocked_empty", lambda _: drv.pagelocked_zeros(100, np.float32).sum())
row("HostPointer.get_device_pointer", lambda host: host.base.get_device_pointer() != 0,
    lambda: drv.pagelocked_empty(10, np.float32, mem_flags=drv.host_alloc_flags.DEVICEMAP))
row("PagelockedHostAllocation.get_flags", lambda host: host.base.get_flags(), lambda: drv.pagelocked_empty(10, np.float32))
row("register_host_memory", lambda host: drv.register_host_memory(host).sum(), lambda: drv.aligned_zeros(4096, np.float32))
row("managed_empty", lambda _: drv.managed_zeros(100, np.float32).sum())
row("ManagedAllocation.attach", lambda both: both[0].base.attach(drv.mem_attach_flags.GLOBAL, both[1]), lambda: (drv.managed_empty(10, np.float32), drv.Stream()))
row("mem_range_attributes", lambda array: (drv.mem_range_get_attribute(array.base, 40, drv.mem_range_attribute.READ_MOSTLY),
    drv.mem_range_is_accessed_by(array.base, 40, 0)), lambda: drv.managed_zeros(10, np.float32))
row("mem_advise", lambda memory: memory.base.advise(drv.mem_advice.SET_PREFERRED_LOCATION, 0), lambda: drv.managed_zeros(10, np.float32))
row("memcpy_dtoh_managed", lambda both: drv.memcpy_dtoh(*both), lambda: (drv.managed_zeros(4, np.uint8), drv.to_device(np.ones(4, np.uint8))))
row("mem_prefetch_async", lambda memory: drv.mem_prefetch_async(memory.base, 40, 0), lambda: drv.managed_zeros(10, np.float32))
row("DeviceMemoryPool", lambda _: take_and_count(drv.DeviceMemoryPool()))
row("DeviceMemoryPool.allocate", take_and_count, drv.DeviceMemoryPool)
row("DeviceMemoryPool.reuse", take_and_count, lambda: pool_of(3))
row("DeviceMemoryPool.allocate_on_stream", lambda both: len(both[0].allocate(1000, both[1])), lambda: (pool_of(1), drv.Stream(drv.stream_flags.NON_BLOCKING)))
row("DeviceMemoryPool.free_held", lambda pool: (pool.free_held(), pool.held_blocks), lambda: pool_of(3))
row("PageLockedMemoryPool.allocate", lambda pool: pool.allocate(100, np.float32).shape, drv.PageLockedMemoryPool)


# ---- copies and fills


class Ends:
    """Memory of every kind, each with 4 rows of 16 bytes."""

    def __init__(self):
        self.stream = drv.Stream()
        self.host = np.arange(64, dtype=np.uint8).reshape(4, 16)
        self.pinned = drv.pagelocked_zeros((4, 16), np.uint8)
        self.pinned[...] = self.host
        self.one, self.other = drv.to_device(self.host), drv.mem_alloc(64)
        descriptor = drv.ArrayDescriptor()
        descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 16, 4, drv.array_format.UNSIGNED_INT8, 1
        self.array = drv.Array(descriptor)
        descriptor.height = 0
        self.line, self.other_line = drv.Array(descriptor), drv.Array(descriptor)
        drv.memcpy_htoa(self.line, 0, self.host[0])

    def done(self, memory=None):
        """The memory's contents when the stream is done; page-locked memory, which is on the host, is returned itself."""
        self.stream.synchronize()
        return self.pinned.tolist() if memory is None else bytes_of(memory, 64)


def copies(name, operation):
    row(name, operation, Ends)


copies("memcpy_htod", lambda e: (drv.memcpy_htod(e.other, e.host), e.done(e.other)))
copies("memcpy_htod_async", lambda e: (drv.memcpy_htod_async(e.other, e.pinned, e.stream), e.done(e.other)))
copies("memcpy_dtoh", lambda e: (drv.memcpy_dtoh(e.pinned, e.one), e.done()))
copies("memcpy_dtoh_async", lambda e: (drv.memcpy_dtoh_async(e.pinned, e.one, e.stream), e.done()))
copies("memcpy_dtod", lambda e: (drv.memcpy_dtod(e.other, e.one, 64), e.done(e.other)))
copies("memcpy_dtod_async", lambda e: (drv.memcpy_dtod_async(e.other, e.one, 64, e.stream), e.done(e.other)))
copies("memcpy_peer", lambda e: (drv.memcpy_peer(e.other, e.one, 64), e.done(e.other)))
copies("memcpy_peer_async", lambda e: (drv.memcpy_peer_async(e.other, e.one, 64, stream=e.stream), e.done(e.other)))
for bits in 8, 16, 32:
    count = 512 // bits
    copies(f"memset_d{bits}", lambda e, fill=getattr(drv, f"memset_d{bits}"), n=count: (fill(e.other, 7, n), e.done(e.other)))
    copies(f"memset_d{bits}_async", lambda e, fill=getattr(drv, f"memset_d{bits}_async"), n=count: (fill(e.other, 7, n, e.stream), e.done(e.other)))
    copies(f"memset_d2d{bits}", lambda e, fill=getattr(drv, f"memset_d2d{bits}"), n=count // 4: (fill(e.other, 16, 7, n, 4), e.done(e.other)))
    copies(f"memset_d2d{bits}_async",
           lambda e, fill=getattr(drv, f"memset_d2d{bits}_async"), n=count // 4: (fill(e.other, 16, 7, n, 4, e.stream), e.done(e.other)))
copies("memcpy_htoa", lambda e: drv.memcpy_htoa(e.line, 0, e.host[0]))
copies("memcpy_atoh", lambda e: (drv.memcpy_atoh(e.pinned[0], e.line, 0), e.done()))
copies("memcpy_dtoa", lambda e: drv.memcpy_dtoa(e.line, 0, e.one, 16))
copies("memcpy_atod", lambda e: (drv.memcpy_atod(e.other, e.line, 0, 16), bytes_of(e.other)))
copies("memcpy_atoa", lambda e: drv.memcpy_atoa(e.other_line, 0, e.line, 0, 16))


def structured(copy, source, dest, e):
    getattr(copy, f"set_src_{source}")({"host": e.host, "array": e.array, "device": e.one}[source])
    getattr(copy, f"set_dst_{dest}")({"host": e.pinned, "array": e.array, "device": e.other}[dest])
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 16
    copy.height = 4
    return copy


def copy_through_array(e, copy, *arguments):
    for source, dest in (("host", "array"), ("array", "device"), ("device", "host")):
        structured(copy(), source, dest, e)(*arguments)
    return e.done(e.other)


def copy_box(e, kind, *arguments):
    copy = structured(kind(), "device", "host", e)
    copy.src_height = copy.dst_height = 4
    copy.depth = 1
    copy(*arguments)
    return e.done()


copies("Memcpy2D", lambda e: copy_through_array(e, drv.Memcpy2D))
copies("Memcpy2D.unaligned", lambda e: copy_through_array(e, drv.Memcpy2D, False))
copies("Memcpy2D.async", lambda e: copy_through_array(e, drv.Memcpy2D, e.stream))
copies("Memcpy3D", lambda e: copy_box(e, drv.Memcpy3D))
copies("Memcpy3D.async", lambda e: copy_box(e, drv.Memcpy3D, e.stream))
copies("Memcpy3DPeer", lambda e: copy_box(e, drv.Memcpy3DPeer))
copies("Memcpy3DPeer.async", lambda e: copy_box(e, drv.Memcpy3DPeer, e.stream))


# ---- modules and launches


class Launch:
    def __init__(self):
        self.module = drv.module_from_buffer(SCALE.encode())
        self.function = self.module.get_function("scale")
        self.prepared = self.module.get_function("scale").prepare("Pfi")
        self.stream, self.side = drv.Stream(), drv.Stream(drv.stream_flags.NON_BLOCKING)
        self.memory = drv.mem_alloc(16)
        self.host, self.pinned = np.ones(4, np.float32), drv.pagelocked_zeros(4, np.float32)

    def run(self, launch):
        self.side.synchronize()  # the launch whose wait has failed
        drv.memcpy_htod(self.memory, np.ones(4, np.float32))
        launch(self, np.float32(3), np.int32(4))
        drv.Context.synchronize()
        return drv.from_device(self.memory, 4, np.float32).tolist()

    def on_host(self, host, stream=None):
        self.side.synchronize()
        host[...] = 1
        self.function(drv.InOut(host), np.float32(3), np.int32(4), block=(4, 1, 1), stream=stream)
        drv.Context.synchronize()
        return host.tolist()


def linked():
    return DynamicSourceModule("__global__ void twice(int *x) { *x *= 2; }", cuda_libdir=None)


def launches(name, launch):
    row(name, lambda l: l.run(launch), Launch)


def stateful(l, a, n):
    l.function.set_block_shape(4, 1, 1)
    l.function.param_set(l.memory, a, n)
    l.function.launch_grid(1, 1)


row("module_from_buffer", lambda _: drv.module_from_buffer(SCALE.encode()).get_function("scale").name)
row("module_from_buffer.options", lambda _: drv.module_from_buffer(SCALE.encode(), [(drv.jit_option.MAX_REGISTERS, 32)]).get_global("table")[1])
row("Library.from_buffer", lambda _: drv.Library.from_buffer(SCALE.encode()).get_kernel("scale").parameters)
row("Library.kernels", lambda library: sorted(kernel.name for kernel in library.kernels()), lambda: drv.Library.from_buffer(SCALE))
row("Library.module", lambda library: library.module().get_global("table")[1], lambda: drv.Library.from_buffer(SCALE))
row("Library.get_global", lambda library: library.get_global("table")[1], lambda: drv.Library.from_buffer(SCALE))
row("Kernel.function", lambda kernel: kernel.function().name, lambda: drv.Library.from_buffer(SCALE).get_kernel("scale"))
row("Kernel.attributes", lambda kernel: (kernel.set_attribute(drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, drv.Device(0)),
    kernel.set_cache_config(drv.func_cache.PREFER_L1, drv.Device(0)),
    kernel.get_attribute(drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, drv.Device(0))), lambda: drv.Library.from_buffer(SCALE).get_kernel("scale"))
row("DynamicSourceModule", lambda _: linked().get_function("twice").name)
row("Module.get_function", lambda l: l.module.get_function("nothing").name, Launch)
row("Module.get_global", lambda l: l.module.get_global("table")[1], Launch)
row("Module.function_names", lambda l: l.module.function_names(), Launch)
row("Function.attributes", lambda l: (l.function.num_regs, l.function.set_attribute(drv.function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 50)), Launch)
row("Function.set_cache_config", lambda l: l.function.set_cache_config(drv.func_cache.PREFER_L1), Launch)
row("Function.set_shared_config", lambda l: l.function.set_shared_config(drv.shared_config.DEFAULT_BANK_SIZE), Launch)
row("Function.occupancy", lambda l: (l.function.max_active_blocks_per_multiprocessor(32), l.function.max_potential_block_size()), Launch)
launches("Function.__call__", lambda l, a, n: l.function(l.memory, a, n, block=(4, 1, 1)))
launches("Function.__call__.stream", lambda l, a, n: l.function(l.memory, a, n, block=(4, 1, 1), stream=l.side))
launches("Function.__call__.time_kernel", lambda l, a, n: l.function(l.memory, a, n, block=(4, 1, 1), time_kernel=True))
launches("Function.__call__.cooperative", lambda l, a, n: l.function(l.memory, a, n, block=(4, 1, 1), cooperative=True))
launches("Function.__call__.attributes", lambda l, a, n: l.function(l.memory, a, n, block=(4, 1, 1), attributes={"mem_sync_domain": 0, "launch_completion_event": drv.Event(drv.event_flags.DISABLE_TIMING)}))
launches("Function.prepared_call", lambda l, a, n: l.prepared.prepared_call((1, 1), (4, 1, 1), l.memory, a, n))
launches("Function.prepared_async_call", lambda l, a, n: l.prepared.prepared_async_call((1, 1), (4, 1, 1), l.side, l.memory, a, n))
launches("Function.prepared_timed_call", lambda l, a, n: l.prepared.prepared_timed_call((1, 1), (4, 1, 1), l.memory, a, n)() >= 0)
launches("Function.launch_grid", stateful)
row("InOut", lambda l: l.on_host(l.host), Launch)
row("InOut.stream", lambda l: l.on_host(l.host, l.side), Launch)
row("InOut.pagelocked", lambda l: l.on_host(l.pinned, l.side), Launch)
