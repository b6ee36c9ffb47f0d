"""Accesses around memory from every source, one in each context, for test_bounds.py: prints one line for each, with what came of it."""

import sys

import numpy as np
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import compile
from pycuda.gpuarray import GPUArray

N = 33000  # floats: a pool allocates 1,815 more
FAR = 1500  # still in the pool's block, or in the unused pages between two allocations
KERNELS = r"""
extern "C" {
__global__ void read(float *x, long long i) { (void)((volatile float *)x)[i]; }
__global__ void write(float *x, long long i) { x[i] = 1; }
__global__ void atomic(float *x, long long i) { atomicAdd(x + i, 1.0f); }
__global__ void vector(float *x, long long i) { *(float4 *)(x + i) = make_float4(1, 2, 3, 4); }
__global__ void bulk(float *x, long long i)
{
  __shared__ alignas(16) float part[4];
  part[threadIdx.x] = 1;
  unsigned from = (unsigned)__cvta_generic_to_shared(part);
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" :: "l"(x + i), "r"(from) : "memory");
}
__global__ void tell(float *x, float **where) { *where = x; }
}
"""
KERNEL_ACCESSES = ("read", "write", "atomic", "vector", "bulk")
COPIES = {
    "fill": lambda address: drv.memset_d32(address, 1, 1),
    "memcpy": lambda address: drv.memcpy_dtoh(np.empty(1, np.float32), address),
}


class Owned:
    """Memory with an address, and a call that frees it."""

    def __init__(self, owner, address, free):
        self.owner, self.address, self.free = owner, int(address), free

    def use(self, kernel, index):
        kernel(np.uint64(self.address), np.int64(index), block=(1, 1, 1))


class Staged:
    """In, Out and InOut: the memory exists during a launch only."""

    address = None

    def __init__(self, kind, tell):
        self.kind, self.array = kind, np.zeros(N, np.float32)
        self.tell = tell

    def use(self, kernel, index):
        if self.address:
            kernel(np.uint64(self.address), np.int64(index), block=(1, 1, 1))
        else:
            kernel(self.kind(self.array), np.int64(index), block=(1, 1, 1))

    def free(self):
        where = drv.mem_alloc(8)
        self.tell(self.kind(self.array), where, block=(1, 1, 1))
        self.address = int(drv.from_device(where, 1, np.uint64)[0])


def closable(memory):
    return Owned(memory, memory, memory.free)


def array(made):
    return Owned(made, made.gpudata, made.gpudata.free)


def dropped(made):
    """Freed because nothing refers to it any more."""
    found = Owned([made], made.gpudata, None)
    found.free = found.owner.clear
    return found


def host(memory):
    return Owned(memory, memory.base.get_device_pointer(), memory.base.free)


def from_pool_of_host_memory():
    memory = drv.PageLockedMemoryPool().allocate(N, np.float32)
    return Owned(memory, memory.base.get_device_pointer(), memory.base.free)


def registered():
    memory = drv.register_host_memory(drv.aligned_empty(N, np.float32))
    return Owned(memory, memory.base.get_device_pointer(), memory.base.unregister)


def stream_ordered(memory):
    return Owned(memory, memory, memory.free_async)


SOURCES = {
    "mem_alloc": lambda tell: closable(drv.mem_alloc(4 * N)),
    "to_device": lambda tell: closable(drv.to_device(np.zeros(N, np.float32))),
    "managed_empty": lambda tell: Owned(m := drv.managed_empty(N, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL), m.base.get_device_pointer(), m.base.free),
    "pagelocked_empty": lambda tell: host(drv.pagelocked_empty(N, np.float32)),
    "register_host_memory": lambda tell: registered(),
    "mem_alloc_async": lambda tell: stream_ordered(drv.mem_alloc_async(4 * N)),
    "StreamOrderedPool": lambda tell: stream_ordered(drv.StreamOrderedPool().allocate(4 * N)),
    "DeviceMemoryPool": lambda tell: closable(drv.DeviceMemoryPool().allocate(4 * N)),
    "PageLockedMemoryPool": lambda tell: from_pool_of_host_memory(),
    "gpuarray.zeros": lambda tell: array(gpuarray.zeros(N, np.float32)),
    "gpuarray of a pool": lambda tell: array(gpuarray.empty(N, np.float32, allocator=drv.DeviceMemoryPool().allocate)),
    "a + b": lambda tell: dropped(gpuarray.zeros(N, np.float32) + gpuarray.zeros(N, np.float32)),
    "In": lambda tell: Staged(drv.In, tell),
    "Out": lambda tell: Staged(drv.Out, tell),
    "InOut": lambda tell: Staged(drv.InOut, tell),
}
POSITIONS = {"before": -1, "after": N, "far": N + FAR, "freed": 0}


def what_comes_of(ptx, source, access, position):
    context = drv.Device(0).make_context()
    try:
        module = drv.module_from_buffer(ptx)
        memory = SOURCES[source](module.get_function("tell"))
        is_copy, index = access in COPIES, POSITIONS[position]
        if is_copy and memory.address is None and position != "freed":
            return "cannot be"
        kernel = None if is_copy else module.get_function(access)
        wide = 4 if access in ("vector", "bulk") else 1

        def use(at):
            COPIES[access](memory.address + 4 * at) if is_copy else memory.use(kernel, at)
            context.synchronize()

        if memory.address is not None or not is_copy:
            use(N - wide)
        if position == "freed":
            memory.free()
            context.synchronize()
        try:
            use(index * wide if index < 0 else index)
        except drv.Error as error:
            text = str(error)
            return "freed" if "freed earlier" in text else "illegal" if "illegal" in text else "refused"
        return "missed"
    finally:
        context.pop()
        context.detach()


def main():
    drv.init()
    ptx = compile(KERNELS, no_extern_c=True, target="ptx")
    for source in SOURCES:
        for access in (*KERNEL_ACCESSES, *COPIES):
            for position in POSITIONS:
                print(source, access, position, what_comes_of(ptx, source, access, position), sep="|", flush=True)


if __name__ == "__main__":
    sys.exit(main())
