"""Device memory of another process."""

import os
import subprocess
import sys

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver

OTHER_PROCESS = """
import sys, warnings
import numpy as np
import pycuda.driver as drv
warnings.simplefilter("ignore")
drv.init()
context = drv.Device(0).make_context()
memory = drv.IPCMemoryHandle(bytes.fromhex(sys.argv[1]), flags=drv.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS)
assert (drv.from_device(memory, 16, np.int32) == np.arange(16)).all()
drv.memcpy_htod(int(memory), np.full(16, 7, np.int32))
assert "of" in repr(memory)
memory.close()
try:
    int(memory)
except drv.LogicError as error:
    assert "IPC memory handle was closed" in str(error)
else:
    raise AssertionError("closed, and usable")
context.pop()
print("done")
"""


def test_two_processes_share_memory(context):
    memory = drv.to_device(np.arange(16, dtype=np.int32))
    handle = drv.mem_get_ipc_handle(memory)
    assert isinstance(handle, bytes) and len(handle) == 64
    other = subprocess.run([sys.executable, "-c", OTHER_PROCESS, handle.hex()], capture_output=True, text=True, timeout=100,
                           env=dict(os.environ))
    assert other.stdout == "done\n", other.stderr
    assert (drv.from_device(memory, 16, np.int32) == 7).all()


def test_invalid_calls(context):
    memory = drv.mem_alloc(64)
    with pytest.raises(drv.Error, match="cuIpcOpenMemHandle"):
        drv.IPCMemoryHandle(drv.mem_get_ipc_handle(memory))
    with pytest.raises(ValueError, match="another size"):
        drv.IPCMemoryHandle(b"short")
    with pytest.raises(TypeError):
        drv.IPCMemoryHandle(3)
    with pytest.raises(drv.Error, match="cuIpcGetMemHandle"):
        drv.mem_get_ipc_handle(12345)
    assert _driver._live_handles("IPC memory handle") == 0


def test_pitched_memory(context):
    memory, pitch = drv.mem_alloc_pitch(100, 7, 4)
    assert isinstance(memory, drv.DeviceAllocation) and pitch >= 100
    drv.memset_d8(memory, 1, 7 * pitch)
    memory.free()
    with pytest.raises(drv.LogicError, match="cuMemAllocPitch failed.*accesses of 3 bytes"):
        drv.mem_alloc_pitch(width=100, height=7, access_size=3)
    with pytest.raises(drv.MemoryError):
        drv.mem_alloc_pitch(1 << 30, 1 << 30, 16)
