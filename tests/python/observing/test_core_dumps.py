"""Core dumps: their settings, what the CPU device writes, and functions that hear of them."""

import gc
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver

pytestmark = pytest.mark.skipif(drv.get_driver_version() < 12050, reason="the driver has no core dumps")
FLAG = drv.core_dump_flag

#: A kernel that writes out of bounds; %s: settings of the process.
FAULT = """
import sys
import numpy as np, pycuda.autoinit, pycuda.driver as drv
from pycuda.compiler import SourceModule
%s
kernel = SourceModule("__global__ void far(int *x) { x[1 << 28] = 1; }").get_function("far")
x = drv.mem_alloc(16)
kernel(x, block=(1, 1, 1))
try:
    drv.Context.synchronize()
except drv.Error as failure:
    print("error", failure.code)
print("goes on", flush=True)
"""
ENABLED = """
dumps = drv.CoreDumps()
dumps.file = sys.argv[1]
dumps.enabled = True
"""
NO_ABORT = ENABLED + "dumps.flags = drv.core_dump_flag.SKIP_ABORT | drv.core_dump_flag.SKIP_GLOBAL_MEMORY\n"


def run(settings, *arguments):
    return subprocess.run([sys.executable, "-c", FAULT % settings, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def test_settings_of_the_process_are_restored(is_cpu_device, tmp_path):
    before = drv.CoreDumps()
    seen = before.enabled, before.file, before.flags, before.user_trigger, before.pipe
    assert seen[:4] == (False, seen[1], 0, False)
    for name in (seen[1], seen[4]):
        assert str(os.getpid()) in name or not is_cpu_device and name == ""  # an H200's driver (580) has chosen none yet
    with drv.CoreDumps() as dumps:
        dumps.file = tmp_path / "first"
        dumps.file = str(tmp_path / "second")
        dumps.flags = FLAG.SKIP_ABORT | FLAG.SKIP_SHARED_MEMORY
        assert drv.CoreDumps().file == str(tmp_path / "second")
        assert drv.CoreDumps().flags == 0x14
    after = drv.CoreDumps()
    assert (after.enabled, after.file, after.flags, after.user_trigger, after.pipe) == seen


def test_an_exception_restores_them_too():
    with pytest.raises(ZeroDivisionError), drv.CoreDumps() as dumps:
        dumps.flags = FLAG.LIGHTWEIGHT
        1 / 0
    assert drv.CoreDumps().flags == 0


def test_a_contexts_settings_take_precedence(context, is_cpu_device, tmp_path):
    own = drv.CoreDumps(context)
    with drv.CoreDumps() as dumps:
        dumps.flags = FLAG.SKIP_ABORT
        before = own.flags
        assert before == FLAG.SKIP_ABORT or not is_cpu_device  # an H200's context does not follow (driver 580)
        own.flags = FLAG.SKIP_ABORT | FLAG.SKIP_LOCAL_MEMORY
        assert (own.flags, dumps.flags) == (0x18, 0x10)
        own.restore()
        own.restore()
        assert own.flags == before


def test_a_context_that_ends_needs_no_restoring(device):
    context = device.make_context()
    dumps = drv.CoreDumps(context)
    dumps.flags = FLAG.SKIP_ABORT
    context.detach()
    dumps.restore()
    with pytest.raises(drv.LogicError):
        dumps.flags  # noqa: B018


def test_what_only_the_process_has(context):
    for name, value in (("user_trigger", False), ("pipe", "a pipe")):
        with pytest.raises(drv.Error, match="only the process's can be set"):
            setattr(drv.CoreDumps(context), name, value)


def test_wrong_values(is_cpu_device):
    dumps = drv.CoreDumps()
    with pytest.raises(ValueError, match="at most 1,023 bytes, given 1024"):
        dumps.file = "x" * 1024
    for name, value in (("file", 3), ("file", None), ("flags", "x"), ("pipe", 1.5)):
        with pytest.raises((TypeError, ValueError)):
            setattr(dumps, name, value)
    if is_cpu_device:
        for name, value in (("flags", 1 << 20), ("flags", FLAG.GZIP_COMPRESS), ("user_trigger", True), ("file", "")):
            with pytest.raises(drv.Error):
                setattr(dumps, name, value)


def test_needs_no_gpu_to_be_written(is_cpu_device, tmp_path):
    if not is_cpu_device:
        pytest.skip("a GPU's dumps are for cuda-gdb")
    ended = run(NO_ABORT, tmp_path / "dump")
    assert ended.stdout.split() == ["error", "700", "goes", "on"], ended.stderr
    text = (tmp_path / "dump").read_text(encoding="utf-8")
    assert text.startswith("core dump of the CPU device\nprocess ") and "\ndevice 0\n" in text and "error 700" in text and "far" in text


def test_the_process_ends_unless_flags_say_otherwise(is_cpu_device, tmp_path):
    if not is_cpu_device:
        pytest.skip("a GPU's dumps are for cuda-gdb")
    ended = run(ENABLED, tmp_path / "dump")
    assert ended.returncode == (3 if sys.platform == "win32" else -signal.SIGABRT) and "goes on" not in ended.stdout
    assert "core dumps are enabled" in ended.stderr
    assert (tmp_path / "dump").exists()
    assert run("").returncode == 0


def test_only_the_contexts_own_kernels(is_cpu_device, tmp_path):
    if not is_cpu_device:
        pytest.skip("a GPU's dumps are for cuda-gdb")
    settings = NO_ABORT.replace("drv.CoreDumps()", "drv.CoreDumps(other)")
    other = "other = drv.Device(0).make_context()\n"
    assert run(other + settings + "other.pop()\n", tmp_path / "dump").returncode == 0
    assert not (tmp_path / "dump").exists()
    assert run(other + settings, tmp_path / "dump").returncode == 0
    assert (tmp_path / "dump").exists()


# ---- functions that hear of them

LISTENERS = NO_ABORT + """
import os
def heard(name):
    def listener(pid, device):
        sys.stdout.write(f"{name} {pid == os.getpid()} {device} {os.path.exists(sys.argv[1])}\\n")  # whole, beside the main thread's
        sys.stdout.flush()
    return listener
start, complete = drv.CoreDumps.on_start(heard("start")), drv.CoreDumps.on_complete(heard("complete"))
gone = drv.CoreDumps.on_start(heard("gone"))
gone.unregister()
with drv.CoreDumps.on_start(heard("gone")):
    pass
bad = drv.CoreDumps.on_start(lambda pid: None)
nested = drv.CoreDumps.on_start(lambda pid, device: gone.unregister())
"""


@pytest.fixture
def listeners():
    if drv.get_driver_version() < 13020 and not drv.driver_info().is_cpu_device:
        pytest.skip("the driver calls no functions")


def test_listeners(is_cpu_device, listeners, tmp_path):
    if not is_cpu_device:
        pytest.skip("a GPU's dumps are for cuda-gdb")
    ended = run(LISTENERS, tmp_path / "dump")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()  # the listeners are called on the stream's thread, while the main thread sees the error
    heard = [line for line in lines if line.startswith(("start", "complete", "gone"))]
    assert heard == ["start True 0 False", "complete True 0 True"]
    assert [line for line in lines if line not in heard] == ["error 700", "goes on"]
    assert "Exception ignored" in ended.stderr and "TypeError" in ended.stderr and "LogicError" in ended.stderr


def test_registrations_end_with_their_objects(listeners):
    before = _driver._live_handles("driver callback")
    listener = drv.CoreDumps.on_complete(print)
    assert listener.is_registered and _driver._live_handles("driver callback") == before + 1
    listener.unregister()
    assert not listener.is_registered and _driver._live_handles("driver callback") == before
    with pytest.raises(drv.LogicError, match="driver callback was closed"):
        listener.unregister()
    drv.CoreDumps.on_start(print)
    gc.collect()
    assert _driver._live_handles("driver callback") == before


def test_an_older_driver_says_which_version_has_them():
    if drv.get_driver_version() >= 13020 or drv.driver_info().is_cpu_device:
        pytest.skip("the driver has them")
    with pytest.raises(drv.RuntimeError, match="13.2"):
        drv.CoreDumps.on_start(print)


def test_only_functions_are_registered():
    for listener in (None, 3, "x"):
        with pytest.raises(TypeError, match="expected a function"):
            drv.CoreDumps.on_start(listener)


# ---- budgets of memory

BUDGET = """
import time
import pycuda.autoinit, pycuda.driver as drv
heard = []
listener = drv.Device(0).on_over_budget(heard.append)
small = drv.mem_alloc(1 << 19)
time.sleep(0.1)
assert heard == [], heard
large = drv.mem_alloc(1 << 21)
for _ in range(200):
    if heard: break
    time.sleep(0.02)
print(len(heard), heard[0] > 0)
listener.unregister()
large.free()
large = drv.mem_alloc(1 << 21)
time.sleep(0.1)
print(len(heard))
"""


def test_over_budget(is_cpu_device):
    if not is_cpu_device:
        pytest.skip("this sets a budget of the CPU device")
    ended = subprocess.run([sys.executable, "-c", BUDGET], capture_output=True, text=True, timeout=300,
                           env=os.environ | {"PYCUDA_CPU_BUDGET": "2M"})
    assert ended.stdout.split() == ["1", "True", "1"], ended.stderr


def test_nobody_hears_without_a_budget(context, device, is_cpu_device):
    if not is_cpu_device:
        pytest.skip("a GPU's system may have no budgets")
    heard = []
    with device.on_over_budget(heard.append):
        memory = drv.mem_alloc(1 << 24)
        drv.memset_d8(memory, 0, 1 << 24)
        time.sleep(0.05)
    assert heard == []
    with pytest.raises(TypeError, match="on_over_budget: expected a function of a number, not int"):
        device.on_over_budget(3)


def test_numpy_numbers_are_flags():
    with drv.CoreDumps() as dumps:
        dumps.flags = np.int32(FLAG.SKIP_ABORT)
        assert dumps.flags == 0x10
