"""Exit of the interpreter: whatever is still alive, nothing is printed and nothing aborts."""

import os

import pytest

START = """
import threading, time, sys
import numpy as np
import pycuda.driver as drv
import warnings; warnings.simplefilter("ignore")
drv.init()
"""
CONTEXT = START + "context = drv.Device(0).make_context()\n"
KERNEL = CONTEXT + """
from pycuda.compiler import SourceModule
kernel = SourceModule("__global__ void f(int *p, int n) { for (int i = 0; i < n; ++i) p[i % 64] += i; }").get_function("f")
memory = drv.mem_alloc(256)
"""

FORK = "autoinit, and a fork that exits"
ENDINGS = {
    "objects in globals": CONTEXT + "a, b, c = drv.mem_alloc(64), drv.Stream(), drv.Event()",
    "context popped, objects alive": CONTEXT + "a, b = drv.mem_alloc(64), drv.Stream()\ncontext.pop()",
    "context detached, objects alive": CONTEXT + "a, b, c = drv.mem_alloc(64), drv.Stream(), drv.Event()\ncontext.detach()",
    "contexts on the stack": START + "stack = [drv.Device(0).make_context() for _ in range(3)]",
    "cycles": CONTEXT + "a = drv.Stream(); a.me = a; b = drv.mem_alloc(64); b.other = a; del a, b",
    "kernel running": KERNEL + "kernel(memory, np.int32(1 << 20), block=(1, 1, 1))",
    "module and function alive": KERNEL + "kernel(memory, np.int32(1), block=(1, 1, 1))",
    "asynchronous copy back running": KERNEL + """
y, stream = np.zeros(64, np.int32), drv.Stream()
kernel(drv.InOut(y), np.int32(1 << 20), block=(1, 1, 1), stream=stream)""",
    "Python functions waiting in a stream": CONTEXT + """
stream = drv.Stream()
for _ in range(10): stream.add_callback(lambda: time.sleep(0.05))""",
    "Python functions waiting under autoinit": START + """
import pycuda.autoinit
stream = drv.Stream()
for _ in range(10): stream.add_callback(lambda: time.sleep(0.05))""",
    "Python functions waiting, the context's last block alive": CONTEXT + """
stream, block = drv.Stream(), drv.DeviceMemoryPool().allocate(64)
for _ in range(10): stream.add_callback(lambda: time.sleep(0.05))
context.pop()
del context, stream""",
    "Python functions waiting, the last memory alive": CONTEXT + """
stream, memory = drv.Stream(), drv.mem_alloc(64)
for _ in range(10): stream.add_callback(lambda: time.sleep(0.05))
context.pop()
del context, stream""",
    "a subinterpreter was there": START + """
import pycuda.autoinit
try: import _interpreters as interpreters
except ImportError: import _xxsubinterpreters as interpreters
interpreters.destroy(interpreters.create())""",
    "daemon thread waiting": KERNEL + """
kernel(memory, np.int32(1 << 24), block=(1, 1, 1))
def wait():
    context.push()
    drv.Context.synchronize()
threading.Thread(target=wait, daemon=True).start()
time.sleep(0.05)""",
    "daemon threads busy": KERNEL + """
def work():
    context.push()
    while True:
        kernel(drv.InOut(np.zeros(64, np.int32)), np.int32(64), block=(1, 1, 1))
        drv.mem_alloc(64)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)""",
    "autoinit": """
import warnings; warnings.simplefilter('ignore')
import pycuda.autoinit, pycuda.driver as drv
a = drv.mem_alloc(64)""",
    "autoinit, popped by the program": """
import warnings; warnings.simplefilter('ignore')
import pycuda.autoinit
pycuda.autoinit.context.pop()""",
    "autoinit, detached by the program": """
import warnings; warnings.simplefilter('ignore')
import pycuda.autoinit
pycuda.autoinit.context.detach()""",
    FORK: """
import os, sys, warnings; warnings.simplefilter('ignore')
import pycuda.autoinit
child = os.fork()
if child == 0:
    sys.exit()
assert os.waitpid(child, 0)[1] == 0""",
    "autoprimaryctx": "import warnings; warnings.simplefilter('ignore')\nimport pycuda.autoprimaryctx",
}


if not hasattr(os, "fork"):  # on Windows
    del ENDINGS[FORK]


@pytest.mark.parametrize("ending", ENDINGS)
def test_ends_quietly(run_python, ending):
    done = run_python(ENDINGS[ending])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("ending", ["objects in globals", "daemon threads busy"])
def test_exit_status_is_the_programs(run_python, ending):
    assert run_python(ENDINGS[ending] + "\nsys.exit(7)").returncode == 7
