"""Fixtures for all tests. They run on the driver that PYCUDA_DRIVER names, a GPU or the CPU device."""

import ctypes
import gc
import os
import re
import subprocess
import sys
import sysconfig
import time
import warnings

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver
from pycuda.tools import clear_context_caches


@pytest.fixture(scope="session", autouse=True)
def initialised_driver():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning that there is no GPU; test_init tests it
        drv.init()


@pytest.fixture(scope="session", autouse=True)
def patience():
    """A time limit: under qemu, processes that tests start may take PYCUDA_PATIENCE times as long."""
    run, times = subprocess.run, int(os.environ.get("PYCUDA_PATIENCE", "1"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "run", lambda *command, timeout=None, **options: run(*command, timeout=timeout and timeout * times, **options))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skip what needs memory that the CPU device lacks under wine, which refuses VirtualAlloc2's placeholders."""
    try:
        return (yield)
    except drv.LogicError as error:
        if sys.platform == "win32" and re.match("cu(MemCreate|IpcGetMemHandle|IpcGetEventHandle) failed: operation not supported", str(error)):
            pytest.skip(str(error))
        raise


def live():
    """Counts of the live objects, by kind."""
    return {kind: count for kind, _, count, _ in _driver._live_objects(False)}


def keeps_functions_for_ever():
    """True in CPython 3.13 without a GIL, where functions and classes become immortal once a thread was started, and with them everything
    that a test's functions refer to. 3.14 releases them."""
    return sys.version_info < (3, 14) and bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


@pytest.fixture(scope="module", autouse=True)
def nothing_leaks():
    """After each module, check that every handle it created is gone."""
    yield
    if keeps_functions_for_ever():
        return
    deadline = time.monotonic() + 10  # another thread releases what asynchronous copies keep alive
    gc.collect()
    while live() and time.monotonic() < deadline:
        time.sleep(0.01)
        gc.collect()
    assert live() == {}


@pytest.fixture
def device():
    return drv.Device(0)


def shares_contexts():
    """A GPU's driver takes 0.2 seconds for each context, one after the other for all processes: there the tests of a file share one.
    PYCUDA_TEST_SHARED_CONTEXT=1 does the same on the CPU device."""
    return bool(os.environ.get("PYCUDA_TEST_SHARED_CONTEXT")) or not drv.driver_info().is_cpu_device


def is_usable(context):
    """Whether a test left this context as it was: alive, without a fault, and not captured."""
    try:
        context.push()
    except drv.Error:
        return False
    try:
        drv.Context.synchronize()
    except drv.Error:
        return False
    finally:
        drv.Context.pop()
    return True


@pytest.fixture(scope="module")
def contexts_to_share(nothing_leaks):
    """A list of the context that the next test of this file uses. A test for which none may exist clears it."""
    contexts = []
    yield contexts
    while contexts:
        contexts[-1].push()
        clear_context_caches()
        drv.Context.pop()
        contexts.pop()


@pytest.fixture
def context(device, request, contexts_to_share):
    """A context for this test, current while it runs: a new one on the CPU device."""
    context = contexts_to_share.pop() if contexts_to_share else None
    if context:
        context.push()
    else:
        context = device.make_context()
    yield context
    request.node.funcargs.clear()  # pytest would keep those of a module's last test alive until after leaks are counted
    gc.collect()
    while drv.Context.get_current() is not None:
        drv.Context.pop()
    if shares_contexts() and is_usable(context):
        contexts_to_share.append(context)


@pytest.fixture(scope="module")
def module_context():
    """One context for all tests of a file, current while they run."""
    context = drv.Device(0).make_context()
    yield context
    clear_context_caches()
    drv.Context.pop()


@pytest.fixture(autouse=True)
def arguments_are_forgotten(request):
    """Without this, pytest would keep the arguments of a file's last test alive until after leaks are counted."""
    yield
    request.node.funcargs.clear()


@pytest.fixture
def is_cpu_device():
    return drv.driver_info().is_cpu_device


@pytest.fixture
def run_python():
    """Run a program in a separate process; keywords set environment variables, None removes one."""

    def run(code, **environment):
        env = {**os.environ, **environment}
        env = {name: value for name, value in env.items() if value is not None}
        return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)

    return run


@pytest.fixture
def resident_bytes():
    """A function that returns how much of this process's memory is resident."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("AddressSanitizer keeps freed memory")

    def on_linux():
        with open("/proc/self/statm") as numbers:
            return int(numbers.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def on_windows():
        counters = (ctypes.c_size_t * 9)()  # PROCESS_MEMORY_COUNTERS
        system = ctypes.windll.kernel32
        system.K32GetProcessMemoryInfo.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
        system.GetCurrentProcess.restype = ctypes.c_void_p
        assert system.K32GetProcessMemoryInfo(system.GetCurrentProcess(), counters, ctypes.sizeof(counters))
        return counters[2]  # WorkingSetSize

    return on_windows if sys.platform == "win32" else on_linux


@pytest.fixture
def opengl(context, is_cpu_device):
    """An OpenGL context, current beside the CUDA context."""
    import gl_program  # a library that is built only for these tests

    why_not = gl_program.start()
    if why_not and not is_cpu_device:
        pytest.skip(why_not)
    assert why_not is None
    try:
        if not is_cpu_device and "NVIDIA" not in gl_program.vendor():
            pytest.skip(f"OpenGL of {gl_program.vendor()} is not the driver's own")
        yield
        assert gl_program.error() == 0
    finally:
        gl_program.stop()


@pytest.fixture
def buffer(opengl):
    """The OpenGL name of a buffer with the floats 0 to 15."""
    import gl_program

    name = gl_program.new_buffer(np.arange(16, dtype=np.float32))
    yield name
    gl_program.delete_buffer(name)
