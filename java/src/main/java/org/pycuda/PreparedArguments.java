package org.pycuda;

import java.nio.ByteBuffer;

/**
 * The argument types given to {@link Function#prepare}: where each argument goes, and how a Java value becomes one. Types are
 * the characters of Python's struct module in native mode, and F and D for single and double precision complex numbers.
 */
final class PreparedArguments {
    private static final String TYPES = "?cbBhHiIlLqQnNPfdFD";
    private static final int[] SIZES = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 8, 8, 8, 4, 8, 8, 16};

    final int nbytes;
    private final String kernel;
    private final String types;
    private final int[] offsets;

    PreparedArguments(String types, ParameterLayout layout) {
        this.types = types;
        kernel = layout.kernel;
        offsets = new int[types.length()];
        int end = 0;
        for (int i = 0; i < offsets.length; i++) {
            int size = sizeOf(types.charAt(i));
            if (layout.known && (i >= layout.sizes.length || layout.sizes[i] != size)) {
                throw layout.mismatch(i, size, "'" + types.charAt(i) + "'");
            }
            int alignment = types.charAt(i) == 'D' ? 8 : types.charAt(i) == 'F' ? 4 : size;
            offsets[i] = layout.known ? layout.offsets[i] : ArgumentPacker.alignUp(end, alignment);
            end = offsets[i] + size;
            if (end > ArgumentBlock.CAPACITY) {
                throw layout.mismatch(i, size, "'" + types.charAt(i) + "'");
            }
        }
        if (offsets.length < layout.sizes.length) {
            throw layout.tooFew(offsets.length);
        }
        nbytes = end;
    }

    private static int sizeOf(char type) {
        int index = TYPES.indexOf(type);
        if (index < 0) {
            throw new IllegalArgumentException("no argument type: '" + type + "'; there are " + TYPES);
        }
        return SIZES[index];
    }

    int count() {
        return offsets.length;
    }

    void putAll(ByteBuffer block, Object[] values) {
        if (values.length != offsets.length) {
            throw new IllegalArgumentException(
                "'" + kernel + "' was prepared for " + offsets.length + " arguments, given " + values.length);
        }
        for (int i = 0; i < values.length; i++) {
            put(block, i, values[i]);
        }
    }

    void put(ByteBuffer block, int i, Object value) {
        if (value instanceof PointerHolderBase holder) {
            putPointer(block, i, holder.getPointer());
        } else if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
            putInteger(block, i, ((Number) value).longValue());
        } else if (value instanceof Float || value instanceof Double) {
            putReal(block, i, ((Number) value).doubleValue());
        } else if (value instanceof Boolean flag) {
            putInteger(block, i, flag ? 1 : 0);
        } else if (value instanceof Character character) {
            putInteger(block, i, character);
        } else if (value instanceof float[] pair && pair.length == 2 && type(i) == 'F') {
            block.putFloat(offsets[i], pair[0]).putFloat(offsets[i] + 4, pair[1]);
        } else if (value instanceof double[] pair && pair.length == 2 && type(i) == 'D') {
            block.putDouble(offsets[i], pair[0]).putDouble(offsets[i] + 8, pair[1]);
        } else {
            throw refused(i, value == null ? "null" : value.getClass().getTypeName());
        }
    }

    void putPointer(ByteBuffer block, int i, long address) {
        if ("PlLqQnN".indexOf(type(i)) < 0) {
            throw refused(i, "a device pointer");
        }
        block.putLong(offsets[i], address);
    }

    void putReal(ByteBuffer block, int i, double value) {
        switch (type(i)) {
            case 'f' -> block.putFloat(offsets[i], (float) value);
            case 'd' -> block.putDouble(offsets[i], value);
            default -> throw refused(i, "a floating point number");
        }
    }

    void putInteger(ByteBuffer block, int i, long value) {
        char type = type(i);
        int offset = offsets[i];
        switch (type) {
            case 'P', 'l', 'L', 'q', 'Q', 'n', 'N' -> block.putLong(offset, value);
            case 'i' -> block.putInt(offset, (int) inRange(i, value, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case 'I' -> block.putInt(offset, (int) inRange(i, value, Integer.MIN_VALUE, 0xFFFFFFFFL));
            case 'h' -> block.putShort(offset, (short) inRange(i, value, Short.MIN_VALUE, Short.MAX_VALUE));
            case 'H' -> block.putShort(offset, (short) inRange(i, value, Short.MIN_VALUE, 0xFFFF));
            case 'b' -> block.put(offset, (byte) inRange(i, value, Byte.MIN_VALUE, Byte.MAX_VALUE));
            case 'B', 'c' -> block.put(offset, (byte) inRange(i, value, Byte.MIN_VALUE, 0xFF));
            case '?' -> block.put(offset, (byte) (value != 0 ? 1 : 0));
            case 'f' -> block.putFloat(offset, value);
            case 'd' -> block.putDouble(offset, value);
            default -> throw refused(i, "an integer");
        }
    }

    /** Unsigned types take the negative numbers with the same bits, too: Java has no unsigned ones. */
    private long inRange(int i, long value, long least, long most) {
        if (value < least || value > most) {
            throw refused(i, "the number " + value);
        }
        return value;
    }

    private char type(int i) {
        if (i < 0 || i >= offsets.length) {
            throw new IllegalArgumentException("'" + kernel + "' was prepared for " + offsets.length + " arguments: there is no number "
                + i);
        }
        return types.charAt(i);
    }

    private IllegalArgumentException refused(int i, String given) {
        return new IllegalArgumentException(
            "argument " + i + " of '" + kernel + "' (0-based): given " + given + ", prepared for '" + types.charAt(i) + "'");
    }
}
