"""Move another program off its GPU and back: its device memory goes to the host and returns, and the program does not
notice. Prints each state and the program's result; on the CPU device, that it has no checkpoints."""

import subprocess
import sys

import pycuda.driver as drv

PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
numbers = drv.to_device(np.arange(1000, dtype=np.int32))
print("ready", flush=True)
input()
print("sum:", drv.from_device(numbers, 1000, np.int32).sum(), flush=True)
"""

drv.init()
with subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
    assert program.stdout
    program.stdout.readline()
    process = drv.CudaProcess(program.pid)
    try:
        for step in (process.lock, process.checkpoint, process.restore, process.unlock):
            step()
            print(f"{step.__name__}: {process.state.name}")
    except (drv.LogicError, drv.RuntimeError) as error:
        print("no checkpoints here:", error)
    print(program.communicate("go on\n")[0].strip())
