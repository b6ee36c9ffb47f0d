package org.pycuda;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Code of the program that the library runs while it holds addresses: it closes or drops everything it can reach, and lets others have the memory.
 * Their memory must be neither written nor read.
 */
public final class Hostile {
    /** What others have in their memory. */
    public static final byte CANARY = 0x5A;
    private static final int OTHERS = 4;

    private final Runnable attack;
    private final List<DeviceAllocation> others = new ArrayList<>();
    private final List<GPUArray> otherArrays = new ArrayList<>();
    private final int size;
    private boolean armed;
    private boolean attacked;

    /** {@code attack} ends memory of {@code size} bytes. */
    public Hostile(int size, Runnable attack) {
        this.size = size;
        this.attack = attack;
    }

    /** From here on: before, the code is called to make what it is part of. */
    public void arm() {
        armed = true;
    }

    /** Called by whatever code of the program this stands for. Attacks once. */
    public void run() {
        if (!armed) {
            return;
        }
        armed = false;
        attacked = true;
        attack.run();
        for (int i = 0; i < OTHERS; i++) {
            var other = Driver.memAlloc(size);
            Driver.memsetD8(other, CANARY, size);
            others.add(other);
            var array = GPUArray.empty(DType.UINT8, size);
            array.fill(CANARY);
            otherArrays.add(array);
        }
    }

    public boolean hasAttacked() {
        return attacked;
    }

    /** A holder of {@code memory} with this code. */
    public DevicePointer holder(DevicePointer memory) {
        return new DevicePointer() {
            @Override
            public long pointer() {
                run();
                return memory.pointer();
            }

            @Override
            public long pointerFor(Stream stream) {
                run();
                return memory.pointerFor(stream);
            }
        };
    }

    /** An allocator with this code. */
    public Allocator allocator() {
        return nbytes -> {
            run();
            return Driver.memAlloc(nbytes);
        };
    }

    /** A list with this code, which makes its elements on demand: {@code elements} once. */
    public <T> List<T> list(List<T> elements) {
        return new AbstractList<>() {
            private final List<T> left = new ArrayList<>(elements);

            @Override
            public T get(int index) {
                T element = left.get(index);
                left.set(index, null);
                run();
                return element;
            }

            @Override
            public int size() {
                return left.size();
            }
        };
    }

    /** What happened to others' memory; empty if nothing did. Waits for all work, which must not have failed. */
    public String damage() {
        try {
            Context.synchronize();
            for (DeviceAllocation other : others) {
                if (isChanged(Driver.fromDevice(other, size, byte[].class))) {
                    return "memory of others was written";
                }
            }
            for (GPUArray other : otherArrays) {
                if (isChanged(other.get(byte[].class))) {
                    return "an array of others was written";
                }
            }
            return "";
        } catch (Driver.Error broken) {
            return "the context is broken: " + broken;
        } finally {
            others.forEach(DeviceAllocation::close);
            otherArrays.forEach(GPUArray::close);
        }
    }

    private static boolean isChanged(byte[] bytes) {
        byte[] expected = new byte[bytes.length];
        Arrays.fill(expected, CANARY);
        return !Arrays.equals(bytes, expected);
    }

    /** Ends an object, as far as it can be ended. */
    public static void end(Object object) {
        if (object instanceof AutoCloseable closeable && !(object instanceof Context)) {
            try {
                closeable.close();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    /** An exception that says what is wrong, as those of this library do. */
    public static boolean isExplained(Throwable error) {
        return error instanceof Driver.Error || error instanceof IllegalArgumentException || error instanceof IllegalStateException
            || error instanceof IndexOutOfBoundsException || error instanceof UnsupportedOperationException;
    }
}
