package org.pycuda;

import java.nio.ByteBuffer;

/**
 * The argument types given to {@link Function#prepare}: where each argument goes, and how Java values are converted. The core reads the type
 * characters and lays out the arguments, for Python too; here each slot has one of {@code bBhHiIlLqQ?efdFDP}, or {@code s} for bytes.
 */
final class PreparedArguments {
    private static final int FIELDS = 3;

    final int nbytes;
    private final String kernel;
    private final char[] formats;
    /** The same without {@code l} and {@code L}, C's long, which has 32 bits on Windows. */
    private final char[] types;
    private final int[] sizes;
    private final int[] offsets;
    /** Whether there is no padding between arguments, which would have to be zeroed. */
    private final boolean dense;

    /** @param slots bytes of the block, then type character, size and offset of each argument */
    PreparedArguments(String kernel, int[] slots) {
        this.kernel = kernel;
        nbytes = slots[0];
        int count = (slots.length - 1) / FIELDS;
        formats = new char[count];
        types = new char[count];
        sizes = new int[count];
        offsets = new int[count];
        int used = 0;
        for (int i = 0; i < count; i++) {
            formats[i] = (char) slots[1 + FIELDS * i];
            sizes[i] = slots[2 + FIELDS * i];
            types[i] = byWidth(formats[i], sizes[i]);
            offsets[i] = slots[3 + FIELDS * i];
            used += sizes[i];
        }
        dense = used == nbytes;
    }

    private static char byWidth(char type, int size) {
        return switch (type) {
            case 'l' -> size == Long.BYTES ? 'q' : 'i';
            case 'L' -> size == Long.BYTES ? 'Q' : 'I';
            default -> type;
        };
    }

    int count() {
        return types.length;
    }

    void putAll(ArgumentBlock block, Object[] values, Stream stream) {
        if (values.length != types.length) {
            throw new IllegalArgumentException(
                "'" + kernel + "' was prepared for " + arguments(types.length) + ", but " + values.length + " were given");
        }
        if (!dense) {
            block.clear(nbytes);
        }
        for (int i = 0; i < values.length; i++) {
            if (!put(block.bytes, i, values[i], stream)) {
                block.kept = values.clone();
                putAll(block, Holders.settled((Object[]) block.kept, stream), stream);
                return;
            }
        }
    }

