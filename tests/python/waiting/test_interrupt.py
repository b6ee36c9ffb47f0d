"""Ctrl-C, or any other exception from a signal handler, interrupts long waits of the main thread. The CPU device ends the kernel, and later
calls report why; a GPU continues its work."""

import _thread
import inspect
import signal
import threading
import time

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
import signals
from pycuda.compiler import SourceModule
from signals import ALARM, alarm, send

#: Runs until it is interrupted on the CPU device, and for a few seconds on a GPU.
SPIN = """
__global__ void spin(int *x, long long clocks) {
    const long long begin = clock64();
    while (clocks < 0 || clock64() - begin < clocks)
        if (((volatile int *)x)[0] == 7) return;
    x[0] = 1;
}"""
LONG = 6_000_000_000  #: clocks, three seconds and more
N = 64
LARGE = 1 << 18  #: bytes: a smaller copy to the device never waits


@pytest.fixture
def spin(context, is_cpu_device):
    """A call that starts a long kernel on `stream`; its argument is the memory to write to."""
    function = SourceModule(SPIN).get_function("spin")
    clocks = np.int64(-1 if is_cpu_device else LONG)
    return lambda x, stream=None: function(x, clocks, block=(1, 1, 1), stream=stream)


@pytest.fixture
def memory(context):
    memory = drv.mem_alloc(LARGE)
    drv.memset_d32(memory, 0, N)
    return memory


@pytest.fixture
def fault(is_cpu_device):
    """The state of a context in which an exception with this name interrupted a wait."""

    def look(name):
        if is_cpu_device:
            for _ in range(2):
                with pytest.raises(drv.LaunchError, match=f"kernel spin: ended, because the program stopped waiting for it .{name}."):
                    drv.Context.synchronize()
        else:
            drv.Context.synchronize()

    return look


def later(action, seconds=0.2):
    threading.Timer(seconds, action).start()


SIGNALS = {
    "of another process": send,
    "of another thread": lambda: signal.raise_signal(signal.SIGINT),
    "interrupt_main": _thread.interrupt_main,
}


def wait_for_event(memory, stream):
    drv.Event().record(stream).synchronize()


def copy_2d(memory, stream):
    copy = drv.Memcpy2D()
    copy.set_src_device(memory)
    copy.set_dst_host(np.empty((4, 4), np.int32))
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 16
    copy.height = 4
    copy(aligned=True)


WAITS = {
    "Event.synchronize": wait_for_event,
    "Stream.synchronize": lambda memory, stream: stream.synchronize(),
    "Context.synchronize": lambda memory, stream: drv.Context.synchronize(),
    "memcpy_dtoh": lambda memory, stream: drv.memcpy_dtoh(np.empty(N, np.int32), memory),
    "memcpy_htod": lambda memory, stream: drv.memcpy_htod(memory, np.empty(LARGE, np.uint8)),
    "from_device": lambda memory, stream: drv.from_device(memory, N, np.int32),
    "GPUArray.get": lambda memory, stream: gpuarray.GPUArray(N, np.int32, gpudata=memory).get(),
    "Memcpy2D": copy_2d,
}


def interrupted_soon(wait, *arguments):
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait(*arguments)
    assert 0.1 < time.monotonic() - begin < 2


@pytest.mark.parametrize("wait", WAITS)
def test_ctrl_c(spin, memory, fault, wait):
    stream = drv.Stream()
    spin(memory, stream)
    later(SIGNALS["of another process"])
    interrupted_soon(WAITS[wait], memory, stream)
    fault("KeyboardInterrupt")


@pytest.mark.parametrize("origin", SIGNALS)
def test_interrupts_from_every_source(spin, memory, fault, origin):
    spin(memory)
    later(SIGNALS[origin])
    interrupted_soon(drv.Context.synchronize)
    fault("KeyboardInterrupt")


@pytest.mark.parametrize("handler", [drv.Out, drv.InOut])
def test_copies_of_handlers_are_interrupted(spin, fault, handler):
    later(SIGNALS["of another process"])
    interrupted_soon(spin, handler(np.zeros(N, np.int32)))
    fault("KeyboardInterrupt")


def test_a_timed_launch(spin, memory, context, fault, is_cpu_device):
    function = SourceModule(SPIN).get_function("spin")
    later(SIGNALS["of another process"])
    interrupted_soon(lambda: function(memory, np.int64(-1 if is_cpu_device else LONG), block=(1, 1, 1), time_kernel=True))
    fault("KeyboardInterrupt")


def test_many_blocks_are_ended(context, memory, fault, is_cpu_device):
    function = SourceModule(SPIN).get_function("spin")
    function(memory, np.int64(-1 if is_cpu_device else LONG), block=(64, 1, 1), grid=(256, 1))
    later(SIGNALS["of another process"])
    interrupted_soon(drv.Context.synchronize)
    fault("KeyboardInterrupt")


