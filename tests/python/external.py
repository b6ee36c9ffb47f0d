"""Memory and semaphores of another interface, as the CPU device has them: memfds, which the test maps, too."""

import mmap
import os
import sys

import numpy as np
import pycuda.driver as drv
import pytest

TYPES = drv.external_semaphore_handle_type


def memory_file(nbytes):
    """A file descriptor of so many bytes, and the bytes as an array. The descriptor is the caller's."""
    if not drv.driver_info().is_cpu_device:
        pytest.skip("a memfd is external memory of the CPU device only: test_vulkan.py has a GPU's")
    if sys.platform == "win32":
        pytest.skip("the CPU device imports memory by file descriptors, which Windows has none of")
    descriptor = os.memfd_create("external", os.MFD_CLOEXEC)
    os.ftruncate(descriptor, nbytes)
    return descriptor, np.frombuffer(mmap.mmap(descriptor, nbytes), np.uint8)


def memory(nbytes):
    """External memory, and its bytes."""
    descriptor, view = memory_file(nbytes)
    return drv.ExternalMemory(descriptor, nbytes), view


def semaphore(handle_type=TYPES.TIMELINE_SEMAPHORE_FD):
    """A semaphore, and its word as an array."""
    descriptor, view = memory_file(8)
    return drv.ExternalSemaphore(descriptor, handle_type), view.view(np.uint64)


def is_open(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
