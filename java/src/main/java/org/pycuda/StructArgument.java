package org.pycuda;

import java.nio.ByteBuffer;

/** Bytes for a kernel parameter that is passed by value; see {@link Driver#bytes(ByteBuffer)}. */
final class StructArgument {
    final ByteBuffer data;
    final int alignment;

    StructArgument(ByteBuffer data, int alignment) {
        if (alignment < 1 || Integer.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("alignment must be a power of two, not " + alignment);
        }
        this.data = data;
        this.alignment = alignment;
    }
}
