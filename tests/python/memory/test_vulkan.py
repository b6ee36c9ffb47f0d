"""Memory and semaphores of a real Vulkan device. Debian's libvulkan1 has the loader; without a GPU, mesa-vulkan-drivers has a device."""

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from vulkan_program import NoVulkan, VulkanDevice

NBYTES = 1 << 20
TYPES = drv.external_semaphore_handle_type


@pytest.fixture(scope="module")
def vulkan():
    drv.init()
    uuid = None if drv.driver_info().is_cpu_device else bytes.fromhex(drv.Device(0).uuid().removeprefix("GPU-").replace("-", ""))
    try:
        return VulkanDevice(uuid)
    except NoVulkan as why:
        pytest.skip(f"no Vulkan device: {why}")


def semaphore(vulkan, handle_type):
    try:
        made = vulkan.semaphore(handle_type == TYPES.TIMELINE_SEMAPHORE_FD)
    except NoVulkan as why:
        pytest.skip(f"the Vulkan device cannot export semaphores: {why}")
    return made, [drv.ExternalSemaphore(vulkan.semaphore_descriptor(made), handle_type) for _ in range(2)]


def test_memory(vulkan, context):
    """Two imports are the same memory."""
    memory = vulkan.allocate(NBYTES)
    one, other = (drv.ExternalMemory(vulkan.memory_descriptor(memory), NBYTES) for _ in range(2))
    data = np.random.default_rng(2).integers(0, 256, NBYTES, np.uint8)
    drv.memcpy_htod(one.map_buffer(), data)
    assert (drv.from_device(other.map_buffer(4096), NBYTES - 4096, np.uint8) == data[4096:]).all()


def test_a_timeline(vulkan, context):
    timeline, (imported, _) = semaphore(vulkan, TYPES.TIMELINE_SEMAPHORE_FD)
    stream, done = drv.Stream(), gpuarray.zeros(1, np.uint32)
    stream.signal_semaphore(imported, 5)
    stream.synchronize()
    assert vulkan.value(timeline) == 5
    stream.wait_for_semaphore(imported, 7)
    drv.memset_d32_async(done.gpudata, 1, 1, stream)
    assert not stream.is_done()
    vulkan.signal(timeline, 7)
    stream.synchronize()
    assert done.get()[0] == 1


def test_a_timeline_in_a_graph(vulkan, context):
    timeline, (imported, _) = semaphore(vulkan, TYPES.TIMELINE_SEMAPHORE_FD)
    graph, stream = drv.Graph(), drv.Stream()
    wait = graph.wait_for_semaphores(drv.SemaphoreValues().add(imported, 1))
    signal = wait.signal_semaphores(drv.SemaphoreValues().add(imported, 2))
    assert signal.parameters == {"count": 1, "semaphores": imported.handle, "values": 2}
    run = graph.instantiate()
    run.launch(stream)
    vulkan.signal(timeline, 1)
    stream.synchronize()
    assert vulkan.value(timeline) == 2
    run[wait].update(semaphores=drv.SemaphoreValues().add(imported, 2))
    run[signal].update(semaphores=drv.SemaphoreValues().add(imported, 3))
    run.launch(stream)
    stream.synchronize()
    assert vulkan.value(timeline) == 3


def test_a_binary_semaphore(vulkan, context):
    _, (one, other) = semaphore(vulkan, TYPES.OPAQUE_FD)
    signalling, waiting = drv.Stream(), drv.Stream()
    for _ in range(3):
        signalling.signal_semaphore(one)
        waiting.wait_for_semaphore(other)
        waiting.synchronize()
