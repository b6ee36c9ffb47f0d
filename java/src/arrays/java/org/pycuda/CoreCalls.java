package org.pycuda;

import java.lang.ref.Reference;
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
        for (GPUArray array : arrays) {
            if (array.stream() != null) {
                StreamJoin.await(stream, array.stream());
            }
        }
        CType type = arrays[0].dtype() instanceof StructType struct ? struct : null;
        long[] made = ArrayCalls.arrayCall(name, handles, numbers, GPUArray.handle(stream));
        for (GPUArray array : arrays) {
            Reference.reachabilityFence(array);
            if (array.stream() != null) {
                StreamJoin.await(array.stream(), stream);
            }
        }
        GPUArray[] results = new GPUArray[made.length];
        for (int i = 0; i < made.length; i++) {
            results[i] = GPUArray.made(made[i], stream, type);
        }
        return results;
    }

    static long flag(boolean value) {
        return value ? 1 : 0;
    }
}
