"""The CPU device reports every access outside what the program asked for, wherever the memory comes from: one element before it, just
after it, further after it, and after it was freed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import bounds

#: The program cannot know the address of In, Out and InOut, other than from the kernel that they are passed to.
CANNOT_BE = {(source, access, position) for source in ("In", "Out", "InOut") for access in bounds.COPIES for position in ("before", "after", "far")}


@pytest.fixture(scope="module")
def table():
    done = subprocess.run([sys.executable, bounds.__file__], env={**os.environ, "PYCUDA_DRIVER": "cpu"}, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr[-2000:]
    return {tuple(row): result for *row, result in (line.split("|") for line in done.stdout.splitlines())}


def expected(source, access, position):
    if (source, access, position) in CANNOT_BE:
        return "cannot be"
    if access in bounds.COPIES:
        return "refused"
    return "freed" if position == "freed" else "illegal"


@pytest.mark.parametrize("source", bounds.SOURCES)
def test_every_access_outside_is_reported(table, source):
    rows = [(access, position) for access in (*bounds.KERNEL_ACCESSES, *bounds.COPIES) for position in bounds.POSITIONS]
    assert {row: table[source, *row] for row in rows} == {row: expected(source, *row) for row in rows}


PENDING = """
import numpy as np, time, os
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
kernel = SourceModule("__global__ void last(float *x, int n) { x[n - 1] += 1; }").get_function("last")
stream = drv.Stream()
pool = drv.DeviceMemoryPool()
for turn in range(200):
    for n in (1000, 995, 1010, 993):  # of one size class: one block serves all
        memory = pool.allocate(4 * n, stream)
        kernel(memory, np.int32(n), block=(1, 1, 1), stream=stream)
        memory.free()
drv.Context.synchronize()
print(pool.held_blocks, "in order")
"""


def test_work_may_be_pending_when_its_memory_is_lent_again(run_python):
    for delay in ("0", "100:1"):
        done = run_python(PENDING, PYCUDA_DRIVER="cpu", PYCUDA_CPU_DELAY=delay)
        assert done.stdout == "1 in order\n", done.stderr


AFTER_ANOTHER = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
kernel = SourceModule("__global__ void write(float *x, int i) { x[i] = 1; }").get_function("write")
pool = drv.DeviceMemoryPool()
for n in (1010, 1000):
    memory = pool.allocate(4 * n)
    kernel(memory, np.int32(n - 1), block=(1, 1, 1))
    pycuda.autoinit.context.synchronize()
    memory.free()
memory = pool.allocate(4 * 1000)
assert pool.managed_bytes == pool.alloc_size(pool.bin_number(4000))
kernel(memory, np.int32(1000), block=(1, 1, 1))
pycuda.autoinit.context.synchronize()
"""


def test_what_a_block_was_lent_for_before_does_not_count(run_python):
    done = run_python(AFTER_ANOTHER, PYCUDA_DRIVER="cpu")
    assert "just past the end of the nearest allocation" in done.stderr and "of 4000 bytes" in done.stderr, done.stderr
