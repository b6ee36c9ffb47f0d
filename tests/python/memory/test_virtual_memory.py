"""Virtual memory: addresses that are reserved once and mapped on demand."""

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule

ACCESS, HANDLE = drv.mem_access_flags, drv.mem_allocation_handle_type


@pytest.fixture(autouse=True)
def supported(context, device):
    if not device.get_attribute(drv.device_attribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED):
        pytest.skip("no virtual memory management")


@pytest.fixture
def step():
    return drv.PhysicalMemory.granularity(drv.mem_allocation_granularity.RECOMMENDED)


def live():
    gc.collect()
    return _driver._live_handles("virtual memory"), _driver._live_handles("physical memory")


def fill(memory, start, count):
    drv.memcpy_htod(int(memory) + 4 * start, np.arange(start, start + count, dtype=np.int32))


def test_grows_in_place(step):
    memory = drv.VirtualMemory(step)
    address, count = int(memory), step // 4
    fill(memory, 0, count)
    for pieces in (2, 3, 5):
        memory.resize(pieces * step)
        assert int(memory) == address and memory.size == memory.mapped == pieces * step
    fill(memory, count, 4 * count)
    # Copies, fills and kernels cross the boundaries of mappings.
    assert (drv.from_device(memory, 5 * count, np.int32) == np.arange(5 * count)).all()
    twice = SourceModule("__global__ void twice(int *x, int n) { for (int i = threadIdx.x; i < n; i += 1024) x[i] *= 2; }").get_function("twice")
    twice(memory, np.int32(5 * count), block=(1024, 1, 1))
    assert (drv.from_device(memory, 5 * count, np.int32) == 2 * np.arange(5 * count)).all()
    drv.memset_d32(memory, 1, 5 * count)
    assert drv.from_device(memory, 5 * count, np.int32).all()
    assert live() == (1, 0)  # mappings keep the memory alive


