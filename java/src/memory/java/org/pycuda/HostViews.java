package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Makes the buffers of {@link HostBuffers}. */
final class HostViews {
    private HostViews() {}

    /** A view that keeps {@code lifeline}, without which the memory is freed, reachable for as long as it or a view of it is. */
    static ByteBuffer view(long address, long total, long offset, int size, Object lifeline) {
        if (offset < 0 || size < 0 || offset > total - size) {
            throw new IllegalArgumentException("bytes " + offset + " to " + (offset + size) + " are not within the memory of " + total + " bytes");
        }
        ByteBuffer root = DriverProxy.newDirectBuffer(address + offset, size);
        Cleanup.register(root, ignored -> Reference.reachabilityFence(lifeline), 0);
        return root.order(ByteOrder.nativeOrder());
    }
}
