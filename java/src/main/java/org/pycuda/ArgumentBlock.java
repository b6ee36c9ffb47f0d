package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Native memory for one kernel's arguments, whose address is asked for once. Each thread has one of its own. */
final class ArgumentBlock {
    /** Largest parameter block of any device. */
    static final int CAPACITY = 32764;
    private static final int ALIGNMENT = 16;
    private static final ThreadLocal<ArgumentBlock> OF_THREAD = ThreadLocal.withInitial(() -> new ArgumentBlock(CAPACITY));

    final ByteBuffer bytes;
    final long address;
    private boolean busy;

    ArgumentBlock(int capacity) {
        bytes = ByteBuffer.allocateDirect(capacity + ALIGNMENT).alignedSlice(ALIGNMENT).order(ByteOrder.nativeOrder());
        address = DriverProxy.bufferAddress(bytes);
    }

    /** This thread's block, until {@link #release}; another one while a launch within a launch is packed. */
    static ArgumentBlock acquire() {
        ArgumentBlock block = OF_THREAD.get();
        if (block.busy) {
            block = new ArgumentBlock(CAPACITY);
        }
        block.busy = true;
        return block;
    }

    void release() {
        busy = false;
    }

    void clear(int nbytes) {
        for (int i = 0; i < nbytes; i++) {
            bytes.put(i, (byte) 0);
        }
    }
}