def test_shrinks_by_whole_mappings(step, is_cpu_device):
    memory = drv.VirtualMemory(step)
    memory.resize(3 * step)
    fill(memory, 0, step // 4)
    free = drv.mem_get_info()[0]
    memory.resize(2 * step)  # the second mapping has two steps
    assert (memory.size, memory.mapped) == (2 * step, 3 * step)
    memory.resize(step // 2)
    assert (memory.size, memory.mapped) == (step // 2, step)
    if is_cpu_device:  # other processes share a GPU's memory
        assert drv.mem_get_info()[0] >= free + 2 * step
    assert (drv.from_device(memory, step // 4, np.int32) == np.arange(step // 4)).all()
    memory.resize(0)
    assert (memory.size, memory.mapped) == (0, 0)
    memory.resize(step)
    fill(memory, 0, step // 4)


def test_sizes_need_not_be_multiples(step):
    memory = drv.VirtualMemory(1000)
    assert (memory.size, memory.mapped) == (1000, step)
    memory.resize(2000)
    assert (memory.size, memory.mapped) == (2000, step)
    assert memory.reserved >= drv.mem_get_info()[1] and memory.reserved % step == 0


def test_growing_beyond_the_reservation(step):
    memory = drv.VirtualMemory(step, reserve=2 * step)
    assert memory.reserved == 2 * step
    with pytest.raises(drv.LogicError, match=f"asked for {3 * step} bytes, {2 * step} are reserved"):
        memory.resize(3 * step)
    with pytest.raises(drv.LogicError, match="do not fit"):
        memory.map(drv.PhysicalMemory(2 * step))
    assert memory.size == step
    memory.resize(2 * step)
    with pytest.raises(drv.LogicError, match="are reserved"):
        drv.VirtualMemory(2 * step, step)
    assert live()[0] == 1


def test_growing_beyond_the_device_memory():
    memory = drv.VirtualMemory(1000, reserve=1 << 42)
    with pytest.raises(drv.MemoryError, match="cuMemCreate failed"):
        memory.resize(1 << 41)
    assert memory.size == 1000
    drv.memset_d8(memory, 1, 1000)
    with pytest.raises(drv.Error):
        drv.VirtualMemory(0, reserve=2**64 - 1)


def test_is_accepted_wherever_memory_is(step):
    memory = drv.VirtualMemory(1024)
    array = gpuarray.GPUArray(256, np.float32, gpudata=memory)
    array.fill(3)
    assert ((array + 1).get() == 4).all()
    stream, host = drv.Stream(), drv.pagelocked_zeros(256, np.float32)
    drv.memcpy_dtoh_async(host, memory, stream)
    stream.synchronize()
    assert (host == 3).all()
    function = SourceModule("__global__ void last(const float *x, float *y) { *y = x[255]; }").get_function("last")
    out = np.zeros(1, np.float32)
    function(memory, drv.Out(out), block=(1, 1, 1))
    assert out[0] == 3
    function.prepare("PP").prepared_call((1, 1), (1, 1, 1), memory, drv.mem_alloc(4))
    assert memory.__cuda_array_interface__["data"] == (int(memory), False)


def test_freed_memory_is_closed(step):
    memory = drv.VirtualMemory(step)
    memory.free()
    for use in (memory.free, lambda: int(memory), lambda: memory.resize(step), lambda: drv.memset_d8(memory, 0, 1),
                lambda: memory.map(drv.PhysicalMemory(step)), lambda: memory.get_access(drv.Device(0))):
        with pytest.raises(drv.LogicError, match="virtual memory was freed"):
            use()
    assert "was freed" in repr(memory) and live() == (0, 0)
    assert memory.size == 0


def test_is_returned_to_the_system(step, is_cpu_device):
    free = drv.mem_get_info()[0]
    for _ in range(20):
        drv.VirtualMemory(4 * step).resize(8 * step)
    assert live() == (0, 0)
    if is_cpu_device:  # other processes share a GPU's memory
        assert drv.mem_get_info()[0] >= free - 4 * step


def test_access(device, step):
    memory = drv.VirtualMemory(step)
    assert memory.get_access(device) == ACCESS.READWRITE
    memory.set_access(device, ACCESS.READ)
    assert memory.get_access(device) == ACCESS.READ
    memory.resize(2 * step)
    memory.set_access(device, ACCESS.READWRITE)
    drv.memset_d8(memory, 1, 2 * step)
    assert drv.VirtualMemory().get_access(device) == ACCESS.READWRITE
    if drv.Device.count() > 1 and device.can_access_peer(drv.Device(1)):
        other = drv.Device(1)
        assert memory.get_access(other) == ACCESS.NONE
        memory.set_access(other)
        memory.resize(3 * step)
        assert memory.get_access(other) == ACCESS.READWRITE


def test_physical_memory_mapped_twice(step):
    memory = drv.PhysicalMemory(step)
    one, two = drv.VirtualMemory(), drv.VirtualMemory()
    one.map(memory)
    two.map(memory)
    del memory
    fill(one, 0, 100)
    assert (drv.from_device(two, 100, np.int32) == np.arange(100)).all()
    one.free()
    assert (drv.from_device(two, 100, np.int32) == np.arange(100)).all()


def test_another_thread_may_grow_it_while_kernels_use_it(step):
    """Mapped memory remains accessible throughout."""
    memory = drv.VirtualMemory(step)
    context = drv.Context.get_current()
    add = SourceModule("__global__ void add(int *x) { for (int i = 0; i < 2000; ++i) atomicAdd(x + threadIdx.x, 1); }").get_function("add")
    drv.memset_d8(memory, 0, 256)

    def grow():
        context.push()
        try:
            for pieces in range(2, 12):
                memory.resize(pieces * step)
        finally:
            drv.Context.pop()

    thread = threading.Thread(target=grow)
    thread.start()
    for _ in range(10):
        add(memory, block=(64, 1, 1))
    thread.join()
    assert (drv.from_device(memory, 64, np.int32) == 20000).all()
    assert memory.size == 11 * step


OUT_OF_BOUNDS = """
import warnings
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule
warnings.simplefilter("ignore")
drv.init()
context = drv.Device(0).make_context()
step = drv.PhysicalMemory.granularity(drv.mem_allocation_granularity.RECOMMENDED)
memory = drv.VirtualMemory(2 * step, reserve=8 * step)
write = SourceModule("__global__ void write(char *x) {{ *x = 1; }}").get_function("write")
write(memory, block=(1, 1, 1))
drv.Context.synchronize()
{change}
try:
    write(np.intp(int(memory) + {offset} * step), block=(1, 1, 1))
    drv.Context.synchronize()
except drv.LaunchError as error:
    assert "illegal" in str(error), error
    print("reported", flush=True)
import os
os._exit(0)
"""


@pytest.mark.parametrize(("change", "offset"), [("", 2), ("", 7), ("memory.resize(4 * step); memory.resize(2 * step)", 3),
                                                ("memory.set_access(drv.Device(0), drv.mem_access_flags.READ)", 0)])
def test_access_without_a_mapping_or_permission_is_illegal(change, offset):
    other = subprocess.run([sys.executable, "-c", OUT_OF_BOUNDS.format(change=change, offset=offset)], capture_output=True, text=True,
                           timeout=100, env=dict(os.environ))
    assert other.stdout == "reported\n", other.stderr


def test_a_copy_to_unmapped_addresses_is_rejected(step, is_cpu_device):
    if not is_cpu_device:
        pytest.skip("a driver may take it for the program's own address, and the process ends")
    memory = drv.VirtualMemory(step)
    with pytest.raises(drv.Error):
        drv.memcpy_htod(int(memory) + step, bytes(16))


OTHER_PROCESS = """
import sys, warnings
import numpy as np
import pycuda.driver as drv
warnings.simplefilter("ignore")
drv.init()
context = drv.Device(0).make_context()
step = drv.PhysicalMemory.granularity(drv.mem_allocation_granularity.RECOMMENDED)
memory = drv.VirtualMemory()
memory.map(drv.PhysicalMemory.import_descriptor(int(sys.argv[1]), step))
assert (drv.from_device(memory, 100, np.int32) == np.arange(100)).all()
drv.memset_d32(memory, 7, 100)
drv.Context.synchronize()
print("done")
memory.free()
context.pop()
"""


def test_two_processes_share_memory(device, step):
    if not device.get_attribute(drv.device_attribute.HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED):
        pytest.skip("no file descriptors")
    memory, shared = drv.VirtualMemory(), drv.PhysicalMemory(step, handle_type=HANDLE.POSIX_FILE_DESCRIPTOR)
    memory.map(shared)
    fill(memory, 0, 100)
    descriptor = shared.export_descriptor()
    try:
        other = subprocess.run([sys.executable, "-c", OTHER_PROCESS, str(descriptor)], capture_output=True, text=True, timeout=100,
                               env=dict(os.environ), pass_fds=[descriptor])
    finally:
        os.close(descriptor)
    assert other.stdout == "done\n", other.stderr
    assert (drv.from_device(memory, 100, np.int32) == 7).all()


def test_invalid_calls(step):
    with pytest.raises(drv.LogicError, match="asked for 0 bytes"):
        drv.PhysicalMemory(0)
    with pytest.raises(drv.Error, match="POSIX_FILE_DESCRIPTOR"):
        drv.PhysicalMemory(step).export_descriptor()
    with pytest.raises(drv.Error):
        drv.PhysicalMemory(step, id=99)
    with open(os.devnull) as file, pytest.raises(drv.Error, match=f"file descriptor {file.fileno()}"):
        drv.PhysicalMemory.import_descriptor(file.fileno(), step)
    memory = drv.VirtualMemory(step)
    with pytest.raises(TypeError):
        memory.resize("x")
    with pytest.raises(OverflowError):
        memory.resize(-1)
    with pytest.raises(TypeError):
        memory.map(None)


def test_its_context_may_end_first(device, step):
    context = device.make_context()
    memory = drv.VirtualMemory(step)
    context.pop()
    context.detach()
    with pytest.raises(drv.LogicError, match="context that is gone"):
        int(memory)
    del memory
    assert live() == (0, 0)


def test_physical_memory_of_an_address(context):
    memory = drv.VirtualMemory(1000)
    drv.memset_d8(memory, 7, 1000)
    physical = drv.PhysicalMemory.of_address(int(memory) + 10, memory.mapped)
    other = drv.VirtualMemory(0, 1 << 22)
    other.map(physical)
    memory.free()  # the physical memory lives on
    assert drv.from_device(other, 1000, np.uint8).tolist() == [7] * 1000
    for address in (int(drv.mem_alloc(64)), 0, 1 << 40):
        with pytest.raises(drv.LogicError, match="no physical memory is mapped"):
            drv.PhysicalMemory.of_address(address, 1000)
