package org.pycuda;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/** The core's functions on arrays, by their names there (calls.cpp). */
final class CoreCalls {
    /** The core's numbers of these functions: a look-up by name there, and the conversion of the text, would cost as much as a short call. */
    private static final Map<String, Integer> NUMBERS = new ConcurrentHashMap<>();

    private CoreCalls() {}

    private static int number(String name) {
        Integer known = NUMBERS.get(name);
        return known != null ? known : NUMBERS.computeIfAbsent(name, ArrayCalls::arrayCallNumber);
    }

    /** With one result, on the stream of the first array. */
    static GPUArray one(String name, long[] numbers, GPUArray... arrays) {
        return all(name, numbers, arrays)[0];
    }

    static GPUArray one(String name, GPUArray... arrays) {
        return one(name, new long[0], arrays);
    }

    static GPUArray[] all(String name, long[] numbers, GPUArray... arrays) {
        Stream stream = arrays.length == 0 ? Stream.DEFAULT : Objects.requireNonNull(arrays[0], "array").stream();
        long[] made = handles(name, numbers, stream, arrays);
        return GPUArray.made(made, stream, arrays[0].dtype() instanceof StructType struct ? struct : null);
    }

    /** A reduction along these axes with a result of this type. */
    static GPUArray along(Axis axis, DType type, String name, GPUArray array) {
        return one(name, new long[] {axis.mask(array.ndim()), flag(axis.keep), type.value()}, array);
    }

    /** Writes to the first array, which is returned. */
    static GPUArray into(Stream stream, String name, GPUArray... arrays) {
        handles(name, new long[0], stream, arrays);
        return arrays[0];
    }

    /** The C++ arrays that it makes, on a stream that is ordered with those of the arrays. */
    static long[] handles(String name, long[] numbers, Stream stream, GPUArray... arrays) {
        long[] handles = new long[arrays.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = Objects.requireNonNull(arrays[i], "array").handle();
        }
        StreamJoin.before(stream, arrays);
        long[] made = ArrayCalls.arrayCall(number(name), handles, numbers, GPUArray.handle(stream));
        try {
            StreamJoin.after(stream, arrays);
            return made;
        } catch (Throwable failure) {
            for (long array : made) {
                ArrayCalls.arrayDelete(array);
            }
            throw failure;
        }
    }

    /** Two lists of numbers in one, as the core reads them. */
    static long[] lists(long[] first, long[] second) {
        return LongStream.concat(LongStream.of(first.length), LongStream.concat(Arrays.stream(first), Arrays.stream(second))).toArray();
    }

    static long flag(boolean value) {
        return value ? 1 : 0;
    }
}
