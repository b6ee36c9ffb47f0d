"""A child that is forked while other threads use the device: it cannot use CUDA, and says so, but it does everything else without hanging,
whatever the threads were doing: drops the parent's objects, compiles, executes programs, and ends."""

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on Windows")
PARENT = '''
import faulthandler, gc, itertools, os, signal, sys, threading, time
import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule, compile
# Not a watchdog: a child must start no thread. If a thread of the parent was starting one, glibc 2.36 may free its stack twice.
faulthandler.enable()
faulthandler.register(signal.SIGALRM, chain=True)
signal.alarm(120 * int(os.environ.get("PYCUDA_PATIENCE", "1")))  # the parent's alone: children inherit none
drv.init()
context = drv.Device(0).make_context()
SOURCE = "__global__ void add(int *a, int k) { a[threadIdx.x] += k; }"
module = SourceModule(SOURCE)
add = module.get_function("add")
pool = drv.DeviceMemoryPool()

class Held:
    pass

def make():
    """An object of each kind."""
    held = Held()
    held.stream, held.event, held.memory, held.array = drv.Stream(), drv.Event(), drv.mem_alloc(128), gpuarray.zeros(32, np.int32)
    held.block, held.pinned = pool.allocate(128), drv.pagelocked_empty(32, np.int32)
    held.managed = drv.managed_empty(32, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL)
    held.registered = drv.register_host_memory(np.zeros(4096, np.int32))
    held.view, held.dlpack = held.array[3:], held.array.__dlpack__()
    held.graph = drv.Graph()
    held.graph.memset(held.memory, 0, 32)
    held.run = held.graph.instantiate()
    held.handler = drv.InOut(np.zeros(32, np.int32))
    held.prepared = module.get_function("add").prepare("Pi")
    held.virtual = drv.VirtualMemory(1 << 21)
    held.cycle = held
    return held

held = [make() for _ in range(5)]
stop = False

def busy(work):
    context.push()
    try:
        while not stop:
            work()
    finally:
        drv.Context.pop()

def handles():
    stream, event = drv.Stream(), drv.Event()
    event.record(stream)
    stream.wait_for_event(event)
    add(drv.mem_alloc(128), np.int32(1), block=(32, 1, 1), stream=stream)
    stream.synchronize()

def arrays():
    x = gpuarray.zeros(1000, np.int32)
    y = (x + 1) * x
    add(drv.InOut(np.zeros(32, np.int32)), np.int32(1), block=(32, 1, 1), stream=held[0].stream)
    y.get_async(stream=held[0].stream)

def functions():
    held[1].stream.add_callback(lambda: None)
    held[1].stream.synchronize()

def compiling():
    compile("// %d\\n" % time.monotonic_ns() + SOURCE, arch="compute_90", target="ptx", cache_dir=False)

def everything():
    made = make()
    made.run.launch(made.stream)
    made.stream.synchronize()

WORK = [WORKS]
threads = [threading.Thread(target=busy, args=(work,)) for work in WORK]
for thread in threads:
    thread.start()

def fork(action):
    """Status 0: `action` did what it should in a child, which then ended."""
    child = os.fork()
    if child == 0:
        action()
        return None
    deadline = time.monotonic() + 30
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGABRT)  # prints where it hangs
            os.waitpid(child, 0)
            return "hang"
        time.sleep(0.001)

def leave():
    os._exit(0)

def end():
    sys.exit(0)

def drop():
    held.clear()
    gc.collect()
    sys.exit(0)

def execute():
    os.execv("/bin/true", ["true"])

def compile_here():
    image = compile("// %d\\n" % os.getpid() + SOURCE, arch="compute_90", target="ptx", cache_dir=False)
    os._exit(not image)

CALLS = [
    lambda: drv.init(), lambda: drv.Device(0).make_context(), lambda: drv.Device(0).name(), lambda: drv.Context.synchronize(),
    lambda: context.push(), lambda: context.detach(), lambda: drv.Stream(), lambda: drv.Event(), lambda: drv.mem_alloc(10),
    lambda: drv.mem_get_info(), lambda: drv.pagelocked_empty(10, np.int32), lambda: gpuarray.zeros(10, np.int32),
    lambda: held[2].array + held[2].array, lambda: held[2].array.get(), lambda: held[2].array.fill(1), lambda: gpuarray.sum(held[2].array),
    lambda: held[2].stream.synchronize(), lambda: held[2].stream.is_done(), lambda: held[2].stream.add_callback(int),
    lambda: held[2].event.record(), lambda: held[2].event.synchronize(), lambda: held[2].memory.free(), lambda: held[2].block.free(),
    lambda: pool.allocate(10), lambda: pool.free_held(), lambda: held[2].graph.instantiate(), lambda: held[2].run.launch(),
    lambda: add(held[2].memory, np.int32(1), block=(1, 1, 1)), lambda: held[2].prepared.prepared_call((1, 1), (1, 1, 1), 0, 1),
    lambda: module.get_function("add"), lambda: SourceModule(SOURCE), lambda: held[2].virtual.free(),
    lambda: drv.memcpy_dtoh(np.zeros(32, np.int32), held[2].memory), lambda: drv.memset_d8(held[2].memory, 0, 8),
    lambda: drv.memcpy_dtoh_async(np.zeros(32, np.int32), held[2].memory, held[2].stream),
]

def call():
    for number, one in enumerate(CALLS):
        try:
            one()
        except drv.LogicError as error:
            assert "forked" in str(error), (number, error)
            continue
        except Exception as error:
            print("call", number, repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        print("call", number, "raised nothing", file=sys.stderr, flush=True)
        os._exit(1)
    repr(held[2].stream)
    sys.exit(0)

try:
    for round in range(ROUNDS):
        for action in leave, end, drop, execute, compile_here, call:
            status = fork(action)
            if status is None:
                break
            if status != 0:
                print(action.__name__, "in round", round, "ended with", status, file=sys.stderr, flush=True)
                os._exit(3)
finally:
    stop = True
for thread in threads:
    thread.join()
context.pop()
'''

WORKS = {
    "nothing": "",
    "handles": "handles, handles",
    "arrays": "arrays, arrays",
    "host functions": "functions, handles",
    "compiling": "compiling, compiling",
    "everything": "everything, handles, arrays, functions",
}


@pytest.mark.parametrize("work", WORKS)
def test_children_of_a_busy_process(run_python, work):
    rounds = 3 if work == "nothing" else 8
    # Two warnings may be: that there is no GPU, and Python's own, from 3.12 on, that a process with threads is forked.
    done = run_python(PARENT.replace("WORKS", WORKS[work]).replace("ROUNDS", str(rounds)), PYTHONWARNINGS="ignore")
    assert (done.returncode, done.stderr) == (0, "")
