package org.pycuda;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How the components of a record become a kernel's arguments. The fields are read, not the accessors: those may run code of the program, which
 * could free memory whose address was read before.
 */
final class RecordArguments {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
    private static final MethodType WRITE = MethodType.methodType(void.class, ByteBuffer.class, Record.class);
    private static final MethodType READ = MethodType.methodType(Object.class, Record.class);
    private static final MethodHandle NOTHING = MethodHandles.empty(WRITE);

    private final Class<? extends Record> type;
    private final RecordComponent[] components;
    /** Writes all numbers. */
    private final MethodHandle numbers;
    /** The objects among the components, and where their addresses go. */
    private final MethodHandle[] objects;
    private final int[] positions;
    private final int[] offsets;
    private final MethodHandle[] readers;
    private final boolean isPlain;
    private final boolean isDense;
    private final int nbytes;

    /** IllegalArgumentException unless the kernel takes what the record has. */
    RecordArguments(ParameterLayout layout, Class<? extends Record> type) {
        this.type = type;
        components = type.getRecordComponents();
        if (components == null) {
            throw new IllegalArgumentException(type.getName() + " is not the class of a record");
        } else if (layout.known && components.length != layout.sizes.length) {
            throw new IllegalArgumentException(type.getSimpleName() + " has " + counted(components.length, "component") + ", '" + layout.kernel + "' takes "
                + counted(layout.sizes.length, "argument"));
        }
        readers = new MethodHandle[components.length];
        List<MethodHandle> found = new ArrayList<>();
        List<int[]> places = new ArrayList<>();
        MethodHandle all = NOTHING;
        boolean plain = true;
        int end = 0;
        int used = 0;
        for (int i = 0; i < components.length; i++) {
            Class<?> part = components[i].getType();
            int size = check(layout, i);
            int offset = layout.known ? layout.offsets[i] : ArgumentPacker.alignUp(end, alignment(part, size));
            end = Math.max(end, offset + size);
            used += size;
            MethodHandle field = field(i);
            readers[i] = field.asType(READ);
            if (part.isPrimitive()) {
                all = MethodHandles.foldArguments(writer(field, part, offset), all);
            } else if (hasAddress(part)) {
                found.add(readers[i]);
                places.add(new int[] {i, offset});
            } else {
                plain = false;
            }
        }
        numbers = all;
        objects = found.toArray(MethodHandle[]::new);
        positions = places.stream().mapToInt(place -> place[0]).toArray();
        offsets = places.stream().mapToInt(place -> place[1]).toArray();
        isPlain = plain;
        nbytes = layout.known ? layout.total : end;
        isDense = used == nbytes;
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    /** Whether it is passed as the address or handle that it has. */
    private static boolean hasAddress(Class<?> part) {
        return DevicePointer.class.isAssignableFrom(part) || part == TextureObject.class || part == SurfaceObject.class;
    }

    /** The size of component {@code i}. IllegalArgumentException if it can be no argument, or not this one. */
    private int check(ParameterLayout layout, int i) {
        Class<?> part = components[i].getType();
        int size = size(part);
        if (size < 0) {
            throw new IllegalArgumentException(describe(i) + ", which is no kernel argument: expected a primitive type, DevicePointer or a class with a "
                + "device pointer, In, Out, InOut, TensorMap, TextureObject, SurfaceObject, or a record for a structure");
        } else if (layout.known && layout.sizes[i] != size) {
            throw new IllegalArgumentException(describe(i) + " (" + counted(size, "byte") + "), '" + layout.kernel + "' expects "
                + counted(layout.sizes[i], "byte") + " there");
        }
        return size;
    }

    private String describe(int i) {
        return "component " + i + ", '" + components[i].getName() + "', of " + type.getSimpleName() + " is a " + components[i].getType().getSimpleName();
    }

    /** In bytes; negative for a type that can be no argument. */
    private static int size(Class<?> part) {
        if (part == boolean.class) {
            return 1;
        } else if (part.isPrimitive()) {
            return HostElements.typeOf(java.lang.reflect.Array.newInstance(part, 0)).itemsize();
        } else if (hasAddress(part) || ArgumentHandler.class.isAssignableFrom(part)) {
            return Long.BYTES;
        } else if (part == TensorMap.class) {
            return TensorMap.BYTES;
        }
        return part.isRecord() ? StructType.of(part.asSubclass(Record.class)).itemsize() : -1;
    }

    private static int alignment(Class<?> part, int size) {
        return part.isRecord() ? StructType.of(part.asSubclass(Record.class)).alignment() : size;
    }

    private MethodHandle field(int i) {
        try {
            return MethodHandles.privateLookupIn(type, LOOKUP).findGetter(type, components[i].getName(), components[i].getType());
        } catch (ReflectiveOperationException closed) {
            throw new IllegalArgumentException(type.getName() + " cannot be read: open its package to the module org.pycuda", closed);
        }
    }

    /** Writes a number of a record at {@code offset}. */
    private static MethodHandle writer(MethodHandle field, Class<?> part, int offset) {
        try {
            MethodHandle put = LOOKUP.findStatic(RecordArguments.class, "put", MethodType.methodType(void.class, ByteBuffer.class, int.class, part));
            return MethodHandles.filterArguments(MethodHandles.insertArguments(put, 1, offset), 1, field).asType(WRITE);
        } catch (ReflectiveOperationException missing) {
            throw new AssertionError(missing);
        }
    }

    private static void put(ByteBuffer bytes, int offset, boolean value) {
        bytes.put(offset, (byte) (value ? 1 : 0));
    }

    private static void put(ByteBuffer bytes, int offset, byte value) {
        bytes.put(offset, value);
    }

    private static void put(ByteBuffer bytes, int offset, short value) {
        bytes.putShort(offset, value);
    }

    private static void put(ByteBuffer bytes, int offset, char value) {
        bytes.putChar(offset, value);
    }

    private static void put(ByteBuffer bytes, int offset, int value) {
        bytes.putInt(offset, value);
    }

    private static void put(ByteBuffer bytes, int offset, long value) {
        bytes.putLong(offset, value);
    }

    private static void put(ByteBuffer bytes, int offset, float value) {
        bytes.putFloat(offset, value);
    }

    private static void put(ByteBuffer bytes, int offset, double value) {
        bytes.putDouble(offset, value);
    }

    /** Whether {@link #pack} can pack the record. */
    boolean isPlain() {
        return isPlain;
    }

    /** Whether there is no padding between arguments, which would have to be zeroed. */
    boolean isDense() {
        return isDense;
    }

    int nbytes() {
        return nbytes;
    }

    /** Packs the arguments of a launch on {@code stream}. False if the program's code determines an address: it must run first ({@link Holders}). */
    boolean pack(ByteBuffer bytes, Record values, Stream stream) {
        try {
            numbers.invokeExact(bytes, values);
            for (int i = 0; i < objects.length; i++) {
                Object part = (Object) objects[i].invokeExact(values);
                if (part instanceof DevicePointer pointer) {
                    if (Holders.runProgramCode(pointer)) {
                        return false;
                    }
                    bytes.putLong(offsets[i], pointer.pointerFor(stream));
                } else if (part != null) {
                    bytes.putLong(offsets[i], ArgumentPacker.handleFor((DriverObject) part, stream));
                } else {
                    throw isNull(positions[i]);
                }
            }
            return true;
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private IllegalArgumentException isNull(int position) {
        return new IllegalArgumentException(describe(position) + " and null; a null pointer is DevicePointer.of(0)");
    }

    /** The components of a record. */
    Object[] values(Record record) {
        Object[] values = new Object[readers.length];
        try {
            for (int i = 0; i < values.length; i++) {
                values[i] = (Object) readers[i].invokeExact(record);
                if (values[i] == null) {
                    throw isNull(i);
                }
            }
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
        return values;
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }
}
