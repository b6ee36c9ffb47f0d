package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The core's count of contexts that have ended, read where it stands. */
final class EndedContexts {
    private static final VarHandle COUNT = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final ByteBuffer MEMORY = DriverJNI.newDirectBuffer(DriverJNI.endedContextsAddress(), Long.BYTES);

    private EndedContexts() {}

    /** What was read from a handle is as good as then while this stays the same. */
    static long count() {
        return (long) COUNT.getAcquire(MEMORY, 0);
    }
}