def test_exceptions_of_another_handler(spin, memory, fault):
    def stop(*_):
        raise TimeoutError("enough")

    before = signal.signal(ALARM, stop)
    try:
        spin(memory)
        alarm(0.2)
        with pytest.raises(TimeoutError, match="enough"):
            drv.Context.synchronize()
    finally:
        signal.signal(ALARM, before)
    fault("TimeoutError")


def test_a_handler_that_does_not_raise(context):
    seen = []
    before = signal.signal(ALARM, lambda *_: seen.append(drv.Context.get_current() == context))
    done = threading.Event()
    try:
        stream = drv.Stream()
        stream.add_callback(lambda: (time.sleep(0.4), done.set()))
        alarm(0.1)
        stream.synchronize()
    finally:
        signal.signal(ALARM, before)
    assert done.is_set()
    assert seen == [True]


def test_functions_in_streams_continue(context):
    """Only kernels are ended: the wait for a function is interrupted, but everything that is queued still runs."""
    go_on = threading.Event()
    memory, stream = drv.mem_alloc(4 * N), drv.Stream()
    stream.add_callback(go_on.wait)
    drv.memset_d32_async(memory, 5, N, stream)
    later(SIGNALS["of another process"])
    interrupted_soon(stream.synchronize)
    later(SIGNALS["of another process"])
    interrupted_soon(drv.memcpy_dtoh, np.empty(N, np.int32), memory)
    go_on.set()
    stream.synchronize()
    assert (drv.from_device(memory, N, np.int32) == 5).all()


def test_other_threads_keep_waiting(context):
    go_on, ended = threading.Event(), []
    stream = drv.Stream()
    stream.add_callback(go_on.wait)

    def wait():
        stream.synchronize()
        ended.append(go_on.is_set())

    thread = threading.Thread(target=wait)
    thread.start()
    later(SIGNALS["of another process"])
    with pytest.raises(KeyboardInterrupt):
        time.sleep(10)
    go_on.set()
    thread.join()
    assert ended == [True]


def test_a_context_created_afterwards_is_usable(spin, memory, fault, context, device):
    spin(memory)
    later(SIGNALS["of another process"])
    interrupted_soon(drv.Context.synchronize)
    device.make_context()
    x = drv.to_device(np.arange(N, dtype=np.int32))
    SourceModule(SPIN).get_function("spin")(x, np.int64(0), block=(1, 1, 1))
    drv.Context.synchronize()
    assert drv.from_device(x, N, np.int32)[0] == 1
    drv.Context.pop()
    fault("KeyboardInterrupt")


def test_a_process_that_is_interrupted(run_python, is_cpu_device):
    """The exception ends the program and its process, like any other."""
    begin = time.monotonic()
    done = run_python(inspect.getsource(signals) + f"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
spin = SourceModule('''{SPIN}''').get_function("spin")
memory = drv.mem_alloc(4)
spin(memory, np.int64({-1 if is_cpu_device else LONG}), block=(1, 1, 1))
threading.Timer(0.2, send).start()
drv.Context.synchronize()
""")
    assert done.returncode != 0
    assert "KeyboardInterrupt" in done.stderr
    assert time.monotonic() - begin < 30


def test_a_process_that_is_interrupted_while_it_ends(run_python, is_cpu_device):
    """A process ends although a kernel runs forever."""
    if not is_cpu_device:
        pytest.skip("a GPU's kernels run to their end")
    done = run_python(inspect.getsource(signals) + f"""
import time
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
spin = SourceModule('''{SPIN}''').get_function("spin")
memory = drv.mem_alloc(4)
spin(memory, np.int64(-1), block=(1, 1, 1))
def interrupt():
    while True:
        time.sleep(0.2)
        send()
threading.Thread(target=interrupt, daemon=True).start()
time.sleep(10)
""")
    assert "KeyboardInterrupt" in done.stderr


def test_signals_reach_the_program_while_it_compiles(run_python, monkeypatch):
    """NVRTC handled them itself, and ended the process without a word."""
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    done = run_python(inspect.getsource(signals) + """
import time
import pycuda.autoinit
from pycuda.compiler import SourceModule
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append("SIGINT"))
signal.signal(signal.SIGTERM, lambda *_: seen.append("SIGTERM"))
def send_all():
    for _ in range(10):
        for number in signal.SIGINT, signal.SIGTERM:
            time.sleep(0.05)
            send(number)
sender = threading.Thread(target=send_all)
sender.start()
while sender.is_alive():
    SourceModule("#include <curand_kernel.h>\\n__global__ void f() {}", no_extern_c=True)
print(*sorted(set(seen)))
""")
    assert (done.returncode, done.stdout) == (0, "SIGINT SIGTERM\n"), done.stderr
