"""Where In, Out and InOut allocate device memory, and how host memory of each kind is copied there and back."""

import gc
import re
import textwrap
import threading
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from gate import Gate
from kernels import SCALE
from pycuda import tools

N = 1024
START = f"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import _driver
SCALE = {SCALE!r}
scale = drv.module_from_buffer(SCALE).get_function("scale")
pool = drv.DeviceMemoryPool.of_current_context()
"""


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


@pytest.fixture
def pool(context):
    pool = drv.DeviceMemoryPool.of_current_context()
    pool.free_held()
    return pool


def launch(scale, *arguments, n=N, **options):
    scale(*arguments, np.float32(2), np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1), **options)


def calls(run_python, program, **environment):
    done = run_python(START + textwrap.dedent(program), PYCUDA_TRACE="1", **environment)
    assert done.returncode == 0, done.stderr[-3000:]
    after_loading = done.stderr[done.stderr.index("cuModuleLoad"):]
    made = re.findall(r"^\[pycuda\] (cu\w+?)(?:_v\d)?\(", after_loading, re.M)
    return [name for name in made if name != "cuStreamQuery"], done.stdout  # which waits on a GPU repeat, to detect Ctrl-C


def test_memory_comes_from_the_pool(scale, pool):
    y = np.ones(N, np.float32)
    launch(scale, drv.InOut(y))
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    for stream in (None, drv.Stream(), drv.Stream(drv.stream_flags.NON_BLOCKING)):
        launch(scale, drv.InOut(y), stream=stream)
        drv.Context.synchronize()
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    assert (y == 16).all()
    handler = drv.In(y)
    assert isinstance(handler.get_device_alloc(), drv.PooledDeviceAllocation)
    assert (pool.active_blocks, pool.active_bytes) == (1, y.nbytes)
    del handler
    assert pool.active_blocks == 0


def test_no_call_allocates_or_frees(run_python, is_cpu_device):
    made, _ = calls(run_python, """
        y = np.ones(64, np.float32)
        for _ in range(10):
            scale(drv.InOut(y), np.float32(1), np.int32(64), block=(64, 1, 1))
        drv.Context.synchronize()
        """)
    assert made.count("cuMemAlloc") == 1 and made.count("cuLaunchKernel") == 10
    launches = [i for i, name in enumerate(made) if name == "cuLaunchKernel"]
    if is_cpu_device:
        assert made[launches[0] + 1:launches[-1]] == ["cuMemcpyDtoH", "cuMemcpyHtoD", "cuLaunchKernel"] * 8 + ["cuMemcpyDtoH", "cuMemcpyHtoD"]
    # On a GPU, copies whose wait Ctrl-C can interrupt go through staging memory: one block for each direction.
    assert made.count("cuMemHostAlloc") <= 2
    assert not [name for name in made[launches[1]:launches[-1]] if name == "cuMemAlloc" or "Free" in name]


def test_handler_reused_with_a_larger_array(scale):
    handler = drv.InOut(np.ones(16, np.float32))
    launch(scale, handler, n=16)
    handler.array = np.ones(N, np.float32)
    launch(scale, handler)
    assert (handler.array == 2).all()


def test_an_empty_array(scale):
    y = np.empty(0, np.float32)
    for stream in (None, drv.Stream()):
        scale(drv.InOut(y), np.float32(2), np.int32(0), block=(32, 1, 1), stream=stream)
    drv.Context.synchronize()


def test_read_only_memory_is_rejected_before_the_launch(scale, pool):
    y, x = np.ones(N, np.float32), np.ones(N, np.float32)
    x.flags.writeable = False
    before = drv.Event().record()
    with pytest.raises(ValueError, match="read-only"):
        launch(scale, drv.InOut(x))
    before.synchronize()
    assert (y == 1).all() and pool.active_blocks == 0


def registered():
    return drv.register_host_memory(drv.aligned_zeros(N, np.float32))


PAGE_LOCKED = {"page-locked": lambda: drv.pagelocked_zeros(N, np.float32), "registered": registered,
               "managed": lambda: drv.managed_zeros(N, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL),
               "pooled": lambda: tools.PageLockedMemoryPool().allocate(N, np.float32)}


@pytest.mark.parametrize("kind", ["page-locked", "registered"])
def test_page_locked_memory_is_not_staged(scale, kind):
    """It is read in stream order."""
    y, held = PAGE_LOCKED[kind](), Gate().close()
    y[:] = 1
    result = drv.mem_alloc(y.nbytes)
    handler = drv.In(y)
    launch(scale, handler, stream=held.stream)
    drv.memcpy_dtod_async(result, handler.get_device_alloc(), y.nbytes, held.stream)
    y[:] = 3
    held.open()
    assert (drv.from_device(result, N, np.float32) == 6).all()


@pytest.mark.parametrize("kind", PAGE_LOCKED)
def test_every_kind_of_host_memory(scale, kind):
    y, stream = PAGE_LOCKED[kind](), drv.Stream()
    y[:] = 1
    launch(scale, drv.InOut(y), stream=stream)
    launch(scale, drv.InOut(y), stream=stream)
    stream.synchronize()
    assert (y == 4).all()
    launch(scale, drv.InOut(y))
    assert (y == 8).all()


def test_calls_for_page_locked_memory(run_python):
    """This thread records no event, no host function delays the stream, and nothing is staged."""
    made, _ = calls(run_python, """
        y, z = (drv.pagelocked_zeros(64, np.float32) for _ in range(2))
        stream = drv.Stream()
        two = drv.module_from_buffer(SCALE.replace(".visible .entry scale(", ".visible .entry scale(.param .u64 other, ")).get_function("scale")
        two(drv.In(z), drv.InOut(y), np.float32(1), np.int32(64), block=(64, 1, 1), stream=stream)
        stream.synchronize()
        """)
    assert "cuEventRecord" not in made and "cuLaunchHostFunc" not in made
    assert made.count("cuMemcpyHtoDAsync") == 2 and made.count("cuMemcpyDtoHAsync") == 1
    assert made.count("cuMemHostAlloc") == 2, "the calls for the arrays"


def test_a_partially_registered_array_is_staged(scale):
    y = drv.aligned_zeros(4096, np.float32)
    y[:] = 1
    half, stream = drv.register_host_memory(y[:1024]), drv.Stream()
    launch(scale, drv.InOut(y), n=4096, stream=stream)
    stream.synchronize()
    assert (y == 2).all()
    del half


def test_page_locked_memory_is_kept_alive_until_the_stream_is_done(scale):
    held = Gate().close()
    y = drv.pagelocked_zeros(N, np.float32)
    gone = weakref.ref(y)
    launch(scale, drv.In(y), stream=held.stream)
    launch(scale, drv.Out(y), stream=held.stream)
    del y
    gc.collect()
    assert gone() is not None
    held.open()
    deadline = threading.Event()
    for _ in range(1000):
        if gone() is None:
            break
        drv.Event().record().synchronize()
        deadline.wait(0.01)
    assert gone() is None


def test_another_stream_waits_for_reused_memory(scale, pool):
    """The block of the first launch is reused, and copied to, only when the first stream is done with it."""
    held, other = Gate().close(), drv.Stream(drv.stream_flags.NON_BLOCKING)
    x, y = np.full(N, 5, np.float32), np.ones(N, np.float32)
    launch(scale, drv.InOut(x), stream=held.stream)
    assert pool.held_blocks == 1
    launch(scale, drv.InOut(y), stream=other)
    assert pool.held_blocks == 1 and not other.is_done()
    held.open()
    other.synchronize()
    assert (x == 10).all() and (y == 2).all()


SECOND_FAILS = """
    first, second = bytearray(256), bytearray(256)
    two = drv.module_from_buffer(SCALE.replace(".visible .entry scale(", ".visible .entry scale(.param .u64 other, ")).get_function("scale")
    stream = drv.Stream() if STREAM else None
    for _ in range(2):
        try:
            two(drv.InOut(first), drv.InOut(second), np.float32(1), np.int32(64), block=(64, 1, 1), stream=stream)
            print("done")
        except drv.Error as error:
            print(type(error).__name__, error.routine, pool.active_blocks)
    drv.Context.synchronize()
    import time; time.sleep(0.1)
    _driver._pooled(1)  # drops what came back
    first.extend(b"more")
    second.extend(b"more")
    print(pool.active_blocks, pool.held_blocks)
