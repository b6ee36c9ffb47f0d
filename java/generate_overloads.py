"""Writes DriverOverloads.java: the functions of Driver that take host data, one for each type that host data has.

usage: generate_overloads.py out_dir
"""

import sys
from pathlib import Path

HOST_TYPES = ["byte[]", "short[]", "char[]", "int[]", "long[]", "float[]", "double[]", "Buffer"]

# Result, name, body, documentation.
FUNCTIONS = [
    ("In", "in", "new In(host)", "A kernel argument that is copied to the device before the launch."),
    ("Out", "out", "new Out(host)", "A kernel argument that is copied back from the device after the launch."),
    ("InOut", "inOut", "new InOut(host)", "A kernel argument that is copied to the device before the launch, and back after it."),
    ("DeviceAllocation", "toDevice", "HostData.toDevice(host)", "Allocates device memory and copies {@code host} there."),
]


def source():
    methods = "".join(f"""
    /** {doc} */
    public static {result} {name}({host_type} host) {{
        return {body};
    }}
""" for result, name, body, doc in FUNCTIONS for host_type in HOST_TYPES)
    return f"""package org.pycuda;

import java.nio.Buffer;

/** What of {{@link Driver}} takes host data of any type: a primitive array, or what remains of an NIO buffer. */
public abstract class DriverOverloads extends DriverConstants {{
    DriverOverloads() {{}}
{methods}}}
"""


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "DriverOverloads.java").write_text(source())
