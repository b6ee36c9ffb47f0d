"""Frames of another interface, such as Vulkan: its memory is device memory here, and its timeline semaphore orders both sides on the device.
A second stream plays the other interface, with memory that the CPU device exports; a GPU needs descriptors of Vulkan's functions
vkGetMemoryFdKHR and vkGetSemaphoreFdKHR. Prints the sum of the frames."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

N, FRAMES = 1024, 10


def exported() -> tuple[drv.VirtualMemory, int]:
    """Memory of the other side, and a file descriptor of it, as the other interface would return."""
    piece = drv.PhysicalMemory(4 * N, handle_type=drv.mem_allocation_handle_type.POSIX_FILE_DESCRIPTOR)
    memory = drv.VirtualMemory()
    memory.map(piece)
    return memory, piece.export_descriptor()


def run() -> float:
    pixels, of_pixels = exported()
    word, of_word = exported()  # the CPU device has the value of a timeline in its first 8 bytes
    drv.memset_d8(word, 0, 8)
    frame = drv.ExternalMemory(of_pixels, 4 * N).map_buffer()  # the descriptors are the driver's from here on
    timeline = drv.ExternalSemaphore(of_word, drv.external_semaphore_handle_type.TIMELINE_SEMAPHORE_FD)

    add = SourceModule("__global__ void add(float *sum, const float *frame) { sum[threadIdx.x] += frame[threadIdx.x]; }").get_function("add")
    total = drv.to_device(np.zeros(N, np.float32))
    ours, other = drv.Stream(drv.stream_flags.NON_BLOCKING), drv.Stream(drv.stream_flags.NON_BLOCKING)
    for k in range(FRAMES):
        drv.memset_d32_async(pixels, int(np.float32(k).view(np.uint32)), N, other)
        other.write_value64(word, 2 * k + 1)  # the frame is there
        ours.wait_for_semaphore(timeline, 2 * k + 1)
        add(total, frame, block=(N, 1, 1), stream=ours)
        ours.signal_semaphore(timeline, 2 * k + 2)  # it was read
        other.wait_value64(word, 2 * k + 2)
    ours.synchronize()
    return float(drv.from_device(total, N, np.float32).sum())


try:
    print(f"frames: {FRAMES}, their sum: {run():.0f}")
except drv.Error as error:
    print("frames: none:", error)
