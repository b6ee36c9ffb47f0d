package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * A value of a {@link StructType}: {@code launch} and {@code call} pass it by value, {@code fill} copies it. Immutable.
 * <pre>{@code
 * var pairs = GPUArray.zeros(Vec.FLOAT2, 3);
 * StructValue pair = Vec.FLOAT2.value(1, 2);
 * pairs.fill(pair);
 * System.out.println(pairs.field("y").getFloats()[2]);  // 2.0
 * }</pre>
 */
public final class StructValue {
    private final StructType type;
    private final byte[] bytes;

    StructValue(StructType type, byte[] bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    /** Its type. */
    public StructType type() {
        return type;
    }

    /** A copy of its bytes in C's layout. */
    public ByteBuffer toBuffer() {
        return ByteBuffer.wrap(bytes.clone()).order(ByteOrder.nativeOrder());
    }

    /** A record of its fields, in order; numbers are converted as Java casts them. */
    public <R extends Record> R toRecord(Class<R> record) {
        return RecordTypes.read(Objects.requireNonNull(record, "record"), type, toBuffer(), 0);
    }

    StructArgument argument() {
        return new StructArgument(ByteBuffer.wrap(bytes), type.alignment());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StructValue value && value.type.equals(type) && Arrays.equals(value.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "a value of " + type;
    }
}
