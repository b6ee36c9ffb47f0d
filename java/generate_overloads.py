"""Writes the methods that take host data, one for each type: DriverOverloads.java, In.java, Out.java, InOut.java and StructuredCopyEnds.java.

usage: generate_overloads.py out_dir
"""

import sys
from pathlib import Path

ARRAY_TYPES = ["boolean[]", "byte[]", "short[]", "char[]", "int[]", "long[]", "float[]", "double[]"]
# HostData is host data with its type and shape, or of a type that the compiler does not know; segments.py adds MemorySegment for Java 22.
DIRECT_TYPES = ["Buffer", "HostData"]
NESTED_TYPES = ["Object[]"]
HOST_TYPES = [*ARRAY_TYPES, *NESTED_TYPES, *DIRECT_TYPES]


def data(host_type, name="host"):
    """The object that holds the data of a parameter of this type."""
    return f"HostData.dataOf({name})" if host_type == "HostData" else name


# What programs call most takes each type of host data as it is. Types, result, name, parameters, body, documentation.
FUNCTIONS = [
    (HOST_TYPES, "In", "in", "{} host", "new In(host)", "A kernel argument that is copied to the device before the launch."),
    (HOST_TYPES, "Out", "out", "{} host", "new Out(host)", "A kernel argument that is copied back from the device after the launch."),
    (HOST_TYPES, "InOut", "inOut", "{} host", "new InOut(host)",
     "A kernel argument that is copied to the device before the launch, and back after it."),
    (HOST_TYPES, "DeviceAllocation", "toDevice", "{} host", "HostCopies.toDevice({})", "Allocates device memory and copies {@code host} there."),
    (HOST_TYPES, "void", "memcpyHtod", "DevicePointer dest, {} host", "HostCopies.htod(dest, {})",
     "Copies host data to the device (cuMemcpyHtoD)."),
    (HOST_TYPES, "void", "memcpyDtoh", "{} host, DevicePointer src", "HostCopies.dtoh({}, src)",
     "Copies from the device; as many bytes as {@code host} has (cuMemcpyDtoH)."),
    (DIRECT_TYPES, "void", "memcpyHtodAsync", "DevicePointer dest, {} host", "HostCopies.htodAsync(dest, {}, Stream.DEFAULT)",
     "Queues a copy of direct memory on the default stream (cuMemcpyHtoDAsync)."),
    (DIRECT_TYPES, "void", "memcpyHtodAsync", "DevicePointer dest, {} host, Stream stream", "HostCopies.htodAsync(dest, {}, stream)",
     "Queues a copy of direct memory to the device (cuMemcpyHtoDAsync), which stays alive until the copy is done, and must not be changed before."),
    (DIRECT_TYPES, "void", "memcpyDtohAsync", "{} host, DevicePointer src", "HostCopies.dtohAsync({}, src, Stream.DEFAULT)",
     "Queues a copy into direct memory on the default stream (cuMemcpyDtoHAsync)."),
    (DIRECT_TYPES, "void", "memcpyDtohAsync", "{} host, DevicePointer src, Stream stream", "HostCopies.dtohAsync({}, src, stream)",
     "Queues a copy into direct memory (cuMemcpyDtoHAsync), which stays alive until the copy is done."),
]

# Class, documentation, code before and after a launch.
HANDLERS = [
    ("In", "is copied to the device before the launch. On a stream, page-locked memory is read when the stream gets there", "copyIn(stream);",
     "// The kernel only reads it."),
    ("Out", "is copied from the device after the launch", "// The kernel only writes it.", "copyOut(stream);"),
    ("InOut", "is copied to the device before the launch and back afterwards", "copyIn(stream);", "copyOut(stream);"),
]

# The sides of structured copies, their parameter, the calls for memory there, and the check of host memory.
SIDES = [("Src", "src", "Copies from", ""), ("Dst", "dest", "Copies into", "\n        HostCopies.requireWritable(host);")]
# The kinds of memory that a side can be, with further documentation.
MEMORY = [("Host", ""), ("Unified", ", wherever its memory is")]


def function(host_type, result, name, parameters, body, doc):
    call = body.format(data(host_type))
    return f"""
    /** {doc} */
    public static {result.format(host_type)} {name}({parameters.format(host_type)}) {{
        {call if result == "void" else f"return {call}"};
    }}
"""


def overloads_source():
    methods = "".join(function(host_type, *rest) for types, *rest in FUNCTIONS for host_type in types)
    return f"""package org.pycuda;

import java.nio.Buffer;

/** The functions of {{@link Driver}} that take host data of any type. */
public abstract class DriverOverloads extends DriverConstants {{
    DriverOverloads() {{}}
{methods}}}
"""


def handler_source(cls, doc, before, after):
    writable = "" if cls == "In" else "\n        HostCopies.requireWritable(array());"
    constructors = "".join(f"""
    /** An argument with this host data. */
    public {cls}({host_type} host) {{
        super({data(host_type)});{writable}
    }}
""" for host_type in HOST_TYPES)
    return f"""package org.pycuda;

import java.nio.Buffer;

/** An array, buffer or MemorySegment that {doc}. */
public final class {cls} extends ArgumentHandler {{{constructors}
    @Override
    protected void preCall(Stream stream) {{
        {before}
    }}

    @Override
    protected void postCall(Stream stream) {{
        {after}
    }}
}}
"""


def setters_of_host_memory(side, pointer, verb, check, memory, where):
    """Methods for direct memory of each type, which call the one for an address."""
    public = "".join(f"""
    /** {verb} direct memory{where}. */
    public StructuredCopyEnds set{side}{memory}({host_type} {name}) {{
        set{side}{memory}Memory({data(host_type, name)});
        return this;
    }}
""" for host_type, name in zip(DIRECT_TYPES, ("buffer", "host")))
    return f"""
    abstract void set{side}{memory}(long {pointer}, long nbytes, Object owner);
{public}
    private void set{side}{memory}Memory(Object host) {{{check}
        HostUse use = HostUse.forEver(host);
        set{side}{memory}(use.address, use.nbytes, host);
    }}
"""


def setter_of_device_memory(side, memory, doc):
    return f"""
    abstract void set{side}{memory}(DevicePointer devptr, Object owner);

    /** {doc}. */
    public StructuredCopyEnds set{side}{memory}(DevicePointer devptr) {{
        set{side}{memory}(devptr, devptr);
        return this;
    }}
"""


def ends_source():
    methods = ""
    for side, pointer, verb, check in SIDES:
        methods += "".join(setters_of_host_memory(side, pointer, verb, check, memory, where) for memory, where in MEMORY)
        methods += setter_of_device_memory(side, "Device", f"{verb} device memory")
        methods += setter_of_device_memory(side, "Unified", f"{verb} memory that the driver locates itself")
    return f"""package org.pycuda;

import java.nio.Buffer;
import java.util.function.LongConsumer;

/** The ends of a structured copy. An end is kept alive until another one is set and all copies that were queued with it are complete. */
abstract class StructuredCopyEnds extends Proxy {{
    StructuredCopyEnds(long cPtr, boolean owned, LongConsumer delete) {{
        super(cPtr, owned, delete);
    }}
{methods}}}
"""


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "DriverOverloads.java").write_text(overloads_source())
    (folder / "StructuredCopyEnds.java").write_text(ends_source())
    for row in HANDLERS:
        (folder / f"{row[0]}.java").write_text(handler_source(*row))
