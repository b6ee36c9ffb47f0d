"""Process checkpoints: another process stops a program, moves it off its devices, and resumes it."""

import os
import subprocess
import sys

import pycuda.driver as drv
import pytest

PROGRAM = """
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
memory = drv.to_device(np.arange(1000, dtype=np.int32))
print("ready", flush=True)
sys.stdin.readline()
print(int(drv.from_device(memory, 1000, np.int32).sum()), flush=True)
"""


def calls(process):
    return [lambda: process.state, lambda: process.restore_thread_id, process.lock, lambda: process.lock(timeout_ms=10), process.checkpoint,
            process.restore, process.unlock]


def test_a_process_by_its_id():
    assert drv.CudaProcess(os.getpid()).pid == os.getpid()
    with pytest.raises(TypeError):
        drv.CudaProcess("one")


def test_the_cpu_device_has_no_checkpoints():
    if not drv.driver_info().is_cpu_device:
        pytest.skip("NVIDIA's driver has them")
    for call in calls(drv.CudaProcess(os.getpid())):
        with pytest.raises(drv.LogicError, match=f"not supported.*process {os.getpid()}"):
            call()


def test_another_process_is_checkpointed_and_continues():
    if drv.driver_info().is_cpu_device or drv.get_driver_version() < 12080:
        pytest.skip("no checkpoints")
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "ready\n"
        process, state = drv.CudaProcess(program.pid), drv.process_state
        assert process.state == state.RUNNING
        with pytest.raises(drv.LogicError, match="must be LOCKED"):
            process.checkpoint()
        process.lock(timeout_ms=10000)
        assert process.state == state.LOCKED
        process.checkpoint()
        assert process.state == state.CHECKPOINTED
        process.restore()
        process.unlock()
        assert process.state == state.RUNNING
        program.stdin.write("go on\n")
        program.stdin.flush()
        assert program.stdout.readline() == f"{999 * 1000 // 2}\n"
