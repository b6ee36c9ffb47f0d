"""Makes each driver call of each operation fail once, and checks the outcome.

A separate program, because its driver fails on demand (tests/faults); the argument is that library. Prints a JSON object: for
each operation its driver calls, and what was wrong.
"""

import ctypes
import gc
import json
import os
import sys
import time
import warnings
from pathlib import Path

os.environ.update(PYCUDA_DRIVER="cpu", PYCUDA_CPU_LIBRARY=sys.argv[1], PYCUDA_CPU_DEVICES="2")
sys.path.insert(0, str(Path(__file__).parents[1]))

import pycuda.driver as drv  # noqa: E402
from all_operations import OPERATIONS  # noqa: E402
from conftest import live  # noqa: E402

faults = ctypes.CDLL(sys.argv[1])
faults.faults_disarm.restype = faults.faults_failed.restype = faults.faults_locked.restype = ctypes.c_char_p

OUT_OF_MEMORY, LAUNCH_FAILED = 2, 719
CLASSES = {OUT_OF_MEMORY: drv.MemoryError, LAUNCH_FAILED: drv.LaunchError}

#: Calls whose failure need not make the operation fail, and why.
TOLERATED = {
    "cuCtxGetCurrent": "arrays and clean-up only compare with the context that they know, and take it for another one",
    "cuCtxPushCurrent": "of clean-up before a context ends, with all that is in it",
    "cuStreamQuery": "of clean-up: a stream that fails has nothing to wait for",
    "cuCtxRecordEvent": "of clean-up; and marks when a page-locked block is free again: the next wait marks it",
    "cuEventQuery": "asks whether something can be used again already; the next one asks again",
    "cuEventRecord": "without the event, the copy is waited for; a context that fails after a launch says so itself",
    "cuCtxSynchronize": "of clean-up",
    "cuGLGetDevices": "asks before clean-up whether OpenGL's context is current; if unknown, clean-up is delayed",
    "cuPointerGetAttribute": "asks whether host memory is managed; if unknown, it is not",
    "cuPointerGetAttributes": "asks whether host memory is page-locked; if unknown, it is not",
    "cuMemGetAddressRange": "asks how large another process's memory is; if unknown, it has no length",
    "cuStreamGetCaptureInfo": "asks which capture a stream takes part in, once after the capture has begun; if unknown, only its first stream is known",
    "cuFuncGetName": "names a kernel in a graph's text; if unknown, it is called ?",
    "cuThreadExchangeStreamCaptureMode": "of clean-up, which goes on: without it, a capture that another thread has just begun may become invalid, and says so",
    "cuStreamGetId": "drivers before CUDA 12 lack it: the handle takes its place",
}
#: They read the nodes' new states once the driver has updated an executable graph; if these are unknown, updates of single nodes say so.
READ_STATES = ("cuGraphGetNodes", "cuGraphGetEdges", "cuGraphNodeGetType", "cuGraphKernelNodeGetParams", "cuFuncGetParamInfo",
               "cuGraphMemsetNodeGetParams", "cuGraphMemcpyNodeGetParams")  # fmt: skip
#: The same for one operation.
TOLERATED_IN = {"ExecutableGraph.update": READ_STATES, "Graph.memcpy_nd": READ_STATES}
#: Calls that release: their failures go to the reporter of clean-up failures.
GIVES_BACK = ("Free", "Destroy", "Unload", "Unregister", "PopCurrent", "Release", "CloseMemHandle", "cuMemUnmap")


def held():
    """Counts of all live handles, and bytes of device memory. Pools are emptied first."""
    gc.collect()
    drv.DeviceMemoryPool.of_current_context().free_held()
    return live(), drv.mem_get_info()[0]


def leaks(before):
    """The counts if they remain higher than before, else None. Objects that streams keep alive are released on another thread."""
    deadline = time.monotonic() + 5
    while True:
        handles, free = now = held()
        if free >= before[1] and all(count <= before[0].get(kind, 0) for kind, count in handles.items()):
            return None
        if time.monotonic() > deadline:
            return now
        time.sleep(0.001)


def attempt(operation, state, number=0, code=0):
    """(what the operation returned, what it raised, the names of its calls, the name of the one that failed)"""
    value = error = None
    faults.faults_arm(number, code)
    try:
        value = operation(state)
    except Exception as raised:  # checked below
        error = raised.with_traceback(None)
        error.__context__ = None
    finally:
        names = faults.faults_disarm().decode().split()
    return value, error, names, faults.faults_failed().decode()


