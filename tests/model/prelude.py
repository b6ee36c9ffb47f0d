"""The objects that programs of the model use: streams, pools, kernels, and objects with an address. Needs a current context."""

import contextlib
import os

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import DebugMemoryPool

LEGACY, PER_THREAD = 1, 2  # handles of the default streams
BLOCK, GRID = (32, 1, 1), (1, 1)
SOURCE = """
extern "C" {
__global__ void put(unsigned *y, int n, unsigned v) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = v + i; }
__global__ void add(unsigned *y, const unsigned *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = y[i] * 3 + x[i]; }
__global__ void add_one(unsigned *y, const unsigned *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + 1; }
__global__ void spin(int cycles) { for (long long end = clock64() + cycles; clock64() < end;) {} }
}
"""


class Holder(drv.PointerHolderBase):
    """Returns its memory's address as a number."""

    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def get_pointer(self):
        return int(self.memory)


class BlockHolder(Holder):
    """Returns the memory itself."""

    def get_pointer(self):
        return self.memory


class HasGpudata:
    def __init__(self, memory):
        self.gpudata = memory


class Interface:
    """Another library's array: it only has the protocol."""

    def __init__(self, memory):
        self.memory = memory

    @property
    def __cuda_array_interface__(self):
        return self.memory.__cuda_array_interface__


class Foreign:
    """Another library's memory, which it reuses as soon as the object is gone."""

    def __init__(self, n):
        self.memory, self.n = drv.mem_alloc(4 * n), n

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.n,), "typestr": "<i4", "data": (int(self.memory), False), "version": 3}

    def __del__(self):
        with contextlib.suppress(drv.Error):  # in a capture
            drv.memset_d32_async(self.memory, 0xBAD, self.n, foreign_stream)
            foreign_stream.synchronize()


class CarelessPool:
    """Reuses memory regardless of queued work: the model must find that."""

    def __init__(self):
        self.held = {}

    def allocate(self, size):
        return _CarelessBlock(self.held.setdefault(size, []), size)


class _CarelessBlock(Holder):
    def __init__(self, held, size):
        super().__init__(held.pop() if held else drv.mem_alloc(size))
        self.held = held

    def free(self):
        """Nothing is left to be returned later."""
        self.held.append(self.memory)
        self.held = []

    def __del__(self):
        self.free()


def refused(function, *arguments, **options):
    """A launch that the driver rejects: nothing is queued."""
    try:
        function(*arguments, **options)
    except drv.Error:
        return
    raise AssertionError("the launch was not refused")


def copy_2d(n, stream, **places):
    """One copy of n elements in rows of four; places: src_host, dst_device and the like."""
    _copy(drv.Memcpy2D(), n // 4, 1, stream, places)


def copy_3d(n, stream, **places):
    _copy(drv.Memcpy3D(), n // 8 or 1, 2 if n % 8 == 0 else 1, stream, places)


def _copy(copy, height, depth, stream, places):
    for place, memory in places.items():
        getattr(copy, f"set_{place}")(memory)
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
    copy.height = height
    if isinstance(copy, drv.Memcpy3D):
        copy.src_height = copy.dst_height = height
        copy.depth = depth
    copy(default if stream is None else stream)


module = SourceModule(SOURCE, no_extern_c=True)
put, add, add_one, spin = (module.get_function(name) for name in ("put", "add", "add_one", "spin"))
put.prepare("Pii")
add.prepare("PPi")
twice = ElementwiseKernel("int *y, int *x", "y[i] = x[i] * 2", "twice")
i32 = np.int32
default = drv.Stream.from_handle(LEGACY)
foreign_stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
pool, default_pool, debug_pool = drv.DeviceMemoryPool(), drv.DeviceMemoryPool.of_current_context(), DebugMemoryPool(False, open(os.devnull, "w"))
host_pool, careless_pool = drv.PageLockedMemoryPool(), CarelessPool()
