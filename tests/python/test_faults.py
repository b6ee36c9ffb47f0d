"""Faults on the device, each in a separate process: a faulting kernel makes its context unusable."""

import pytest

START = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
"""

OUT_OF_BOUNDS = START + """
kernel = SourceModule('''
__global__ void out_of_bounds(int *p) { p[threadIdx.x + (1 << 28)] = 1; }
''').get_function("out_of_bounds")
memory = drv.mem_alloc(64)
kernel(memory, block=(32, 1, 1))
try:
    drv.Context.synchronize()
except drv.Error as error:
    print(type(error).__name__, error.code)
    print(error)
"""


def test_kernel_out_of_bounds(run_python):
    done = run_python(OUT_OF_BOUNDS, PYCUDA_DRIVER="cpu")
    first, *rest = done.stdout.splitlines()
    assert first == "LaunchError 700", done.stderr
    assert "illegal memory access" in " ".join(rest)
    assert done.returncode == 0


def test_a_dead_context_stays_dead_and_quiet(run_python):
    done = run_python(OUT_OF_BOUNDS + """
for use in (lambda: drv.mem_alloc(4), lambda: drv.from_device(memory, 4, np.int32), lambda: kernel(memory, block=(1, 1, 1))):
    try:
        use()
    except drv.Error as error:
        print(error.code)
""")
    code = done.stdout.split()[1]  # on a GPU the code differs if the address happens to be in its shared memory window
    assert done.stdout.splitlines()[-3:] == [code] * 3, done.stdout + done.stderr
    assert done.returncode == 0
    assert "Traceback" not in done.stderr and "terminate" not in done.stderr


def test_use_after_the_context_was_popped(run_python):
    done = run_python(START + """
memory = drv.mem_alloc(64)
kernel = SourceModule("__global__ void f(int *p) { *p = 1; }").get_function("f")
pycuda.autoinit.context.pop()
for use in (lambda: drv.mem_alloc(4), lambda: kernel(memory, block=(1, 1, 1)), drv.Stream, lambda: drv.memset_d8(memory, 1, 1)):
    try:
        use()
        print("no error")
    except drv.LogicError as error:
        print(error.code)
memory.free()
pycuda.autoinit.context.push()
""")
    assert done.stdout.splitlines() == ["201"] * 4, done.stdout + done.stderr
    assert done.returncode == 0


def test_use_after_free_on_the_device(run_python):
    done = run_python(START + """
kernel = SourceModule("__global__ void f(int *p) { p[threadIdx.x] = 1; }").get_function("f")
memory = drv.mem_alloc(1 << 26)
address = np.uint64(int(memory))
memory.free()
try:
    kernel(address, block=(32, 1, 1))
    drv.Context.synchronize()
except drv.Error as error:
    print(error.code)
""", PYCUDA_DRIVER="cpu")  # on a GPU the page may still be mapped
    assert done.stdout.strip() == "700", done.stderr


RUN = START + """
module = SourceModule('''%s''')
memory = drv.mem_alloc(256)
try:
    module.get_function("f")(memory, block=(64, 1, 1))
    drv.Context.synchronize()
    print("no error")
except drv.LaunchError as error:
    print(error.code)
    print(error)
"""


@pytest.mark.parametrize(("check", "source", "code", "report"), [
    ("", "__global__ void f(int *p) { *(int *)((char *)p + 2) = 1; }", 716,
     ["misaligned write of 4 bytes", "2 bytes into the nearest allocation"]),
    ("", "__global__ void f(int *p) { if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 64;\");"
         " else asm volatile(\"bar.sync 2, 64;\"); }", 702,
     ["deadlock", "threads (0, 0, 0) to (31, 0, 0) wait at barrier 1", "to (63, 0, 0) wait at barrier 2"]),
    ("", "__global__ void f(int *p) { if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 64;\");"
         " else asm volatile(\"bar.sync 1, 96;\"); }", 719, ["barrier 1 for 96 threads"]),
    ("init", "__global__ void f(int *p) { p[threadIdx.x] += 1; }", 719, ["uninitialised read", "of 256 bytes"]),
    ("race", "__global__ void f(int *p) { __shared__ int s[64]; s[threadIdx.x] = 1; p[threadIdx.x] = s[63 - threadIdx.x]; }",
     719, ["race at byte", "f::s", "no barrier since the earlier"]),
], ids=["misaligned", "divergent barriers", "different counts", "init", "race"])
def test_addresses_that_a_gpu_does_not_tolerate(run_python, check, source, code, report):
    done = run_python(RUN % source, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=check)
    first, *rest = done.stdout.splitlines()
    assert first == str(code), done.stdout + done.stderr
    for part in [*report, "kernel f: ", "block (0, 0, 0)", "PTX line ", "kernel source:1"]:
        assert part in " ".join(rest)
    assert done.returncode == 0


def test_more_memory_than_available(run_python):
    done = run_python(START + """
blocks = []
try:
    while True:
        blocks.append(drv.mem_alloc(drv.mem_get_info()[1] // 4))
except drv.MemoryError as error:
    print(error.code, len(blocks))
blocks.clear()
drv.mem_alloc(1 << 20)
""")
    code, count = done.stdout.split()
    assert code == "2" and int(count) <= 4, done.stderr
    assert done.returncode == 0


def test_compile_error(run_python):
    done = run_python(START + """
try:
    SourceModule("__global__ void f() { undeclared = 1; }")
except drv.CompileError as error:
    print(isinstance(error, drv.Error), bool(error.msg), "undeclared" in error.stderr + error.stdout, len(error.command_line) > 0)
    print("undeclared" in str(error))
""")
    assert done.stdout.splitlines() == ["True True True True", "True"], done.stderr


@pytest.mark.parametrize("call", ["cuMemAlloc", "cuStreamCreate", "cuLaunchKernel"])
def test_driver_failures_by_name(run_python, call):
    done = run_python(START + """
kernel = SourceModule("__global__ void f(int *p) { *p = 1; }").get_function("f")
try:
    memory = drv.mem_alloc(64)
    drv.Stream()
    kernel(memory, block=(1, 1, 1))
except drv.Error as error:
    print(error.routine, error.code)
""", PYCUDA_DRIVER="cpu", PYCUDA_CPU_FAULTS=f"{call}:1:719")
    assert done.stdout.split() == [call, "719"], done.stdout + done.stderr
    assert done.returncode == 0


QUOTED = START + """
module = SourceModule('''
__global__ void twice(float *x)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= 2;
}
''')
module.get_function("twice")(drv.mem_alloc(400), block=(64, 1, 1), grid=(2, 1))
"""


@pytest.mark.parametrize("waits", [True, False])
def test_a_report_names_and_quotes_the_line_once(run_python, waits):
    done = run_python(QUOTED + ("drv.Context.synchronize()\n" if waits else ""), PYCUDA_DRIVER="cpu")
    assert done.stderr.count("illegal read of 4 bytes") == 1, done.stderr
    assert "kernel source:5 `x[i] *= 2;`" in done.stderr, done.stderr
    assert "kernel.cu" not in done.stderr


def test_a_caught_report_is_not_printed(run_python):
    done = run_python(QUOTED + """
try:
    drv.Context.synchronize()
except drv.LaunchError as error:
    print(error)
""", PYCUDA_DRIVER="cpu")
    assert done.stdout.count("illegal read of 4 bytes") == 1
    assert done.stderr == ""