def stack():
    """The contexts of this thread, the current one first."""
    contexts = []
    while (top := drv.Context.get_current()) is not None:
        contexts.append(top)
        drv.Context.pop()
    for context in reversed(contexts):
        context.push()
    return contexts


def judge(operation, name, code, error):
    """What is wrong with the outcome of a fault in the call `name` of an operation; None if nothing is."""
    if error is None:
        fine = name in TOLERATED or name in TOLERATED_IN.get(operation, ()) or any(part in name for part in GIVES_BACK) or code == OUT_OF_MEMORY
        return None if fine else "no exception"
    if type(error) is not CLASSES[code]:
        return f"{type(error).__name__}, not {CLASSES[code].__name__}: {error}"
    if error.routine != name or error.code != code or name not in str(error):
        return f"the exception names {error.routine} {error.code}: {error}"
    return None


#: Calls that may wait for work of the context, and so for functions in streams that need the GIL.
WAITS = ("Synchronize", "cuMemFree", "cuMemHostAlloc", "cuMemHostRegister", "cuMemAlloc", "cuModuleLoad", "cuModuleUnload", "cuCtxDestroy", "cuLinkComplete", "Unregister",
         "CtxRelease", "Unmap", "cuArrayDestroy", "cuMipmappedArrayDestroy", "CloseMemHandle")


def waits(name):
    blocks = name.startswith("cuMemcpy") and "Async" not in name
    return name not in ("cuMemFreeAsync", "cuMemAllocAsync") and (blocks or any(part in name for part in WAITS))


def waits_with_lock():
    return {name for name in faults.faults_locked().decode().split() if waits(name)}


def locks(setup, operation):
    """The calls that wait while holding the GIL, over the whole life of what the operation needs and returns."""
    faults.faults_arm(0, 0)
    state = setup()
    value = operation(state)
    del state, value
    held()
    faults.faults_disarm()
    return sorted(waits_with_lock())


def sweep(title, setup, operation, base):
    """(the operation's calls, what was wrong). `base`: the context that is current before and after."""
    if locked := locks(setup, operation):
        return [], [f"wait while holding the GIL: {locked}"]
    problems = []

    def restore():
        while drv.Context.get_current() != base:
            drv.Context.pop()

    operation(setup())  # compiles kernels and fills caches
    before = held()
    state = setup()
    expected, error, names, _ = attempt(operation, state)
    if error is not None:
        return names, [f"fails without a fault: {error}"]
    state = None
    if more := leaks(before):
        return names, [f"without a fault: held before {before}, after {more}"]
    for number, name in enumerate(names, 1):
        for code in (LAUNCH_FAILED, OUT_OF_MEMORY) if "Alloc" in name else (LAUNCH_FAILED,):
            fault = f"{name} (call {number}) fails with {code}: "
            state = setup()
            contexts = stack()
            _, error, _, failed = attempt(operation, state, number, code)
            if error is not None and "PopCurrent" not in failed and (left := stack()) != contexts:
                problems.append(f"{fault}{failed}: the stack of contexts was {contexts}, and is {left}")
            contexts = left = None
            restore()
            if failed and (wrong := judge(title, failed, code, error)):  # some calls depend on timing
                problems.append(f"{fault}{failed}: {wrong}")
            value, error, _, _ = attempt(operation, state)
            if error is not None:
                problems.append(f"{fault}the second try raises {error!r}")
            elif value != expected:
                problems.append(f"{fault}the second try gives {value}, not {expected}")
            state = error = value = None
            restore()
            if more := leaks(before):
                problems.append(f"{fault}held before {before}, after {more}")
                before = more
    return names, problems


def main():
    warnings.simplefilter("ignore")
    drv.init()
    context = drv.Device(0).make_context()
    gc.collect()
    gc.freeze()  # makes frequent collections cheap
    chosen = sys.argv[2:] or OPERATIONS
    results = {}
    for name in chosen:
        calls, problems = sweep(name, *OPERATIONS[name], context)
        results[name] = {"calls": calls, "problems": problems}
    json.dump(results, sys.stdout)
    sys.stdout.flush()
    context.pop()


main()