"""


@pytest.mark.parametrize("stream", [False, True], ids=["default", "stream"])
@pytest.mark.parametrize("call, number", [("cuMemcpyHtoD", 2), ("cuMemcpyDtoH", 2), ("cuLaunchKernel", 1), ("cuMemAlloc", 2)])
def test_a_failure_in_the_middle_leaks_nothing(run_python, stream, call, number):
    name = call + "Async" if stream and "cpy" in call else call
    code = 2 if call == "cuMemAlloc" else 1
    faults = f"{name}:{number}:{code}"
    if call == "cuMemAlloc":
        faults += f",{name}:3:{code},{name}:4:{code}"
    done = run_python(START + f"STREAM = {stream}\n" + textwrap.dedent(SECOND_FAILS), PYCUDA_CPU_FAULTS=faults, PYCUDA_DRIVER="cpu")
    assert done.returncode == 0, done.stderr[-3000:]
    kind = "MemoryError" if code == 2 else "LogicError"
    assert done.stdout.splitlines()[:2] == [f"{kind} {name} 0", "done"], done.stdout
    assert done.stdout.splitlines()[2].startswith("0 "), done.stdout


def test_out_of_memory_releases_the_held_blocks(run_python):
    """Before the garbage collection, after which the driver is asked once more."""
    made, out = calls(run_python, """
        big, small = np.zeros(1 << 18, np.float32), np.ones(64, np.float32)
        scale(drv.InOut(big), np.float32(1), np.int32(1), block=(64, 1, 1))
        print(pool.held_blocks)
        scale(drv.InOut(small), np.float32(2), np.int32(64), block=(64, 1, 1))
        print(pool.held_blocks, small.sum())
        """, PYCUDA_CPU_FAULTS="cuMemAlloc:2:2,cuMemAlloc:3:2", PYCUDA_DRIVER="cpu")
    assert out.split() == ["1", "1", "128.0"]
    assert [name for name in made if name.startswith("cuMem") and "cpy" not in name] == ["cuMemAlloc"] * 2 + ["cuMemFree"] + ["cuMemAlloc"] * 2 + ["cuMemFree"]


def test_a_buffer_cannot_be_resized_during_the_launch(scale):
    """The buffer is exported during the whole call, even while Python code of other arguments runs."""
    y = bytearray(4 * N)

    class Resizes(drv.ArgumentHandler):
        def pre_call(self, stream):
            y.extend(b"more")

    module = drv.module_from_buffer(SCALE.replace(".visible .entry scale(", ".visible .entry scale(.param .u64 other, "))
    with pytest.raises(BufferError):
        launch(module.get_function("scale"), Resizes(np.zeros(1, np.float32)), drv.InOut(y))
    y.extend(b"more")


def test_methods_of_subclasses_copy_like_the_base_classes(scale):
    seen = []

    class Logged(drv.InOut):
        def pre_call(self, stream):
            seen.append(stream)
            super().pre_call(stream)

    held, y, z = Gate().close(), np.ones(N, np.float32), drv.pagelocked_zeros(N, np.float32)
    z[:] = 1
    for array in (y, z):
        launch(scale, Logged(array), stream=held.stream)
    assert seen == [held.stream] * 2
    held.open()
    assert (y == 2).all() and (z == 2).all()
    launch(scale, Logged(y))
    assert (y == 4).all()
