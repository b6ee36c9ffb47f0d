package org.pycuda;

import java.util.Objects;

/**
 * Objects with device addresses, as arguments of one call. The address of one that the program defined comes from the program's code, which may
 * close what the same call uses. Such objects are therefore settled first: a number takes their place. The library's own memory runs no code of
 * the program, and is read last: memory that was closed meanwhile is a LogicError, and its address is never used.
 */
final class Holders {
    private Holders() {}

    /** An address that never changes. */
    record Fixed(long pointer) implements DevicePointer {}

    /** A distance from memory. */
    record Shifted(DevicePointer start, long bytes) implements DevicePointer {
        @Override
        public long pointer() {
            return start.pointer() + bytes;
        }

        @Override
        public long pointerFor(Stream stream) {
            return start.pointerFor(stream) + bytes;
        }
    }

    /** Whether asking for the address runs code of the program. */
    static boolean runProgramCode(DevicePointer holder) {
        if (holder instanceof DeviceMemory || holder instanceof Fixed) {
            return false;
        } else if (holder instanceof GPUArray array) {
            return array.keeper() instanceof DevicePointer wrapped && runProgramCode(wrapped);
        }
        return !(holder instanceof Shifted shifted) || runProgramCode(shifted.start);
    }

    /** The address for work on {@code stream}. Arrays that the program's code closes stay valid for the native call that they are arguments of. */
    static long ask(DevicePointer holder, Stream stream) {
        if (!runProgramCode(holder)) {
            return holder.pointerFor(stream);
        }
        Upcalls.begin();
        try {
            long address = holder.pointerFor(stream);
            keepInGraph(holder, address, stream);
            return address;
        } finally {
            Upcalls.end();
        }
    }

    /** If the work becomes part of a graph, that keeps the memory: of a holder that the program defined, the holder. */
    private static void keepInGraph(DevicePointer holder, long address, Stream stream) {
        if (OpenCaptures.any()) {
            DriverProxy.noteMemoryOfGraph(address, stream);
            DriverProxy.noteOwnerOfGraph(holder, stream);
        }
    }

    /** The holder, or the address of one that the program defined, for work on {@code stream}. */
    static DevicePointer settled(DevicePointer holder, String name, Stream stream) {
        return runProgramCode(Objects.requireNonNull(holder, name)) ? new Fixed(ask(holder, stream)) : holder;
    }

    /** The same for use on any stream. */
    static DevicePointer settled(DevicePointer holder, String name) {
        if (!runProgramCode(Objects.requireNonNull(holder, name))) {
            return holder;
        }
        Upcalls.begin();
        try {
            long address = holder.pointer();
            keepInGraph(holder, address, Stream.DEFAULT);
            return new Fixed(address);
        } finally {
            Upcalls.end();
        }
    }

    /** A kernel's argument for which no code of the program is left to run. */
    private static Object settled(Object argument, Stream stream) {
        if (argument instanceof DevicePointer holder) {
            return settled(holder, "argument", stream);
        } else if (argument instanceof TensorMap map && map.runsProgramCode()) {
            return map.settled(stream);
        }
        return argument instanceof Record given ? StructType.of(given.getClass()).value(given) : argument;
    }

    /** A copy of a kernel's arguments in which no code of the program is left to run. */
    static Object[] settled(Object[] arguments, Stream stream) {
        Object[] settled = arguments.clone();
        for (int i = 0; i < settled.length; i++) {
            settled[i] = settled(settled[i], stream);
        }
        return settled;
    }
}
