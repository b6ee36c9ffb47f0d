"""Long runs after which memory must be as before: python soak.py [ROUNDS], a million by default. Exits with 1 when something grows.

PYCUDA_DRIVER picks the driver. Java's counterpart is Soak.java; ./dev soak runs both.
"""

import functools
import gc
import queue
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import numpy as np  # noqa: E402
import pycuda.driver as drv  # noqa: E402
import pycuda.gpuarray as gpuarray  # noqa: E402
from kernels import SCALE  # noqa: E402
from pycuda import _driver  # noqa: E402

LAUNCHING, COMPUTING = 8, 4  # threads
#: Kinds that live on: a function's launch graphs, of which there are at most 32, last as long as the function and the stream.
ENDLESS = ("context", "launch graph")
MIB = 1 << 20
#: How much the process may grow after the first fifth, in bytes: the host's allocators keep memory that threads have freed.
HOST_SLACK, DEVICE_SLACK = 48 * MIB, 16 * MIB


def measure():
    """({kind: live handles}, bytes of the process, bytes of the device) once everything has been released."""
    deadline = time.monotonic() + 10
    while True:
        gc.collect()
        drv.Context.synchronize()
        drv.DeviceMemoryPool.of_current_context().free_held()
        handles = {kind: count for kind, _, count, _ in _driver._live_objects(False) if kind not in ENDLESS}
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
        free, total = drv.mem_get_info()
        if sum(handles.values()) <= measure.least or time.monotonic() > deadline:
            return handles, resident, total - free
        time.sleep(0.01)


measure.least = 0


def in_threads(context, count, work):
    """Runs work(number) in this many threads with the context current. Raises the exception of the first one that failed."""
    errors = []

    def run(number):
        context.push()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def soak(name, rounds, context, work):
    """Runs work(rounds) for a fifth of the rounds, measures, runs the rest, and measures again."""
    start = time.monotonic()
    work(rounds // 5)
    handles, resident, used = measure()
    work(rounds - rounds // 5)
    handles_after, resident_after, used_after = measure()
    print(f"{name}: {rounds} rounds, {time.monotonic() - start:.1f} s; handles {handles} -> {handles_after}, "
          f"process {resident / MIB:.0f} -> {resident_after / MIB:.0f} MiB, device {(used_after - used) / MIB:+.1f} MiB", flush=True)
    more = {"handles": (sum(handles_after.values()) - sum(handles.values()), 0), "process": (resident_after - resident, HOST_SLACK),
            "device memory": (used_after - used, DEVICE_SLACK)}
    grown = [what for what, (by, slack) in more.items() if by > slack]
    if grown:
        raise SystemExit(f"{name}: {', '.join(grown)} grew")


def launches(context, function):
    """Allocate, copy, launch, free: plain and pooled memory in turn, with a stream for each thread."""
    pool = drv.DeviceMemoryPool.of_current_context()

    def work(rounds):
        def run(number):
            stream, host = drv.Stream(), np.full(64, number, np.float32)
            for k in range(rounds // LAUNCHING):
                memory = pool.allocate(256) if k % 2 else drv.mem_alloc(256)
                drv.memcpy_htod(memory, host)
                function(memory, np.float32(2), np.int32(64), block=(64, 1, 1), stream=stream if k % 3 else None)
                if k % 3:
                    stream.synchronize()
                if k % 4:
                    memory.free()

        in_threads(context, LAUNCHING, run)

    return work


def temporaries(context):
    """Results of operators on arrays, half of them dropped by another thread."""

    def work(rounds):
        dropped = queue.SimpleQueue()

        def drop():
            while dropped.get() is not None:
                pass

        dropper = threading.Thread(target=drop)  # without a context
        dropper.start()

        def run(number):
            a, b = gpuarray.arange(1024, dtype=np.float32), gpuarray.zeros(1024, np.float32)
            for k in range(rounds // COMPUTING):
                c = a + b
                if k % 2:
                    dropped.put(c)
                if k % 4096 == 0:
                    drv.Context.synchronize()

        in_threads(context, COMPUTING, run)
        dropped.put(None)
        dropper.join()

    return work


def host_functions(context):
    """Functions in streams of threads that end soon: their references come back from threads that are not Python's."""
    each = 20

    def run(number):
        stream, called = drv.Stream(), []
        for k in range(each):
            stream.add_callback(functools.partial(called.append, k))
        stream.synchronize()
        assert called == list(range(each))

    def work(rounds):
        for _ in range(max(rounds // (COMPUTING * each), 1)):
            in_threads(context, COMPUTING, run)

    return work


def garbage(context):
    """Memory in reference cycles, which the collector frees."""

    def work(rounds):
        for _ in range(rounds):
            cycle = [drv.mem_alloc(4096)]
            cycle.append(cycle)

    return work


def ended_contexts(device):
    """A context that ends while its arrays, memory, streams and modules are alive."""

    def work(rounds):
        for _ in range(rounds):
            context = device.make_context()
            alive = [gpuarray.arange(100, dtype=np.float32), drv.mem_alloc(100), drv.Stream(), drv.Event(),
                     drv.module_from_buffer(SCALE.encode()), drv.pagelocked_empty(100, np.float32)]
            alive.append(alive[0] + 1)
            context.detach()
            try:
                alive[0] + 1
                raise AssertionError("an array of a context that has ended computes")
            except drv.LogicError:
                pass
            del alive, context

    return work


AT_EXIT = """
import random, sys, threading, warnings
warnings.simplefilter("ignore")
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
a = gpuarray.arange(100, dtype=np.float32)
kept = [a, a + 1, a[::2], drv.mem_alloc(64), drv.Stream(), drv.pagelocked_empty(4, np.int32), a.sum()]
random.seed(int(sys.argv[1]))
random.shuffle(kept)
cycle = [kept[0]]
cycle.append(cycle)
for number, thing in enumerate(kept):
    globals()[f"kept_{number}"] = thing
def compute(context):
    context.push()
    while True:
        a + a
threading.Thread(target=compute, args=(pycuda.autoinit.context,), daemon=True).start()
"""


def exits(count):
    """Processes that end with all objects alive, in various orders, and with a computing thread."""
    start = time.monotonic()
    for seed in range(count):
        done = subprocess.run([sys.executable, "-c", AT_EXIT, str(seed)], capture_output=True, text=True, timeout=120)
        if done.returncode or done.stderr:
            raise SystemExit(f"exit with everything alive, order {seed}: {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"exit with everything alive: {count} orders, {time.monotonic() - start:.1f} s", flush=True)


def main():
    rounds = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    warnings.simplefilter("ignore")
    drv.init()
    device = drv.Device(0)
    context = device.make_context()
    function = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    measure.least = 1  # the module
    soak("allocate, copy, launch, free", rounds, context, launches(context, function))
    soak("temporaries of arrays", rounds, context, temporaries(context))
    soak("host functions", rounds, context, host_functions(context))
    soak("memory in cycles", rounds, context, garbage(context))
    soak("contexts that end early", max(rounds // 20_000, 5), context, ended_contexts(device))
    exits(max(2, min(8, rounds // 100_000)))
    del function
    context.pop()


main()
