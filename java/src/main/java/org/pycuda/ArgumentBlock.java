package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Native memory for one launch: the configuration in native layout, then the kernel's arguments. Its address is read only once. Each
 * platform thread has its own.
 */
final class ArgumentBlock {
    /** Largest parameter block of any device. */
    static final int CAPACITY = DriverProxy.maxParameterBytes();
    private static final int ALIGNMENT = 16;
    /** Shared by virtual threads in turn: there may be very many, but few run at a time. */
    private static final Queue<ArgumentBlock> SPARE = new ConcurrentLinkedQueue<>();

    /** The arguments. */
    final ByteBuffer bytes;
    private final ByteBuffer header;
    /** The configuration; the arguments follow it. */
    private final long address;
    /** Identifies the configuration whose geometry was written. Not the configuration itself, which would keep its stream and attributes alive. */
    private Object written;
    private boolean busy;
    /** What else must stay reachable until {@link #release}; null: nothing. */
    Object kept;

    ArgumentBlock(int capacity) {
        ByteBuffer all = ByteBuffer.allocateDirect(LaunchConfig.NATIVE_BYTES + capacity + ALIGNMENT).alignedSlice(ALIGNMENT);
        header = all.slice(0, LaunchConfig.NATIVE_BYTES).order(ByteOrder.nativeOrder());
        bytes = all.slice(LaunchConfig.NATIVE_BYTES, capacity).order(ByteOrder.nativeOrder());
        address = DriverProxy.bufferAddress(header);
    }

    /** This thread's block, until {@link #release}; another one for a launch nested in the packing of a launch. */
    static ArgumentBlock acquire() {
        ArgumentBlock block = VirtualThreads.isCurrent() ? SPARE.poll() : PerThread.current().argumentBlock();
        if (block == null || block.busy) {
            block = new ArgumentBlock(CAPACITY);
        }
        block.busy = true;
        return block;
    }

    void release() {
        busy = false;
        if (kept != null) {
            kept = null;
        }
        if (VirtualThreads.isCurrent()) {
            SPARE.offer(this);
        }
    }

    void clear(int nbytes) {
        for (int i = 0; i < nbytes; i++) {
            bytes.put(i, (byte) 0);
        }
    }

    /** The address for a launch with {@code config}, which is usually that of the last launch. */
    long addressFor(LaunchConfig config) {
        if (written != config.identity) {
            config.writeGeometry(header);
            written = config.identity;
        }
        config.writeStream(header);
        return address;
    }
}
