"""Device memory and an event that two processes share (IPC): one writes, and the other one doubles the numbers in place, after the event.
Prints the sum of what this process then reads."""

import subprocess
import sys

import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.gpuarray import GPUArray

N = 1000


def double(memory_handle: bytes, event_handle: bytes) -> None:
    """The other process: opens what the first one allocated and recorded."""
    memory, written = drv.IPCMemoryHandle(memory_handle), drv.Event.from_ipc_handle(event_handle)
    stream = drv.Stream()
    stream.wait_for_event(written)
    with stream:
        numbers = GPUArray(N, np.int32, gpudata=memory)
        numbers *= 2
    memory.close()


if len(sys.argv) > 1:
    double(*map(bytes.fromhex, sys.argv[1:]))
else:
    memory, stream = drv.mem_alloc(4 * N), drv.Stream()
    written = drv.Event(drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING)
    drv.memcpy_htod_async(memory, np.arange(N, dtype=np.int32), stream)
    written.record(stream)
    handles = drv.mem_get_ipc_handle(memory), written.ipc_handle()
    subprocess.run([sys.executable, __file__, *(handle.hex() for handle in handles)], check=True)
    print("sum after the other process:", drv.from_device(memory, N, np.int32).sum())