    /**
     * Packs an argument of a launch on {@code stream}. False if the code of the program determines it: it must be settled before any address is
     * read ({@link Holders}).
     */
    boolean put(ByteBuffer block, int i, Object value, Stream stream) {
        if (value instanceof DevicePointer holder) {
            requirePointer(i);
            if (Holders.runProgramCode(holder)) {
                return false;
            }
            putPointer(block, i, holder.pointerFor(stream));
        } else if (value instanceof TextureObject || value instanceof SurfaceObject) {
            putAddress(block, i, ArgumentPacker.handleFor((DriverObject) value, stream), "a " + value.getClass().getSimpleName());
        } else if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            putInteger(block, i, ((Number) value).longValue());
        } else if (value instanceof Float || value instanceof Double) {
            putReal(block, i, ((Number) value).doubleValue());
        } else if (value instanceof Boolean flag) {
            putInteger(block, i, flag ? 1 : 0);
        } else if (value instanceof Character character) {
            putInteger(block, i, character);
        } else {
            return putSeveral(block, i, value, stream);
        }
        return true;
    }

    private boolean putSeveral(ByteBuffer block, int i, Object value, Stream stream) {
        char type = type(i);
        int offset = offsets[i];
        if (type == 'F' && value instanceof float[] pair && pair.length == 2) {
            block.putFloat(offset, pair[0]).putFloat(offset + Float.BYTES, pair[1]);
        } else if (type == 'D' && value instanceof double[] pair && pair.length == 2) {
            block.putDouble(offset, pair[0]).putDouble(offset + Double.BYTES, pair[1]);
        } else if (type == 's' && value instanceof TensorMap map && sizes[i] == TensorMap.BYTES) {
            if (map.runsProgramCode()) {
                return false;
            }
            map.write(block, offset, stream);
        } else if (type == 's' && value instanceof byte[] bytes && bytes.length == sizes[i]) {
            block.put(offset, bytes);
        } else if (type == 's' && value instanceof ByteBuffer bytes && bytes.remaining() == sizes[i]) {
            block.put(offset, bytes, bytes.position(), sizes[i]);
        } else {
            throw refused(i, given(value));
        }
        return true;
    }

    private void requirePointer(int i) {
        char type = type(i);
        if (type != 'P' && type != 'q' && type != 'Q') {
            throw refused(i, "a device pointer");
        }
    }

    void putPointer(ByteBuffer block, int i, long address) {
        putAddress(block, i, address, "a device pointer");
    }

    private void putAddress(ByteBuffer block, int i, long address, String given) {
        switch (type(i)) {
            case 'P', 'q', 'Q' -> block.putLong(offsets[i], address);
            default -> throw refused(i, given);
        }
    }

    void putReal(ByteBuffer block, int i, double value) {
        switch (type(i)) {
            case 'f' -> block.putFloat(offsets[i], (float) value);
            case 'd' -> block.putDouble(offsets[i], value);
            case 'e' -> putHalf(block, i, value);
            default -> throw refused(i, "a floating-point number");
        }
    }

    private void putHalf(ByteBuffer block, int i, double value) {
        if (!Half.fits(value)) {
            throw refused(i, "the number " + value);
        }
        block.putShort(offsets[i], Half.bits(value));
    }

    void putInteger(ByteBuffer block, int i, long value) {
        char type = type(i);
        int offset = offsets[i];
        switch (type) {
            case 'P', 'q', 'Q' -> block.putLong(offset, value);
            case 'i' -> block.putInt(offset, (int) inRange(i, value, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case 'I' -> block.putInt(offset, (int) inRange(i, value, Integer.MIN_VALUE, 0xFFFFFFFFL));
            case 'h' -> block.putShort(offset, (short) inRange(i, value, Short.MIN_VALUE, Short.MAX_VALUE));
            case 'H' -> block.putShort(offset, (short) inRange(i, value, Short.MIN_VALUE, 0xFFFF));
            case 'b' -> block.put(offset, (byte) inRange(i, value, Byte.MIN_VALUE, Byte.MAX_VALUE));
            case 'B' -> block.put(offset, (byte) inRange(i, value, Byte.MIN_VALUE, 0xFF));
            case '?' -> block.put(offset, (byte) (value != 0 ? 1 : 0));
            case 'f' -> block.putFloat(offset, value);
            case 'd' -> block.putDouble(offset, value);
            case 'e' -> putHalf(block, i, value);
            case 's' -> putByte(block, i, value);
            default -> throw refused(i, "an integer");
        }
    }

    /** A char of C is one byte. */
    private void putByte(ByteBuffer block, int i, long value) {
        if (sizes[i] != 1) {
            throw refused(i, "an integer");
        }
        block.put(offsets[i], (byte) inRange(i, value, Byte.MIN_VALUE, 0xFF));
    }

    /** Unsigned types also accept the negative numbers with the same bits, because Java has no unsigned types. */
    private long inRange(int i, long value, long min, long max) {
        if (value < min || value > max) {
            throw refused(i, "the number " + value);
        }
        return value;
    }

    private char type(int i) {
        if (i < 0 || i >= types.length) {
            throw new IllegalArgumentException(
                "'" + kernel + "' was prepared for " + arguments(types.length) + ": there is no argument " + i + ", counted from 0");
        }
        return types[i];
    }

    private static String given(Object value) {
        if (value == null) {
            return "null";
        } else if (value instanceof ByteBuffer bytes) {
            return "a ByteBuffer of " + bytes.remaining() + " bytes";
        } else if (value.getClass().isArray()) {
            return value.getClass().getComponentType() + "[" + java.lang.reflect.Array.getLength(value) + "]";
        }
        return value.getClass().getTypeName();
    }

    private static String arguments(int count) {
        return count + (count == 1 ? " argument" : " arguments");
    }

    private IllegalArgumentException refused(int i, String given) {
        String prepared = formats[i] == 's' ? sizes[i] + "s" : String.valueOf(formats[i]);
        return new IllegalArgumentException(
            "argument " + i + " of '" + kernel + "', counted from 0, was prepared as '" + prepared + "', but " + given + " was given");
    }
}
