package org.pycuda.arguments;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.function.Supplier;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.DevicePointer;

/** The value that is passed for a parameter that takes memory, how to read its bytes afterwards (null: they cannot be read), and what keeps it alive. */
record Memory(Object value, Supplier<byte[]> read, Object... owners) {
    static Memory of(Object value) {
        return new Memory(value, null);
    }

    /** At a device address. */
    static Memory at(Object value, long address, int size, Object... owners) {
        return new Memory(value, () -> peek(address, size), owners);
    }

    static Memory host(Object value, Object... owners) {
        return new Memory(value, () -> bytes(value), owners);
    }

    static byte[] peek(long address, int size) {
        return Driver.fromDevice(DevicePointer.of(address), size, byte[].class);
    }

    /** The elements of an array of arrays, row by row. */
    private static byte[] rows(Object[] rows) {
        var all = new java.io.ByteArrayOutputStream();
        for (Object row : rows) {
            all.writeBytes(bytes(row));
        }
        return all.toByteArray();
    }

    /** The bytes of an array, of a buffer's remaining elements, or of device memory. */
    static byte[] bytes(Object value) {
        if (value instanceof GPUArray array) {
            return peek(array.pointer(), (int) array.nbytes());
        } else if (value instanceof org.pycuda.DeviceAllocation memory) {
            return peek(memory.pointer(), (int) memory.size());
        }
        if (value instanceof Object[] rows) {
            return rows(rows);
        }
        Buffer buffer = asBuffer(value);
        ByteBuffer all = ByteBuffer.allocate(64 * 1024).order(ByteOrder.nativeOrder());
        for (int i = buffer.position(); i < buffer.limit(); i++) {
            put(all, buffer, i);
        }
        return java.util.Arrays.copyOf(all.array(), all.position());
    }

    private static void put(ByteBuffer all, Buffer buffer, int i) {
        if (buffer instanceof ByteBuffer bytes) {
            all.put(bytes.get(i));
        } else if (buffer instanceof ShortBuffer shorts) {
            all.putShort(shorts.get(i));
        } else if (buffer instanceof CharBuffer chars) {
            all.putChar(chars.get(i - chars.position()));
        } else if (buffer instanceof IntBuffer ints) {
            all.putInt(ints.get(i));
        } else if (buffer instanceof LongBuffer longs) {
            all.putLong(longs.get(i));
        } else if (buffer instanceof FloatBuffer floats) {
            all.putInt(Float.floatToRawIntBits(floats.get(i)));
        } else {
            all.putLong(Double.doubleToRawLongBits(((DoubleBuffer) buffer).get(i)));
        }
    }

    private static Buffer asBuffer(Object value) {
        if (value instanceof byte[] array) {
            return ByteBuffer.wrap(array);
        } else if (value instanceof short[] array) {
            return ShortBuffer.wrap(array);
        } else if (value instanceof char[] array) {
            return CharBuffer.wrap(array);
        } else if (value instanceof int[] array) {
            return IntBuffer.wrap(array);
        } else if (value instanceof long[] array) {
            return LongBuffer.wrap(array);
        } else if (value instanceof float[] array) {
            return FloatBuffer.wrap(array);
        } else if (value instanceof double[] array) {
            return DoubleBuffer.wrap(array);
        }
        return (Buffer) value;
    }
}
