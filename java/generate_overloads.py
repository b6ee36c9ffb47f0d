"""Writes the methods that take host data, one for each type: DriverOverloads.java, In.java, Out.java, InOut.java and StructuredCopyEnds.java.
DriverOverloads also has the functions that allocate host memory, which are alike for each kind of memory.

usage: generate_overloads.py out_dir
"""

import sys
from pathlib import Path

ARRAY_TYPES = ["boolean[]", "byte[]", "short[]", "char[]", "int[]", "long[]", "float[]", "double[]"]
# HostObject is host data of a type that the compiler does not know; segments.py adds MemorySegment for Java 22.
DIRECT_TYPES = ["Buffer", "HostObject"]
NESTED_TYPES = ["Object[]"]
HOST_TYPES = [*ARRAY_TYPES, *NESTED_TYPES, *DIRECT_TYPES]


def data(host_type, name="host"):
    """The object that holds the data of a parameter of this type."""
    return f"HostObject.dataOf({name})" if host_type == "HostObject" else name


# Types of host data, result, name, parameters, body, documentation.
FUNCTIONS = [
    (HOST_TYPES, "In", "in", "{} host", "new In(host)", "A kernel argument that is copied to the device before the launch."),
    (HOST_TYPES, "Out", "out", "{} host", "new Out(host)", "A kernel argument that is copied back from the device after the launch."),
    (HOST_TYPES, "InOut", "inOut", "{} host", "new InOut(host)",
     "A kernel argument that is copied to the device before the launch, and back after it."),
    (HOST_TYPES, "DeviceAllocation", "toDevice", "{} host", "HostData.toDevice({})", "Allocates device memory and copies {@code host} there."),
    (HOST_TYPES, "void", "memcpyHtod", "PointerHolderBase dest, {} host", "HostData.htod(dest, {})",
     "Copies host data to the device (cuMemcpyHtoD)."),
    (HOST_TYPES, "void", "memcpyDtoh", "{} host, PointerHolderBase src", "HostData.dtoh({}, src)",
     "Copies from the device; as many bytes as {@code host} has (cuMemcpyDtoH)."),
    (DIRECT_TYPES, "void", "memcpyHtodAsync", "PointerHolderBase dest, {} host", "HostData.htodAsync(dest, {}, null)",
     "Queues a copy of direct memory on the default stream (cuMemcpyHtoDAsync)."),
    (DIRECT_TYPES, "void", "memcpyHtodAsync", "PointerHolderBase dest, {} host, Stream stream", "HostData.htodAsync(dest, {}, stream)",
     "Queues a copy of direct memory to the device (cuMemcpyHtoDAsync), which stays alive until the copy is done, and must not be changed before."),
    (DIRECT_TYPES, "void", "memcpyDtohAsync", "{} host, PointerHolderBase src", "HostData.dtohAsync({}, src, null)",
     "Queues a copy into direct memory on the default stream (cuMemcpyDtoHAsync)."),
    (DIRECT_TYPES, "void", "memcpyDtohAsync", "{} host, PointerHolderBase src, Stream stream", "HostData.dtohAsync({}, src, stream)",
     "Queues a copy into direct memory (cuMemcpyDtoHAsync), which stays alive until the copy is done."),
    (HOST_TYPES, "void", "memcpyHtoa", "Array ary, long index, {} host", "HostArrays.htoa(ary, index, {})",
     "Copies host data to a one-dimensional array from byte {@code index} on."),
    (HOST_TYPES, "void", "memcpyAtoh", "{} host, Array ary, long index", "HostArrays.atoh({}, ary, index)",
     "Copies from a one-dimensional array, from byte {@code index} on, as many bytes as {@code host} has."),
    (HOST_TYPES, "Array", "matrixToArray", "{} host, int height, int width, char order", "HostArrays.matrix({0}, HostElements.typeOf({0}), height, width, order)",
     "A two-dimensional array with the elements of a matrix, given row by row with order {@code 'C'}, column by column with {@code 'F'}: "
     "{@code tex2D(x, y)} is the element of row y and column x with 'C', of row x and column y with 'F'."),
    (HOST_TYPES, "Array", "matrixToArray", "{} host, CType type, int height, int width, char order",
     "HostArrays.matrix({}, type, height, width, order)",
     "A two-dimensional array with the elements of a matrix, of this type: UINT8 of a {@code byte[]}, FLOAT16 of a {@code short[]}."),
    (NESTED_TYPES, "Array", "matrixToArray", "{} host, char order", "HostArrays.matrix({}, order)",
     "A two-dimensional array with the elements of an array of rows, such as a {@code float[][]}."),
    (NESTED_TYPES, "Array", "toArray", "{} host, char order", "HostArrays.box({}, order, false)",
     "An array of two or three dimensions with the elements of an array of arrays, that no surface is bound to."),
    (NESTED_TYPES, "Array", "toArray", "{} host, char order, boolean allowSurfaceBind", "HostArrays.box({}, order, allowSurfaceBind)",
     "An array of two or three dimensions with the elements of an array of arrays, such as a {@code float[][][]}."),
    (NESTED_TYPES, "Array", "makeMultichannel2dArray", "{} host, char order", "HostArrays.multichannel({}, order)",
     "A two-dimensional array of several channels, of the shape that an array of arrays of arrays has."),
    (HOST_TYPES, "Array", "toArray", "{} host, int[] shape, char order", "HostArrays.box({0}, HostElements.typeOf({0}), shape, order, false)",
     "An array of two or three dimensions with the elements of {@code host}, that no surface is bound to."),
    (HOST_TYPES, "Array", "toArray", "{} host, int[] shape, char order, boolean allowSurfaceBind",
     "HostArrays.box({0}, HostElements.typeOf({0}), shape, order, allowSurfaceBind)",
     "An array of two or three dimensions with the elements of {@code host}, whose shape is as in NumPy: {@code tex3D(x, y, z)} is element "
     "[z][y][x] with order {@code 'C'}. A double becomes two integers, for fp_tex_double of pycuda-helpers.hpp. With {@code allowSurfaceBind} "
     "a {@link SurfaceReference} can be bound to it; one of two dimensions is then one layer, for the 2DLayered functions."),
    (HOST_TYPES, "Array", "toArray", "{} host, CType type, int[] shape, char order, boolean allowSurfaceBind",
     "HostArrays.box({}, type, shape, order, allowSurfaceBind)",
     "An array of two or three dimensions with the elements of {@code host}, of this type."),
    (HOST_TYPES, "Array", "makeMultichannel2dArray", "{} host, int[] shape, char order", "HostArrays.multichannel({0}, HostElements.typeOf({0}), shape, order)",
     "A two-dimensional array of several channels: of (height, width, channels), or (channels, width, height) with {@code 'F'}."),
    (HOST_TYPES, "Array", "makeMultichannel2dArray", "{} host, CType type, int[] shape, char order",
     "HostArrays.multichannel({}, type, shape, order)", "A two-dimensional array of several channels of this type."),
    (ARRAY_TYPES, "{}", "fromDeviceLike", "PointerHolderBase src, {} other", "HostData.fromDeviceLike(src, other)",
     "A new array of the type and length of {@code other}, copied from the device."),
    (["ByteBuffer", "HostObject"], "RegisteredHostMemory", "registerHostMemory", "{} host", "new RegisteredHostMemory({}, 0)",
     "Page-locks direct memory, of a buffer what remains, until the result is closed or neither it nor a buffer of it is reachable "
     "(cuMemHostRegister)."),
    (["ByteBuffer", "HostObject"], "RegisteredHostMemory", "registerHostMemory", "{} host, int flags", "new RegisteredHostMemory({}, flags)",
     "Page-locks direct memory with {@code flags} of {@link MemHostRegisterFlags}, of a buffer what remains, until the result is closed or "
     "neither it nor a buffer of it is reachable (cuMemHostRegister)."),
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
# How the size is given, without and with an option after it, the size, the end of the name, its documentation.
ELEMENTS = "It has the elements of an array of this type and shape."
SIZES = [("CType type, long... shape", "CType type, long[] shape", "HostMemory.bytes(type, shape)", "", ELEMENTS),
         ("CType type, int... shape", "CType type, int[] shape", 'HostMemory.bytes(type, Shapes.of(shape, "shape"))', "", ELEMENTS),
         ("long n, DType dtype", "long n, DType dtype", "HostMemory.bytes(dtype, n)", "", "It has {@code n} elements."),
         *((f"{host_type} host", f"{host_type} host", f"HostMemory.bytesOf({data(host_type)})", "Like", "It has the size of {@code host}.")
           for host_type in HOST_TYPES)]

# Class, documentation, code before and after a launch.
HANDLERS = [
    ("In", "is copied to the device before the launch. On a stream, page-locked memory is read when the stream gets there", "copyIn(stream);",
     "// The kernel only reads it."),
    ("Out", "is copied from the device after the launch", "// The kernel only writes it.", "copyOut(stream);"),
    ("InOut", "is copied to the device before the launch and back afterwards", "copyIn(stream);", "copyOut(stream);"),
]

# The sides of structured copies, their parameter, the calls for memory there, and the check of host memory.
SIDES = [("Src", "src", "Copies from", ""), ("Dst", "dest", "Copies into", "\n        HostData.requireWritable(host);")]
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


def allocators(cls, kind, option, default, doc):
    for plain, before_option, size, suffix, extent in SIZES:
        old = "\n     * @deprecated give the type first, as everywhere else.\n     */\n    @Deprecated" if "DType" in plain else " */"
        for contents, wrap, then in (("Empty", "{}", ""), ("Zeros", "HostMemory.zeroed({})", " Filled with zeros.")):
            for parameters, value in ((f"{before_option}, int {option}", option), (plain, default)):
                yield f"""
    /** {doc} {extent}{then}{old}
    public static {cls} {kind}{contents}{suffix}({parameters}) {{
        return {wrap.format(f"new {cls}({size}, {value})")};
    }}
"""


def overloads_source():
    methods = "".join(function(host_type, *rest) for types, *rest in FUNCTIONS for host_type in types)
    memory = "".join(method for row in HOST_MEMORY for method in allocators(*row))
    return f"""package org.pycuda;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** The functions of {{@link Driver}} that take host data of any type, or allocate host memory. */
public abstract class DriverOverloads extends DriverConstants {{
    DriverOverloads() {{}}
{methods}{memory}}}
"""


def handler_source(cls, doc, before, after):
    writable = "" if cls == "In" else "\n        HostData.requireWritable(getArray());"
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
    abstract void set{side}{memory}(PointerHolderBase devptr, Object owner);

    /** {doc}. */
    public StructuredCopyEnds set{side}{memory}(PointerHolderBase devptr) {{
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
