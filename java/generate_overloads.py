"""Writes DriverOverloads.java: the functions of Driver that take host data, one for each type that host data has, and those that
allocate host memory, which are the same for each kind of it.

usage: generate_overloads.py out_dir
"""

import sys
from pathlib import Path

HOST_TYPES = ["boolean[]", "byte[]", "short[]", "char[]", "int[]", "long[]", "float[]", "double[]", "Object[]", "Buffer"]

# Result, name, body, documentation.
FUNCTIONS = [
    ("In", "in", "new In(host)", "A kernel argument that is copied to the device before the launch."),
    ("Out", "out", "new Out(host)", "A kernel argument that is copied back from the device after the launch."),
    ("InOut", "inOut", "new InOut(host)", "A kernel argument that is copied to the device before the launch, and back after it."),
    ("DeviceAllocation", "toDevice", "HostData.toDevice(host)", "Allocates device memory and copies {@code host} there."),
]

# Class, name, parameter, its default, documentation.
HOST_MEMORY = [
    ("PagelockedHostAllocation", "pagelocked", "memFlags", "0",
     "Page-locked memory; {@code memFlags} of {@link HostAllocFlags}, none by default (cuMemHostAlloc)."),
    ("AlignedHostAllocation", "aligned", "alignment", "4096",
     "Memory that starts at a multiple of {@code alignment} bytes, a power of two, 4096 by default."),
    ("ManagedAllocation", "managed", "memFlags", "MemAttachFlags.GLOBAL",
     "Memory that kernels take as it is; {@code memFlags} of {@link MemAttachFlags}, GLOBAL by default (cuMemAllocManaged)."),
]
# How the size is given, the size, what the documentation says of it.
SIZES = [("long n, DType dtype", "HostMemory.bytes(n, dtype)", "", "It has {@code n} elements."),
         ("CType type, long... shape", "HostMemory.bytes(type, shape)", "", "It has the elements of an array of this type and shape."),
         ("Object host", "HostMemory.bytesOf(host)", "Like", "It has the size of {@code host}, which is any host data.")]


def allocators(cls, kind, option, default, doc):
    for parameters, size, suffix, extent in SIZES:
        for contents, wrap, then in (("Empty", "{}", ""), ("Zeros", "HostMemory.zeroed({})", " Filled with zeros.")):
            for given, value in ((f", int {option}", option), ("", default)):
                if given and "..." in parameters:
                    continue
                yield f"""
    /** {doc} {extent}{then} */
    public static {cls} {kind}{contents}{suffix}({parameters}{given}) {{
        return {wrap.format(f"new {cls}({size}, {value})")};
    }}
"""


def source():
    memory = "".join(method for row in HOST_MEMORY for method in allocators(*row))
    methods = "".join(f"""
    /** {doc} */
    public static {result} {name}({host_type} host) {{
        return {body};
    }}
""" for result, name, body, doc in FUNCTIONS for host_type in HOST_TYPES)
    return f"""package org.pycuda;

import java.nio.Buffer;

/** What of {{@link Driver}} takes host data of any type, a primitive array or what remains of an NIO buffer, or allocates host memory. */
public abstract class DriverOverloads extends DriverConstants {{
    DriverOverloads() {{}}
{methods}{memory}}}
"""


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "DriverOverloads.java").write_text(source())
