"""PYCUDA_CPU_MODEL=integrated: a device that shares its memory with the host, like a Jetson."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import pycuda.driver as drv
drv.init()
attribute = drv.device_attribute
first, second = drv.Device(0), drv.Device(1)
for name in ("INTEGRATED", "CONCURRENT_MANAGED_ACCESS", "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST"):
    print(name, first.get_attribute(getattr(attribute, name)))
print("peers", first.can_access_peer(second))
other = second.make_context()
drv.Context.pop()
context = first.make_context()
def refused(call):
    try:
        call()
    except drv.Error as error:
        return "not supported" in str(error).lower()
    return False
print("refuses peers", refused(lambda: context.enable_peer_access(other)))
memory = drv.mem_alloc(4)
print("refuses memory handles", refused(lambda: drv.mem_get_ipc_handle(memory)))
print("refuses event handles", refused(lambda: drv.Event(drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING).ipc_handle()))
shared = drv.managed_empty(4, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL)
shared[:] = 5
drv.memcpy_htod(memory, shared[:1])
back = np.zeros(1, np.int32)
drv.memcpy_dtoh(back, memory)
print("copies", back[0])
context.pop()
context.detach()
other.detach()
"""


def run(model):
    environment = {**os.environ, "PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_DEVICES": "2", "PYCUDA_CPU_MODEL": model}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines()), done.stderr


def test_integrated():
    facts, _ = run("integrated")
    assert facts == {
        "INTEGRATED": "1", "CONCURRENT_MANAGED_ACCESS": "0", "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST": "0", "peers": "False",
        "refuses peers": "True", "refuses memory handles": "True", "refuses event handles": "True", "copies": "5"}


def test_an_unknown_model_is_reported_and_ignored():
    facts, said = run("jetson")
    assert facts["CONCURRENT_MANAGED_ACCESS"] == "1" and facts["peers"] == "True"
    assert "PYCUDA_CPU_MODEL=jetson is not integrated; ignored" in said
