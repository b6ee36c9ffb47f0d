package org.pycuda;

import java.util.Objects;

/** The core's functions on arrays, by their names there. */
final class CoreCalls {
    private CoreCalls() {}

    /** With one result, on the stream of the first array. */
    static GPUArray one(String name, long[] numbers, GPUArray... arrays) {
        return all(name, numbers, arrays)[0];
    }

    static GPUArray one(String name, GPUArray... arrays) {
        return one(name, new long[0], arrays);
    }

    static GPUArray[] all(String name, long[] numbers, GPUArray... arrays) {
        long[] handles = new long[Objects.requireNonNull(arrays, "arrays").length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = Objects.requireNonNull(arrays[i], "array").handle();
        }
        Stream stream = arrays[0].stream();
        StreamJoin.before(stream, arrays);
        CType type = arrays[0].dtype() instanceof StructType struct ? struct : null;
        GPUArray[] results = GPUArray.made(ArrayCalls.arrayCall(name, handles, numbers, GPUArray.handle(stream)), stream, type);
        StreamJoin.after(stream, arrays);
        return results;
    }

    static long flag(boolean value) {
        return value ? 1 : 0;
    }
}
