package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The core's count of ended contexts, read in place. */
final class EndedContexts {
    private static final VarHandle COUNT = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final ByteBuffer MEMORY = DriverJNI.newDirectBuffer(DriverJNI.endedContextsAddress(), Long.BYTES);

    private EndedContexts() {}

    /** A handle read earlier stays valid while this number does not change. */
    static long count() {
        return (long) COUNT.getAcquire(MEMORY, 0);
    }
}
